package ollama_test

import (
	"testing"

	"toolevo/mcts/policy/ollama"
	"toolevo/mcts/policy/server"
)

func TestGivesLogProbs(t *testing.T) {
	for version, want := range map[string]bool{
		"0.12.11": true, "0.12.12": true, "0.13.0": true, "0.17.4": true, "1.0.0": true, "0.12.11-rc1": true,
		"0.12.10": false, "0.9.6": false, "0.0.0": false, "": false, "v0.17.4": false, "main": false, "0.17": false,
	} {
		if got := ollama.GivesLogProbs(version); got != want {
			t.Errorf("%q: %v, want %v", version, got, want)
		}
	}
}

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
