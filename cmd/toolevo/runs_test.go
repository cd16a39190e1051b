package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/finetune/rundir"
	"toolevo/mcts/store"
)

// runs says of a run what the commands that made it said.
func TestRuns(t *testing.T) {
	t.Parallel()
	data, folder := smallData(t), t.TempDir()
	run, evaluation := filepath.Join(folder, "collected"), filepath.Join(folder, "evaluated")

	c := document[toolevo.Collected](t, must(t, "collect", "--data", data, "--limit", "2", "--trees", "2", "--out", run,
		"--json", "--progress", "none"))
	must(t, "eval", "--data", data, "--limit", "2", "--api", "p_c,p_s_in", "--policy", "scripted:reader", "--out",
		evaluation, "--progress", "none")

	all := document[runList](t, must(t, "runs", folder, "--json")).Runs
	if len(all) != 2 {
		t.Fatalf("%+v", all)
	}

	p := all[0].Progress
	if all[0].State != rundir.Finished || all[0].ID != c.Run || p.Done != c.TreesDone || p.Total != c.TreesPlanned ||
		p.Questions != c.Questions || *p.Solved != c.Solved || *p.Correct != int64(c.Correct) || *p.Unresolved != 0 {
		t.Errorf("%+v %+v, collected %+v", all[0], p, c)
	}

	p = all[1].Progress
	if all[1].State != rundir.Finished || p.Done == 0 || p.Done != p.Total || p.Solved != nil ||
		*p.Correct != p.Done {
		t.Errorf("%+v %+v", all[1], p)
	}

	release, err := store.Lock(filepath.Join(run, "run.lock"))
	if err != nil {
		t.Fatal(err)
	}

	text := must(t, "runs", folder)
	says(t, "runs", text, "running", fmt.Sprintf(" 4/4     %d ", c.Correct), " collected\n", "finished", " evaluated\n")

	if err := release(); err != nil {
		t.Fatal(err)
	}

	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(line); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// Folders without runs are no error, those that are not there are, but for the one that nobody named.
func TestRunsOfNone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()

	r := cli(t, "runs", folder)
	if r.code != exitDone || r.out != "" {
		t.Errorf("exit %d: %s", r.code, r.out)
	}

	says(t, "runs", r.err, "No runs in "+folder)
	fails(t, exitUsage, []string{"no such file", "none"}, "runs", filepath.Join(folder, "none"))

	if all := document[runList](t, must(t, "runs", folder, "--json")); all.Runs == nil {
		t.Error("no runs are null, not an empty list")
	}

	write(t, filepath.Join(folder, "broken", store.ManifestFile), "{")

	r = cli(t, "runs", folder)
	says(t, "runs", r.out, "damaged", "broken")
	says(t, "runs", r.err, store.ManifestFile)

	if _, err := os.Stat(filepath.Join(folder, "broken", "run.lock")); err == nil {
		t.Error("looking at a run made a lock")
	}
}
