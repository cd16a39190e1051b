package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"toolevo/mcts/policy/simserver"
)

// However few prompts a server keeps, the trajectories and episodes are the same; no more are drawn
// at a time than it keeps, with many workers as with one. A run may go on with another number.
func TestSlotsChangeNothing(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), t.TempDir()

	for kind, speaks := range map[string]simserver.Kind{kindOpenAI: simserver.VLLM, kindOllama: simserver.Ollama} {
		grow := []string{"collect", "--data", data, "--policy", kind + ":sim", "--limit", "2", "--trees", "2",
			"--set", "search.simulations=3", "--set", "server.window=32768", "--run-id", "slots", "--engine",
			"unsafe"}
		play := []string{"eval", "--data", data, "--policy", kind + ":sim", "--limit", "2", "--api", "p_c,p_s_in",
			"--controller", "dfsdt", "--set", "eval.calls=12", "--set", "server.window=32768", "--run-id", "played",
			"--engine", "unsafe"}

		want, calm := filepath.Join(dir, kind), calmServer(t, kind)
		undisturbed(t, append(slices.Clip(grow), "--server", calm, "--out", want)...)
		undisturbed(t, append(slices.Clip(play), "--server", calm, "--out", want+"-played")...)

		for _, slots := range []string{"1", "3"} {
			s := serve(t, simserver.Options{Kind: speaks, Slots: 16})
			few := []string{"--server", s.URL(), "--set", "server.slots=" + slots, "--out"}
			run := filepath.Join(dir, kind+slots)

			for name, args := range map[string][]string{
				run:             slices.Concat(grow, few, []string{run}),
				run + "-played": slices.Concat(play, few, []string{run + "-played"}),
			} {
				if r := cli(t, args...); r.code != exitDone {
					t.Fatalf("%v: exit %d\n%s", args, r.code, r.err)
				}

				file := rowsFile
				if name != run {
					file = "episodes.jsonl"
				}

				other := want + name[len(run):]
				if !bytes.Equal(read(t, filepath.Join(other, file)), read(t, filepath.Join(name, file))) {
					t.Errorf("%s, %s slots: %s differs", kind, slots, file)
				}
			}

			if most := s.Stats().MaxRunning; most > int(slots[0]-'0') {
				t.Errorf("%s: %d sequences at a time, of %s slots", kind, most, slots)
			}

			again := []string{"collect", "--resume", "--out", run, "--server", s.URL(), "--set", "server.slots=2",
				"--trees", "3"}
			if r := cli(t, again...); r.code != exitDone {
				t.Errorf("resumed with other slots: exit %d\n%s", r.code, r.err)
			}
		}
	}
}
