package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/finetune"
)

// fragilePython makes a Python whose programs fail to start while the file broken exists. An engine asks an interpreter
// for its real executable once, and runs programs with that; so there are two scripts, and the first names the second.
func fragilePython(t *testing.T) (python, broken string) {
	t.Helper()
	real, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	python, broken = filepath.Join(dir, "python"), filepath.Join(dir, "broken")
	runs := filepath.Join(dir, "runs")
	answer := fmt.Sprintf(`#!/bin/sh
'%s' "$@" | sed 's|"executable": "[^"]*"|"executable": "%s"|'
`, real, runs)
	run := fmt.Sprintf(`#!/bin/sh
if [ -e '%s' ]; then echo out of order >&2; exit 1; fi
exec '%s' "$@"
`, broken, real)
	err = errors.Join(os.WriteFile(python, []byte(answer), 0o755), os.WriteFile(runs, []byte(run), 0o755))
	if err != nil {
		t.Fatal(err)
	}
	return python, broken
}

// TestOurFailuresAreNotResults breaks Python in a collection and in an evaluation: trees are left unresolved and
// questions are lost, the exit code is 3, and going on later gives what an undisturbed run gives.
func TestOurFailuresAreNotResults(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), t.TempDir()
	python, broken := fragilePython(t)
	collect := func(run string, more ...string) []string {
		return append([]string{"collect", "--data", data, "--policy", "scripted:reader", "--limit", "8", "--trees", "2", "--preset", "paper",
			"--set", "search.simulations=4", "--set", "attempts=1", "--set", "python.executable=" + python, "--out", filepath.Join(dir, run)}, more...)
	}
	must(t, collect("whole")...)
	if err := os.WriteFile(broken, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	r := cli(t, collect("disturbed")...)
	if r.code != exitGaveUp || r.out != "" {
		t.Fatalf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	says(t, "collect", r.err, "unresolved", "ended before the program began", "out of order", "--resume --out "+filepath.Join(dir, "disturbed"))
	if left := read(t, filepath.Join(dir, "disturbed", rowsFile)); string(left) == string(read(t, filepath.Join(dir, "whole", rowsFile))) {
		t.Error("no trajectory is missing though trees are: the test shows nothing")
	}
	says(t, "check", cli(t, "check", filepath.Join(dir, "disturbed"), "--data", data).err, "trees are missing")

	eval := []string{"eval", "--data", data, "--split", "train", "--limit", "8", "--difficulty", "easy", "--policy", "scripted:reader", "--api", "p_c",
		"--set", "attempts=1", "--set", "python.executable=" + python, "--out", filepath.Join(dir, "eval"), "--json"}
	lost := cli(t, eval...)
	report := document[finetune.Report](t, lost.out)
	if lost.code != exitGaveUp || report.Rows[0].Lost == 0 || report.Rows[0].N == 0 || report.Rows[0].Official != 1 {
		t.Errorf("eval: exit %d, %+v", lost.code, report.Rows)
	}
	says(t, "eval", lost.err, "lost", "out of order")

	if err := os.Remove(broken); err != nil {
		t.Fatal(err)
	}
	must(t, collect("disturbed", "--resume")...)
	if string(read(t, filepath.Join(dir, "whole", rowsFile))) != string(read(t, filepath.Join(dir, "disturbed", rowsFile))) {
		t.Error("a run that was disturbed gives other trajectories")
	}
	must(t, "check", filepath.Join(dir, "disturbed"), "--data", data)
	again := document[finetune.Report](t, must(t, append(eval, "--resume")...))
	if again.Rows[0].Lost != 0 || again.Rows[0].N != 8 || again.Rows[0].Official != 1 {
		t.Errorf("eval --resume: %+v", again.Rows)
	}
}

func TestNoPython(t *testing.T) {
	r := cli(t, "collect", "--data", smallData(t), "--set", "python.executable=no-such-python", "--out", filepath.Join(t.TempDir(), "run"))
	if r.code != exitGaveUp || !strings.Contains(r.err, "no-such-python") || !strings.Contains(r.err, "install Python") {
		t.Errorf("exit %d\n%s", r.code, r.err)
	}
}
