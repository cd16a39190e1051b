package ollama

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"toolevo/mcts/policy/server"
)

// request is what a fake server received.
type request struct {
	path   string
	header http.Header
	body   map[string]any
}

// fake answers every request with the handler, and remembers what it received.
type fake struct {
	*httptest.Server
	mu       sync.Mutex
	requests []request
}

type handler func(w http.ResponseWriter, r *http.Request, body map[string]any)

func newFake(t testing.TB, handle handler) *fake {
	t.Helper()
	f := &fake{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil && !errors.Is(err, io.EOF) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		io.Copy(io.Discard, r.Body) // to the end, so that the server notices a client that goes away
		f.mu.Lock()
		f.requests = append(f.requests, request{r.URL.Path, r.Header.Clone(), body})
		f.mu.Unlock()
		handle(w, r, body)
	}))
	t.Cleanup(f.Close)
	return f
}

func (f *fake) received() []request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requests
}

// answers is a handler with one answer.
func answers(status int, body string, headers ...string) handler {
	return func(w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// backend is a backend on the fake server, changed by the functions.
func backend(t testing.TB, f *fake, change ...func(*Options)) *Backend {
	t.Helper()
	opts := Options{Host: f.URL, Model: "m", Window: 256}
	for _, c := range change {
		c(&opts)
	}
	b, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

func ask(n int) server.Completion {
	return server.Completion{Prompt: "Question: <|x|>\n", N: n, Seed: 7, Sampling: server.Sampling{
		Temperature: 0.5, TopP: 0.9, TopK: 20, MinP: 0.05, FrequencyPenalty: 1.2, PresencePenalty: -0.5,
		RepetitionPenalty: 1.1, MaxTokens: 64, Stop: []string{"\nObservation"},
	}}
}

// faultOf wants a fault.
func faultOf(t *testing.T, err error) *server.Fault {
	t.Helper()
	var f *server.Fault
	if !errors.As(err, &f) {
		t.Fatalf("error %v (%T), want a fault", err, err)
	}
	return f
}
