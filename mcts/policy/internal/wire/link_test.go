package wire_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/internal/wiretest"
	"toolevo/mcts/policy/server"
)

// link is a link to an address, changed by the functions.
func link(t testing.TB, address string, change ...func(*server.Endpoint)) *wire.Link {
	t.Helper()

	a, err := wire.ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}

	var e server.Endpoint
	for _, c := range change {
		c(&e)
	}

	l, err := wire.NewLink(a, e)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(l.Close)
	return l
}

// post makes a call, and returns the answer's status and body.
func post(ctx context.Context, l *wire.Link, address string, limit ...int64) (wire.Answer, error) {
	u, err := url.Parse(address)
	if err != nil {
		return wire.Answer{}, err
	}
	var a wire.Answer

	c := wire.Call{URL: u, Body: struct{}{}}
	for _, c.Limit = range limit {
	}

	c.Read = func(body io.Reader) error {
		a.Status = http.StatusOK
		a.Body, err = io.ReadAll(body)
		return err
	}
	c.Refused = func(refusal wire.Answer) *server.Fault {
		a = refusal
		return l.StatusFault(refusal, server.KindOfStatus(refusal.Status), string(refusal.Body))
	}
	err = l.Do(ctx, c)

	return a, err
}

// TestAnswers: an answer is read whatever its status, and one that is not a 2xx is a fault.
func TestAnswers(t *testing.T) {
	for _, status := range []int{200, 204, 304, 307, 400, 503} {
		body := "body"
		if status == 204 || status == 304 {
			body = ""
		}

		s := wiretest.Serve(t, wiretest.Answers(status, body, "X-Name", "value"))

		a, err := post(t.Context(), link(t, s.URL), s.URL)
		if string(a.Body) != body || (err == nil) != (status < 300) {
			t.Errorf("%d: %+v, %v", status, a, err)
		}

		if err != nil && (wiretest.FaultOf(t, err).Status != status || a.Header.Get("X-Name") != "value") {
			t.Errorf("%d: %+v, %v", status, a, err)
		}
	}
}

func TestWay(t *testing.T) {
	header := func(line string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()

			io.WriteString(conn, "HTTP/1.1 200 OK\r\n"+line+"\r\n\r\n")
		}
	}

	tests := []struct {
		name    string
		handler http.HandlerFunc
		want    string
	}{
		{"reset", wiretest.Reset, "EOF"},
		{"cut short", wiretest.CutShort("{"), "reading the reply: unexpected EOF"},
		{"above the bound", wiretest.Answers(200, strings.Repeat("x", 17)), "longer than the bound of 16 bytes"},
		{"a malformed header", header("x\x1b[2Jy" + strings.Repeat("z", 100_000)), "malformed MIME header"},
		{"a header without an end", header("x: " + strings.Repeat("z", 1<<20)), "headers exceeded"},
		{"not packed", header("Content-Encoding: gzip\r\n\r\nnot packed"), "gzip"},
	}
	for _, tt := range tests {
		s := wiretest.Serve(t, tt.handler)
		_, err := post(t.Context(), link(t, s.URL), s.URL, 16)

		f := wiretest.FaultOf(t, err)
		if f.Kind != server.Transient || !strings.Contains(err.Error(), tt.want) || f.Address != s.URL {
			t.Errorf("%s: %.1000v, want transient with %q", tt.name, err, tt.want)
		}

		if len(err.Error()) > 1000 || strings.ContainsFunc(err.Error(), unicode.IsControl) {
			t.Errorf("%s: %.1000q", tt.name, err)
		}

		if n := len(s.Received()); n != 1 {
			t.Errorf("%s: %d requests: trying again is the caller's", tt.name, n)
		}
	}

	s := wiretest.Serve(t, wiretest.Answers(200, strings.Repeat("x", 16)))
	if a, err := post(t.Context(), link(t, s.URL), s.URL, 16); err != nil || len(a.Body) != 16 {
		t.Errorf("at the bound: %+v, %v", a, err)
	}
}

