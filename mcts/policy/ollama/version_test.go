package ollama_test

import (
	"testing"

	"toolevo/mcts/policy/ollama"
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
