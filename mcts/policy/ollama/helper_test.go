package ollama

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"toolevo/mcts/policy/internal/wiretest"
	"toolevo/mcts/policy/server"
)

// handler answers a request with its body.
type handler func(w http.ResponseWriter, r *http.Request, body map[string]any)

// serve starts a server that answers every request with the handler.
func serve(t testing.TB, handle handler) *wiretest.Server {
	t.Helper()
	return wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}

		handle(w, r, decoded(t, text))
	})
}

// decoded is a request's body, nil when it has none.
func decoded(t testing.TB, text []byte) (body map[string]any) {
	t.Helper()

	if len(text) == 0 {
		return nil
	}

	if err := json.Unmarshal(text, &body); err != nil {
		t.Errorf("%q: %v", text, err)
	}
	return body
}

// backend is a backend on the fake server, changed by the functions.
func backend(t testing.TB, f *wiretest.Server, change ...func(*Options)) *Backend {
	t.Helper()

	opts := Options{Endpoint: server.Endpoint{URL: f.URL, Model: "m"}, Window: 256}
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

// askLong asks with a prompt that can fill the window.
func askLong(n int) server.Completion {
	c := ask(n)
	c.Prompt = strings.Repeat("word ", 60)
	return c
}
