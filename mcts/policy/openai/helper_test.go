package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
	body   []byte
}

// fake answers every request with the handler, and remembers what it received.
type fake struct {
	*httptest.Server
	mu       sync.Mutex
	requests []request
}

func newFake(t testing.TB, handler http.HandlerFunc) *fake {
	t.Helper()
	f := &fake{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		f.mu.Lock()
		f.requests = append(f.requests, request{r.URL.Path, r.Header.Clone(), body})
		f.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler(w, r)
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
func answers(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
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
	opts := Options{BaseURL: f.URL + "/v1", Model: "m", Extensions: true}
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

func sampling() server.Sampling {
	return server.Sampling{
		Temperature: 0.5, TopP: 0.9, TopK: 20, MinP: 0.05, FrequencyPenalty: 1.2, PresencePenalty: -0.5,
		RepetitionPenalty: 1.1, MaxTokens: 64, Stop: []string{"\nObservation"},
	}
}

func ask(n int) server.Completion {
	return server.Completion{Prompt: "Question: <|x|> & é\n", N: n, Seed: 7, Sampling: sampling()}
}

// fields decodes a JSON object, and fails on a key that stands in it twice: servers differ in which one they take.
func fields(t *testing.T, body []byte) map[string]any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		t.Fatalf("not an object: %s", body)
	}
	out := map[string]any{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprint(key)
		if _, twice := out[name]; twice {
			t.Fatalf("%s stands twice in %s", name, body)
		}
		var value any
		if err := dec.Decode(&value); err != nil {
			t.Fatal(err)
		}
		out[name] = value
	}
	return out
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

func ptr[T any](v T) *T { return &v }
