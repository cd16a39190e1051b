package ollama_test

import (
	"testing"

	"toolevo/mcts/policy/ollama"
	"toolevo/mcts/policy/server"
)

// "llama3" and "llama3:latest" are one model.
func TestServes(t *testing.T) {
	for _, test := range []struct {
		asked, name string
		want        bool
	}{
		{"llama3", "llama3", true}, {"llama3", "llama3:latest", true}, {"llama3:latest", "llama3", true},
		{"llama3:8b", "llama3:8b", true}, {"llama3:8b", "llama3", false}, {"llama3", "llama3:70b", false},
		{"host:5000/a/m", "host:5000/a/m:latest", true}, {"llama3", "llama2", false},
	} {
		b, err := ollama.New(ollama.Options{Endpoint: server.Endpoint{Model: test.asked}, Window: 1})
		if err != nil {
			t.Fatal(err)
		}

		if got, err := b.Serves(t.Context(), test.name); got != test.want || err != nil {
			t.Errorf("asked for %s, answered as %s: %v, %v", test.asked, test.name, got, err)
		}
	}
}