// TestSwitchingProtocols: an answer whose body is a connection is not waited for.
func TestSwitchingProtocols(t *testing.T) {
	gone := make(chan struct{})

	s := wiretest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()

		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
		conn.Read(make([]byte, 1)) // until the client goes away
		close(gone)
	})
	if _, err := post(t.Context(), link(t, s.URL), s.URL); wiretest.FaultOf(t, err).Status != 101 {
		t.Error(err)
	}

	<-gone
}

// TestUnreachable is a server that is not there: the cause can be told.
func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	address := "http://" + l.Addr().String()
	l.Close()

	_, err = post(t.Context(), link(t, address), address)
	if f := wiretest.FaultOf(t, err); f.Kind != server.Transient || !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%v, want transient, refused by the machine", err)
	}
}

// TestUntrusted is a server that no second try will make trustworthy, and one that does not speak
// TLS.
func TestUntrusted(t *testing.T) {
	secure := httptest.NewUnstartedServer(wiretest.Answers(200, ""))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)

	secure.StartTLS()
	defer secure.Close()

	plain := wiretest.Serve(t, wiretest.Answers(200, ""))
	for _, address := range []string{secure.URL, strings.Replace(plain.URL, "http:", "https:", 1)} {
		_, err := post(t.Context(), link(t, address), address)
		if f := wiretest.FaultOf(t, err); f.Kind != server.Refused {
			t.Errorf("%v, want refused", err)
		}
	}
}

// TestCancel: the context ends the request, at the server too, before the answer and in the middle
// of it.
func TestCancel(t *testing.T) {
	for _, begins := range []string{"", "half of it"} {
		begun, ended := make(chan struct{}, 1), make(chan struct{}, 1)
		hang := wiretest.Hang(begun, ended)
		s := wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
			if begins != "" {
				io.WriteString(w, begins)
				w.(http.Flusher).Flush()
			}

			hang(w, r)
		})
		ctx, cancel := context.WithCancel(t.Context())

		go func() {
			<-begun
			cancel()
		}()

		if _, err := post(ctx, link(t, s.URL), s.URL); err != context.Canceled {
			t.Errorf("after %q: error %v, want the context's", begins, err)
		}

		<-ended
	}
}

// TestTimeout: the link's own limit is a fault, and never looks like the caller's deadline.
func TestTimeout(t *testing.T) {
	begun, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	s := wiretest.Serve(t, wiretest.Hang(begun, ended))
	_, err := post(t.Context(), link(t, s.URL, func(o *server.Endpoint) { o.Timeout = 20 * time.Millisecond }), s.URL)

	f := wiretest.FaultOf(t, err)
	if f.Kind != server.Transient || f.Message != "no answer within 20ms" || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want transient, and no deadline of the caller's", err)
	}
}

// TestFaultOfReader: a fault that the reader of a reply found is passed on, unless the context
// ended meanwhile; another error of its own is that of a spoiled reply.
func TestFaultOfReader(t *testing.T) {
	s := wiretest.Serve(t, wiretest.Answers(200, "body"))
	l := link(t, s.URL)

	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}

	want, plain := l.NotSent(errors.New("why")), errors.New("no sense")

	do := func(ctx context.Context, err error) error {
		return l.Do(ctx, wire.Call{URL: u, Read: func(io.Reader) error { return err }})
	}
	if err := do(t.Context(), fmt.Errorf("wrapped: %w", want)); err != error(want) {
		t.Errorf("error %v, want %v", err, want)
	}

	if f := wiretest.FaultOf(t, do(t.Context(), plain)); f.Kind != server.Transient || f.Status != 200 ||
		!errors.Is(f, plain) {
		t.Errorf("%v", f)
	}

	ctx, cancel := context.WithCancel(t.Context())

	err = l.Do(ctx, wire.Call{URL: u, Read: func(io.Reader) error {
		cancel()
		return want
	}})
	if err != context.Canceled {
		t.Errorf("error %v, want the context's", err)
	}

	if f := wiretest.FaultOf(t, l.Do(t.Context(), wire.Call{URL: u, Body: func() {}})); f.Kind != server.Refused {
		t.Errorf("%v: a body that is no JSON was sent", f)
	}
}

