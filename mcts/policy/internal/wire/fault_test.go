package wire

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"toolevo/mcts/policy/server"
)

func TestRetryAfter(t *testing.T) {
	const now = "Wed, 21 Oct 2026 07:28:00 GMT"
	tests := []struct {
		name    string
		headers map[string]string
		want    time.Duration
	}{
		{"none", nil, 0},
		{"seconds", map[string]string{"Retry-After": " 7 "}, 7 * time.Second},
		{"part of a second", map[string]string{"Retry-After": "0.5"}, 500 * time.Millisecond},
		{"milliseconds come first", map[string]string{"Retry-After-Ms": "250", "Retry-After": "1"}, 250 * time.Millisecond},
		{"a date, by the server's clock", map[string]string{"Date": now, "Retry-After": "Wed, 21 Oct 2026 07:29:30 GMT"}, 90 * time.Second},
		{"a date gone by", map[string]string{"Date": now, "Retry-After": "Wed, 21 Oct 2026 07:27:00 GMT"}, 0},
		{"a date far off, and no clock", map[string]string{"Retry-After": "Wed, 21 Oct 2099 07:27:00 GMT"}, longestWait},
		{"for ever", map[string]string{"Retry-After": "1e99"}, longestWait},
		{"infinity", map[string]string{"Retry-After": "inf"}, longestWait},
		{"negative", map[string]string{"Retry-After": "-5"}, 0},
		{"not a number", map[string]string{"Retry-After": "nan"}, 0},
		{"words", map[string]string{"Retry-After": "soon"}, 0},
	}
	for _, tt := range tests {
		h := http.Header{}
		for k, v := range tt.headers {
			h.Set(k, v)
		}
		if got := retryAfter(h); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestStatusFault(t *testing.T) {
	address, err := ParseAddress("http://h/v1")
	if err != nil {
		t.Fatal(err)
	}
	const key = `pass"<word`
	tests := []struct {
		name, key, header, text string
		status                  int
		want                    string
	}{
		{"as it is", key, "", "busy", 503, "busy"},
		{"on one line, with what is hidden", key, "", "a\r\n b\x00c", 503, `a b\x00c`},
		{"moved", key, "https://elsewhere/?key=" + key, "ignored", 307,
			`the server redirects to "https://elsewhere/?key=[hidden]", which is not followed: make that its address`},
		{"wants a key", "", "", "Unauthorized", 401, "Unauthorized (the server wants a key that it accepts)"},
		{"wants another key", key, "", "no " + key, 403, "no [hidden]"},
	}
	for _, tt := range tests {
		l, err := NewLink(Options{Address: address, APIKey: tt.key})
		if err != nil {
			t.Fatal(err)
		}
		a := &Answer{Status: tt.status, Header: http.Header{"Location": {tt.header}, "Retry-After": {"2"}}}
		f := l.StatusFault(a, server.Transient, tt.text)
		if f.Message != tt.want || f.Status != tt.status || f.Kind != server.Transient || f.RetryAfter != 2*time.Second || f.Address != "http://h/v1" {
			t.Errorf("%s: %+v, want the message %q", tt.name, f, tt.want)
		}
	}
}

func TestNotSent(t *testing.T) {
	address, err := ParseAddress("http://h")
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewLink(Options{Address: address})
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("why")
	if f := l.NotSent(why); f.Kind != server.Refused || !errors.Is(f, why) || f.Error() != "http://h: refused: not sent: why" {
		t.Errorf("%v", f)
	}
}
