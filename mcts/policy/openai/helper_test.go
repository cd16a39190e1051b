package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"toolevo/mcts/policy/internal/wiretest"
	"toolevo/mcts/policy/server"
)

// backend is a backend on the fake server, changed by the functions.
func backend(t testing.TB, f *wiretest.Server, change ...func(*Options)) *Backend {
	t.Helper()

	opts := Options{Endpoint: server.Endpoint{URL: f.URL + "/v1", Model: "m"}, Extensions: true}
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

// fields decodes a JSON object, and fails on a key that stands in it twice: servers differ in which
// one they take.
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

func ptr[T any](v T) *T { return &v }