// TestRedirect: the key goes nowhere but to the server it was given for.
func TestRedirect(t *testing.T) {
	other := wiretest.Serve(t, wiretest.Answers(200, ""))
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := wiretest.Serve(t, wiretest.Answers(status, "", "Location", other.URL))

		a, err := post(t.Context(), link(t, s.URL, func(o *server.Endpoint) { o.APIKey = "password" }), s.URL)
		if a.Status != status || wiretest.FaultOf(t, err).Status != status {
			t.Errorf("%d: %+v, %v", status, a, err)
		}

		if got := s.Received()[0].Header.Get("Authorization"); got != "Bearer password" {
			t.Errorf("%d: authorization %q", status, got)
		}
	}

	if n := len(other.Received()); n != 0 {
		t.Errorf("%d redirects were followed", n)
	}
}

// TestClose ends the connection that a request left open.
func TestClose(t *testing.T) {
	states := make(chan http.ConnState, 16)
	s := httptest.NewUnstartedServer(wiretest.Answers(200, "x"))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) { states <- state }

	s.Start()
	defer s.Close()

	until := func(want http.ConnState) {
		for state := range states {
			if state == want {
				return
			}
		}
	}

	l := link(t, s.URL)
	if _, err := post(t.Context(), l, s.URL); err != nil {
		t.Fatal(err)
	}

	until(http.StateIdle)
	l.Close()
	until(http.StateClosed)
}

// TestSecrets: a secret occurs in no error and in no print, wherever it is kept and however it is
// echoed.
func TestSecrets(t *testing.T) {
	echo := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, wiretest.Echo(r, 380)) }

	for place, put := range wiretest.Places() {
		t.Run(place, func(t *testing.T) {
			s := wiretest.Serve(t, echo)
			address, key := put(s.URL)

			given, err := wire.ParseAddress(address)
			if err != nil {
				t.Fatal(err)
			}

			l := link(t, address, func(e *server.Endpoint) { e.APIKey = key })

			a, err := post(t.Context(), l, given.URL.String())
			if err != nil {
				t.Fatal(err)
			}

			wiretest.CheckHidden(t, l.Fault(server.Transient, 0, string(a.Body), errors.New(string(a.Body))),
				l.Address(), l)

			if s.Received()[0].Header.Get("Authorization") == "" {
				t.Error("the secret was not sent")
			}

			s.Close()

			_, err = post(t.Context(), l, given.URL.String())
			wiretest.CheckHidden(t, wiretest.FaultOf(t, err))
		})
	}
}

// TestHeadersAndQuery: headers and the query are part of every request. What of them may be a key
// is hidden, the version of an API is not.
func TestHeadersAndQuery(t *testing.T) {
	s := wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, wiretest.Echo(r, 0)+" "+r.Header.Get("X-Key")+" "+r.URL.RawQuery)
	})
	query := "?api-version=2024-06-01&key=" + url.QueryEscape(wiretest.Secret)

	given, err := wire.ParseAddress(s.URL + "/v1" + query)
	if err != nil {
		t.Fatal(err)
	}

	header := server.Header{
		Name: "X-Key", Value: "Token " + wiretest.Secret, Secrets: []string{wiretest.Secret},
	}
	l := link(t, s.URL+"/v1"+query, func(e *server.Endpoint) { e.Headers = []server.Header{header} })

	for _, path := range []string{"models", "chat/completions"} {
		a, err := post(t.Context(), l, given.URL.JoinPath(path).String())
		if err != nil {
			t.Fatal(err)
		}

		fault := l.Fault(server.Transient, 0, string(a.Body), nil)
		wiretest.CheckHidden(t, fault, l.Address(), l, header)

		if !strings.Contains(fault.Message, "2024-06-01") || l.Address() != s.URL+"/v1" {
			t.Errorf("%s of %s", fault.Message, l.Address())
		}
	}

	for i, want := range []string{"/v1/models", "/v1/chat/completions"} {
		got := s.Received()[i]
		if got.Path != want || "?"+got.Query != query || got.Header.Get("X-Key") != header.Value {
			t.Errorf("%s?%s with %q", got.Path, got.Query, got.Header.Get("X-Key"))
		}
	}

	s.Close()

	_, err = post(t.Context(), l, given.URL.String())
	wiretest.CheckHidden(t, wiretest.FaultOf(t, err))
}

