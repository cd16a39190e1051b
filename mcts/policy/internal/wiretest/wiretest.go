// Package wiretest helps the tests of the backends: a server on this machine that remembers what it
// received.
package wiretest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"toolevo/mcts/policy/server"
)

// Request is what a server received.
type Request struct {
	Path   string
	Query  string
	Header http.Header
	Body   []byte
}

// Server answers every request with one handler, and remembers what it received.
type Server struct {
	*httptest.Server
	mu       sync.Mutex
	requests []Request
}

// Serve starts a server that runs until the test ends. The handler can read the request's body.
func Serve(t testing.TB, handler http.HandlerFunc) *Server {
	t.Helper()

	s := &Server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body) // to the end, so that the server notices a client that goes away
		if err != nil {
			return
		}

		s.mu.Lock()
		s.requests = append(s.requests, Request{r.URL.Path, r.URL.RawQuery, r.Header.Clone(), body})
		s.mu.Unlock()

		r.Body = io.NopCloser(bytes.NewReader(body))
		handler(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// Received returns the requests so far, in the order they came in.
func (s *Server) Received() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Answers is a handler with one answer. The headers are names and values in turn.
func Answers(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}

		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Reset is a handler that ends the connection without an answer.
func Reset(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// CutShort is a handler that ends the connection in the middle of the answer.
func CutShort(begins string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, begins)
	}
}

// Hang is a handler that answers nothing until the client goes away, and reports when it begins and
// ends.
func Hang(begun, ended chan<- struct{}) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}

		<-r.Context().Done()

		ended <- struct{}{}
	}
}

// FaultOf returns the fault that an error wraps; without one the test fails.
func FaultOf(t testing.TB, err error) *server.Fault {
	t.Helper()

	var f *server.Fault
	if !errors.As(err, &f) {
		t.Fatalf("error %v (%T), want a fault", err, err)
	}
	return f
}
