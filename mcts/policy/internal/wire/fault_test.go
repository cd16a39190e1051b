package wire

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"toolevo/mcts/policy/server"
)

func TestStatusFault(t *testing.T) {
	address, err := ParseAddress("http://h/v1")
	if err != nil {
		t.Fatal(err)
	}
	const key = `pass"<word`

	tests := []struct {
		name, key, location, text string
		status                    int
		want                      string
	}{
		{"as it is", key, "", "busy", 503, "busy"},
		{"on one line, with what is hidden", key, "", "a\r\n b\x00c", 503, `a b\x00c`},
		{"moved", key, "https://elsewhere/?key=" + key, "ignored", 307,
			`the server redirects to "https://elsewhere/?key=[hidden]", which is not followed: make that its address`},
		{"choices", key, "", "ignored", 300,
			"the server redirects (300 Multiple Choices) and does not say where to: look at what is in front of " +
				"it, or give its own address"},
		{"moved nowhere", key, "", "ignored", 302,
			"the server redirects (302 Found) and does not say where to: look at what is in front of it, or give " +
				"its own address"},
		{"not modified", key, "", "", 304,
			"304 Not Modified, the answer to a question that was not asked: look at the proxy or cache before " +
				"the server"},
		{"another protocol", key, "", "", 101,
			"101 Switching Protocols: the server wants to speak another protocol; is this the address of an HTTP API?"},
		{"wants a key", "", "", "Unauthorized", 401, "Unauthorized (the server wants a key that it accepts)"},
		{"wants another key", key, "", "no " + key, 403, "no [hidden]"},
	}
	for _, tt := range tests {
		l, err := NewLink(address, server.Endpoint{APIKey: tt.key})
		if err != nil {
			t.Fatal(err)
		}

		header := http.Header{"Retry-After": {"2"}}
		if tt.location != "" {
			header.Set("Location", tt.location)
		}

		f := l.StatusFault(Answer{Status: tt.status, Header: header}, server.Transient, tt.text)
		if f.Message != tt.want || f.Status != tt.status || f.Kind != server.Transient ||
			f.RetryAfter != 2*time.Second || f.Address != "http://h/v1" {
			t.Errorf("%s: %+v, want the message %q", tt.name, f, tt.want)
		}
	}
}

// TestLongRetryAfter: a server does not say for how long a request is held, but is told that it was
// heard.
func TestLongRetryAfter(t *testing.T) {
	address, err := ParseAddress("http://h/v1")
	if err != nil {
		t.Fatal(err)
	}

	l, err := NewLink(address, server.Endpoint{})
	if err != nil {
		t.Fatal(err)
	}

	for asked, want := range map[string]string{
		"60":    "busy",
		"99999": "it wants to be left alone for 27h46m39s, and is asked again after 1m0s: busy",
		"1e99":  "it wants to be left alone for 1000h0m0s, and is asked again after 1m0s: busy",
	} {
		a := Answer{Status: 503, Header: http.Header{"Retry-After": {asked}}}
		if f := l.StatusFault(a, server.Transient, "busy"); f.Message != want || f.RetryAfter != longestWait {
			t.Errorf("%s: %v, %q", asked, f.RetryAfter, f.Message)
		}
	}
}

func TestNotSent(t *testing.T) {
	address, err := ParseAddress("http://h")
	if err != nil {
		t.Fatal(err)
	}

	l, err := NewLink(address, server.Endpoint{})
	if err != nil {
		t.Fatal(err)
	}

	why := errors.New("why")
	if f := l.NotSent(why); f.Kind != server.Refused || !errors.Is(f, why) ||
		f.Error() != "http://h: refused: not sent: why" {
		t.Errorf("%v", f)
	}
}

// TestCleaned keeps a cause that shows nothing, and drops what is below one that does.
func TestCleaned(t *testing.T) {
	address, err := ParseAddress("http://h")
	if err != nil {
		t.Fatal(err)
	}

	l, err := NewLink(address, server.Endpoint{APIKey: "password"})
	if err != nil {
		t.Fatal(err)
	}

	harmless := errors.New("harmless")
	for _, tt := range []struct {
		cause error
		want  string
		kept  bool
	}{
		{harmless, "harmless", true},
		{fmt.Errorf("the password: %w", harmless), "the [hidden]: harmless", false},
		{fmt.Errorf("malformed header: %s %w", strings.Repeat("x", 1<<20), harmless),
			"malformed header: " + strings.Repeat("x", longestMessage-19) + "…", false},
		{fmt.Errorf("a\x1b[2J\nb: %w", harmless), `a\x1b[2J b: harmless`, false},
	} {
		f := l.Fault(server.Transient, 0, "", tt.cause)
		if got := f.Err.Error(); got != tt.want || errors.Is(f, harmless) != tt.kept {
			t.Errorf("%.40q is %.500q, want %.500q", tt.cause, got, tt.want)
		}
	}

	if f := l.Fault(server.Transient, 0, "", nil); f.Err != nil {
		t.Errorf("no cause is %v", f.Err)
	}
}