func TestNewLink(t *testing.T) {
	a, err := wire.ParseAddress("http://h")
	if err != nil {
		t.Fatal(err)
	}

	tests := []struct {
		want string
		e    server.Endpoint
	}{
		{"control", server.Endpoint{APIKey: "secret\nword"}},
		{"control", server.Endpoint{APIKey: "secret\x7fword"}},
		{"negative", server.Endpoint{Timeout: -1}},
		{"negative", server.Endpoint{DialTimeout: -1}},
	}
	for _, tt := range tests {
		if _, err := wire.NewLink(a, tt.e); err == nil || !strings.Contains(err.Error(), tt.want) ||
			strings.Contains(err.Error(), "secret") {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
}

// TestProxyInTheWay: what a proxy may have answered, or failed at, in a server's place names it,
// and how to go past it; what the server itself says does not.
func TestProxyInTheWay(t *testing.T) {
	const page = "<html><title>ERROR: The requested URL could not be retrieved</title></html>"

	for _, tt := range []struct {
		name    string
		address string
		proxy   http.HandlerFunc
		named   bool
	}{
		{"a page", "http://inner/v1", wiretest.Answers(403, page), true},
		{"a gateway's page", "http://inner/v1", wiretest.Answers(502, "Bad Gateway"), true},
		{"a page with a good status", "http://inner/v1", wiretest.Answers(200, page), true},
		{"no tunnel", "https://inner/v1", wiretest.Answers(403, page), true},
		{"it wants a key", "https://inner/v1", wiretest.Answers(407, ""), true},
		{"a proxy that ends", "http://inner/v1", wiretest.Reset, true},
		{"the server's own words", "http://inner/v1", wiretest.Answers(401, `{"error":{"message":"no"}}`), false},
	} {
		proxy, err := url.Parse(wiretest.Serve(t, tt.proxy).URL)
		if err != nil {
			t.Fatal(err)
		}

		proxy.User = url.UserPassword("someone", wiretest.Secret)
		l := link(t, tt.address, func(e *server.Endpoint) {
			e.Transport = &http.Transport{Proxy: http.ProxyURL(proxy)}
		})

		fault := wiretest.FaultOf(t, l.Do(t.Context(), wire.Call{
			URL: parsed(t, tt.address),
			Read: func(body io.Reader) error {
				_, err := io.ReadAll(body)
				return errors.Join(err, errors.New("it is no reply"))
			},
			Refused: func(a wire.Answer) *server.Fault {
				return l.StatusFault(a, server.KindOfStatus(a.Status), "refused")
			},
		}))
		wiretest.CheckHidden(t, fault)

		said := fault.Error()
		named := strings.Contains(said, proxy.Host) && strings.Contains(said, "add inner to NO_PROXY")
		if named != tt.named || tt.named && strings.Contains(fault.Error(), "wants a key") {
			t.Errorf("%s: %v", tt.name, fault)
		}
	}
}

// parsed is the URL of a text.
func parsed(t *testing.T, text string) *url.URL {
	t.Helper()

	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// proxied names the address that TestProxy's other process asks for.
const proxied = "WIRE_TEST_PROXIED"

// TestProxy: the environment's proxy carries what goes to other machines, and only that. The
// environment is read once in a process, so another one asks.
func TestProxy(t *testing.T) {
	if address := os.Getenv(proxied); address != "" {
		a, err := post(t.Context(), link(t, address), address)
		if err != nil {
			t.Fatal(err)
		}

		fmt.Printf("answer %s\n", a.Body)
		return
	}

	proxy := wiretest.Serve(t, wiretest.Answers(200, "of the proxy"))

	here := wiretest.Serve(t, wiretest.Answers(200, "of the server"))
	for address, want := range map[string]string{"http://server.invalid/v1": "of the proxy",
		here.URL: "of the server"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestProxy$", "-test.v")

		cmd.Env = append(os.Environ(), proxied+"="+address, "HTTP_PROXY="+proxy.URL, "http_proxy="+proxy.URL,
			"NO_PROXY=", "no_proxy=")

		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "answer "+want+"\n") {
			t.Errorf("%s: %v, %s, want the answer %s", address, err, out, want)
		}
	}
}
