package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What a server says that nobody asked for does not reach the terminal: net/http would log it there.
func TestServerOutOfTurn(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		body := `{"object":"list","data":[{"id":"sim"}]}`
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%sHTTP/1.1 200 OK\x1b]0;title\a\r\n", len(body), body)
		io.Copy(io.Discard, conn) // until the client goes away
	}))
	defer s.Close()

	p := start(t, "doctor", "--policy", "openai:sim", "--server", s.URL+"/v1")
	<-p.ended
	if words := p.err.String(); strings.Contains(words, "Unsolicited") || strings.Contains(words, "title") {
		t.Errorf("stderr:\n%s", words)
	}
	if out := p.out.String() + p.err.String(); !strings.Contains(out, s.URL) {
		t.Errorf("the server was not looked at:\n%s", out)
	}
}
