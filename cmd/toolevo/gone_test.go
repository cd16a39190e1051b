package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolevo/mcts/policy/simserver"
)

// A server that dies and stays away stops the run when patience is over, at once for all trees, and
// says how to go on; what was there is kept, and going on with another server makes the run that
// nothing disturbed.
func TestServerGoneForGood(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), t.TempDir()
	calm, cut := filepath.Join(dir, "calm"), filepath.Join(dir, "cut")
	args := []string{"collect", "--data", data, "--trees", "1", "--preset", "paper", "--set", "search.simulations=3",
		"--run-id", "gone", "--engine", "unsafe"}
	undisturbed(t, onURL(calmServer(t, kindOpenAI), append(args, "--out", calm)...)...)

	s := serve(t, simserver.Options{Faults: simserver.Faults{Script: append(
		slices.Repeat([]simserver.Fault{simserver.None}, 40), simserver.Die)}})

	r := fails(t, exitGaveUp, []string{"has not answered since", "longer than the patience of 1s",
		"Everything so far is kept", "collect --resume --out " + cut},
		onServer(s, append(args, "--patience", "1s", "--out", cut)...)...)
	if strings.Contains(r.err, "unresolved") || strings.Contains(r.err, "easy-coffee") {
		t.Errorf("it speaks of single trees:\n%s", r.err)
	}

	if n := logged(t, cut); n < 35 || n >= logged(t, calm) {
		t.Errorf("%d calls are in the log of %d, and about 40 were answered", n, logged(t, calm))
	}

	if err := s.Revive(); err != nil {
		t.Fatal(err)
	}

	must(t, onServer(s, append(args, "--resume", "--out", cut)...)...)

	if string(read(t, filepath.Join(calm, rowsFile))) != string(read(t, filepath.Join(cut, rowsFile))) {
		t.Error("the trajectories differ")
	}

	if got, want := logged(t, cut), logged(t, calm); got != want {
		t.Errorf("%d calls in the log, want %d", got, want)
	}
}
