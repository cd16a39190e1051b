package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolevo/finetune"
)

// fakePython is an interpreter that does what files beside it say, for the engine unsafe: the
// others put a wall around it.
type fakePython struct{ dir string }

// firstPrograms passes on what a server of programs reads until its third program: one warms it,
// and an engine tries one when it is opened.
const firstPrograms = `
import os
programs = 0
while part := os.read(0, 1 << 20):
    programs += part.count(b"{\"code\"")
    if programs > 2:
        break
    os.write(1, part)
`

// newFakePython makes one over python3.
func newFakePython(t *testing.T) fakePython {
	t.Helper()

	real, err := exec.Command("python3", "-c", "import os, sys; print(os.path.realpath(sys.executable))").Output()
	if err != nil {
		t.Fatal(err)
	}

	p := fakePython{t.TempDir()}

	script := strings.NewReplacer("REAL", strings.TrimSpace(string(real)), "DIR", p.dir).Replace(`#!/bin/sh
case "$*" in
*"print(sys.executable)"*) echo DIR/python; exit ;;
*_base_executable*)
	version='"version"'
	if [ -e DIR/other ]; then version='"version": [3, 99, 1], "was"'; fi
	REAL "$@" | sed 's|"executable": "[^"]*"|"executable": "DIR/python"|; s|"version"|'"$version"'|'
	exit ;;
esac
if [ -e DIR/broken ]; then
	if [ -e DIR/tried ]; then echo out of order >&2; exit 1; fi
	touch DIR/tried
	REAL -c '` + firstPrograms + `' | REAL "$@"
	exit
fi
exec REAL "$@"
`)
	if err := os.WriteFile(p.path(), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}

	return p
}

func (p fakePython) path() string { return filepath.Join(p.dir, "python") }

// flags make a command use it.
func (p fakePython) flags() []string {
	return []string{"--set", "python.engine=unsafe", "--set", "python.executable=" + p.path(),
		"--python-servers", "1"}
}

// setBroken says whether the server of programs ends, and none starts again, once an engine has
// tried a program as it is opened.
func (p fakePython) setBroken(t *testing.T, broken bool) {
	t.Helper()
	os.Remove(filepath.Join(p.dir, "tried"))
	p.set(t, "broken", broken)
}

// setOther says whether it claims to be another version.
func (p fakePython) setOther(t *testing.T, other bool) { t.Helper(); p.set(t, "other", other) }

func (p fakePython) set(t *testing.T, name string, on bool) {
	t.Helper()

	path := filepath.Join(p.dir, name)
	if !on {
		os.Remove(path)
	} else if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}

	if err := os.Chtimes(p.path(), time.Time{}, time.Now()); err != nil { // as of another program
		t.Fatal(err)
	}
}

// TestOurFailuresAreNotResults breaks Python in a collection and in an evaluation: trees are left
// unresolved and questions are lost, the exit code is 3, and going on later gives what an
// undisturbed run gives.
func TestOurFailuresAreNotResults(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), t.TempDir()
	python := newFakePython(t)
	collect := func(run string, more ...string) []string {
		return append([]string{"collect", "--data", data, "--policy", "scripted:reader", "--limit", "8", "--trees", "2",
			"--preset", "paper",
			"--set", "search.simulations=4", "--set", "attempts=1", "--run-id", "disturbed", "--out",
			filepath.Join(dir, run)}, append(python.flags(), more...)...)
	}
	must(t, collect("whole")...)
	python.setBroken(t, true)

	r := cli(t, collect("disturbed")...)
	if r.code != exitGaveUp || r.out != "" {
		t.Fatalf("exit %d\n%s%s", r.code, r.out, r.err)
	}

	says(t, "collect", r.err, "unresolved", "ended when it started", "out of order", "--resume --out "+
		filepath.Join(dir, "disturbed"))

	if left := read(t, filepath.Join(dir, "disturbed", rowsFile)); string(left) == string(
		read(t, filepath.Join(dir, "whole", rowsFile))) {
		t.Error("no trajectory is missing though trees are: the test shows nothing")
	}

	says(t, "check", cli(t, "check", filepath.Join(dir, "disturbed"), "--data", data).err, "trees are missing")

	python.setBroken(t, true)
	eval := append([]string{"eval", "--data", data, "--split", "train", "--limit", "8", "--difficulty", "easy",
		"--policy", "scripted:reader", "--api", "p_c",
		"--set", "attempts=1", "--out", filepath.Join(dir, "eval"), "--json"}, python.flags()...)
	lost := cli(t, eval...)

	report := document[finetune.Report](t, lost.out)
	if lost.code != exitGaveUp || report.Rows[0].Lost == 0 || report.Rows[0].N == 0 || report.Rows[0].Official != 1 {
		t.Errorf("eval: exit %d, %+v", lost.code, report.Rows)
	}

	says(t, "eval", lost.err, "lost", "out of order")

	python.setBroken(t, false)
	must(t, collect("disturbed", "--resume")...)

	if string(read(t, filepath.Join(dir, "whole", rowsFile))) != string(
		read(t, filepath.Join(dir, "disturbed", rowsFile))) {
		t.Error("a run that was disturbed gives other trajectories")
	}

	made(t, "check", filepath.Join(dir, "disturbed"), "--data", data)

	again := document[finetune.Report](t, must(t, append(eval, "--resume")...))
	if again.Rows[0].Lost != 0 || again.Rows[0].N != 8 || again.Rows[0].Official != 1 {
		t.Errorf("eval --resume: %+v", again.Rows)
	}
}

func TestNoPython(t *testing.T) {
	t.Parallel()
	r := cli(t, "collect", "--data", smallData(t), "--set", "python.executable=no-such-python", "--out",
		filepath.Join(t.TempDir(), "run"))
	if r.code != exitGaveUp || !strings.Contains(r.err, "no-such-python") ||
		!strings.Contains(r.err, "install Python") {
		t.Errorf("exit %d\n%s", r.code, r.err)
	}
}
