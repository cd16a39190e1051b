package main

import (
	"path/filepath"
	"testing"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs"
	"toolevo/trajectories"
)

// historyOf is the history that a row tells.
func historyOf(r *trajectories.Row) envs.History {
	h := envs.NewHistory(envs.Task{ID: r.QuestionID, Question: r.Question})
	for _, t := range r.Turns {
		h = h.Append(envs.Turn{Action: envs.Action(t.Action), Observation: t.Observation})
	}
	return h
}

// A run counts what an export of it would take. With a bound on the length it goes on where it had
// enough of longer ones, and `check` grows the same trees.
func TestEnoughIsWhatTheExportTakes(t *testing.T) {
	t.Parallel()
	type result = toolevo.Collected
	collect := func(name string, flags ...string) (result, string) {
		dir := filepath.Join(t.TempDir(), name)
		args := append([]string{"collect", "--data", smallData(t), "--limit", "3", "--out", dir, "--json", "--progress",
			"none"}, flags...)
		return document[result](t, must(t, args...)), dir
	}
	free, _ := collect("free")

	bound, dir := collect("bound", "--set", "training.cutoff=1460")
	if int(bound.Accepted) >= bound.Correct || bound.Asked <= free.Asked || free.Accepted == 0 || bound.Accepted == 0 {
		t.Errorf("without a bound %+v, with one %+v: want some trajectories that do not count, and more calls", free,
			bound)
	}

	must(t, "check", dir)
	fails(t, exitUsage, []string{"training.tokenizer", "nowhere.json"}, "collect", "--data", smallData(t), "--set",
		"training.tokenizer=nowhere.json",
		"--out", filepath.Join(t.TempDir(), "x"))
}
