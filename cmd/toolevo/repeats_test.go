package main

import (
	"path/filepath"
	"slices"
	"testing"

	"toolevo/finetune"
	"toolevo/trajectories"
)

// Sampled episodes of a question differ, are stored apart, and are played again from the log.
func TestEvalRepeats(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), filepath.Join(t.TempDir(), "eval")
	eval := []string{"eval", "--data", data, "--split", "train", "--limit", "6", "--difficulty", "easy", "--policy",
		"scripted:noisy", "--api", "p_s_in", "--repeats", "4", "--progress", "none", "--json"}

	text := must(t, append(eval, "--out", dir)...)

	row := document[finetune.Report](t, text).Rows[0]
	if f := row.Repeats; row.N != 6 || f == nil || f.Episodes != 4 || len(f.PassAt) != 4 ||
		f.PassAt[0] != row.Official || !slices.IsSorted(f.PassAt) || f.PassAll[3] > f.PassAll[0] {
		t.Fatalf("%+v, %+v", row, row.Repeats)
	}

	if row.Tokens == 0 {
		t.Error("no tokens were counted")
	}

	keys, repeats := map[string]bool{}, map[int]int{}

	for e, err := range trajectories.ReadEpisodes(dir) {
		if err != nil {
			t.Fatal(err)
		}

		keys[e.QuestionID+e.Key] = true
		repeats[e.Repeat]++
	}

	if len(keys) <= 6 || len(repeats) != 4 || repeats[3] != 6 {
		t.Errorf("%d ways to act in 24 episodes, repeats %v", len(keys), repeats)
	}

	must(t, "check", dir, "--data", data)

	again := filepath.Join(t.TempDir(), "eval")
	if other := must(t, append(eval, "--out", again)...); other != text {
		t.Errorf("the same seed reports otherwise:\n%s\nand before\n%s", other, text)
	}

	says(t, "eval compare", must(t, "eval", "compare", dir), "pass@all", "episodes")
	fails(t, exitUsage, []string{"eval.repeats", "at least 1"}, append(eval, "--repeats", "0")...)
}
