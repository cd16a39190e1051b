package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

	slices.SortFunc(all, func(a, b rundir.Run) int { return strings.Compare(a.Dir, b.Dir) })

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

	says(t, "runs", must(t, "runs", folder, "--wide"), "running", " 4/4 ", fmt.Sprintf(" %d accepted", c.Accepted), run,
		"finished", evaluation, "scripted:reader", " p_c 100%, p_s_in 100%")

	text := must(t, "runs", folder)
	says(t, "runs", text, "running", "finished", run, evaluation)

	if err := release(); err != nil {
		t.Fatal(err)
	}

	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// An evaluation at 0 to 100 % says so version by version, and runs of an ablation stand below it,
// under names that inspect takes.
func TestRunsOfAnExperiment(t *testing.T) {
	t.Parallel()
	data, folder := smallData(t), t.TempDir()
	study, drifted := filepath.Join(folder, "study"), filepath.Join(folder, "drifted")

	must(t, "ablate", "--data", data, "--limit", "1", "--vary", "environment.update_tool=true,false", "--out", study,
		"--policy", "scripted:reader", "--progress", "none")
	must(t, "eval", "--data", data, "--limit", "2", "--api", "p_c,p_s_ood", "--policy",
		"scripted:stale,scripted:reader", "--out", drifted, "--progress", "none")

	all := document[runList](t, must(t, "runs", folder, "--sort", "run", "--json")).Runs
	if len(all) != 4 || all[1].Kind != "ablate" || all[1].State != rundir.Finished || all[1].Progress.Done != 2 ||
		all[2].Parent != study || all[3].Parent != study || all[1].Policy != "scripted:reader" {
		t.Fatalf("%+v", all)
	}

	says(t, "inspect", must(t, "inspect", all[2].Name), all[2].ID)
	says(t, "runs", must(t, "runs", folder, "--where", "run=drifted", "--wide"), "p_c 100%, p_s_ood 0–100%")
	fails(t, exitUsage, []string{"colour", "started"}, "runs", folder, "--sort", "colour")
}

// Folders without runs are no error, those that are not there are, but for the one that nobody
// named.
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
