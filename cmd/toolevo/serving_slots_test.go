package main

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"toolevo/mcts/policy/simserver"
)

// TestSameTreesWithAPromptPerSlot collects from servers that keep one prompt in each of six slots,
// and from ones that have a prefix cache: what is in the slots changes how much is read, and no
// tree.
func TestSameTreesWithAPromptPerSlot(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), t.TempDir()

	speaks := map[string]simserver.Kind{kindOpenAI: simserver.VLLM, kindOllama: simserver.Ollama}
	for _, kind := range []string{kindOpenAI, kindOllama} {
		rows, tokens := map[bool][]byte{}, map[bool]int{}
		for _, perSlot := range []bool{false, true} {
			s := serve(t, simserver.Options{
				Kind:          speaks[kind],
				Slots:         6,
				PromptPerSlot: perSlot,
				Latency:       simserver.Latency{PrefillPerSecond: 1e6, PerCompletion: time.Millisecond},
			})
			out := filepath.Join(dir, kind+"-"+map[bool]string{false: "shared", true: "slots"}[perSlot])

			must(t, "collect", "--data", data, "--policy", kind+":sim", "--server", s.URL(),
				"--limit", "4", "--trees", "1", "--preset", "paper", "--set", "search.simulations=2",
				"--set", "server.window=32768", "--run-id", "slots", "--engine", "unsafe", "--out", out)

			rows[perSlot] = read(t, filepath.Join(out, rowsFile))
			tokens[perSlot] = s.Stats().PromptTokensRead
		}

		if !bytes.Equal(rows[true], rows[false]) {
			t.Errorf("%s: the trajectories differ", kind)
		}

		if tokens[true] <= tokens[false] {
			t.Errorf("%s: %d tokens were read with a prompt per slot, %d with a prefix cache", kind,
				tokens[true], tokens[false])
		}
	}
}
