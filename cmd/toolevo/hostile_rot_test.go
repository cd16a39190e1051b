package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"

	"toolevo/trajectories"
	"toolevo/trajectories/export"
)

// TestHostileRotOfFinishedRuns flips one bit in a finished run, anywhere: `check` finds it, or it
// has no effect on any row.
func TestHostileRotOfFinishedRuns(t *testing.T) {
	t.Parallel()
	random := campaignRandom(t)
	whole := uninterrupted["efficient"](t)
	want := must(t, "export", "--allow-scripted", whole,
		"--out", filepath.Join(t.TempDir(), "export"), "--json")
	rows := rowsOf(t, whole)
	detected, harmless := 0, 0

	for range rounds(6, 200) {
		dir := t.TempDir()
		run := filepath.Join(dir, "run")
		copyFolder(t, whole, run)
		where := flipBit(t, random, run)

		if r := cli(t, "check", run, "--data", smallData(t)); r.code != exitDone {
			detected++
			continue
		}

		harmless++

		r := cli(t, "export", "--allow-scripted", run, "--data", smallData(t),
			"--out", filepath.Join(dir, "export"), "--json")
		if r.code != exitDone || r.out != want || rowsOf(t, run) != rows {
			t.Errorf("%s: check says all is well, yet the export differs (exit %d)\n%s", where, r.code, r.err)
		}
	}

	t.Logf("%d flips found by check, %d without effect", detected, harmless)
}

// TestHostileRotOfUnfinishedRuns flips one bit in a run that was killed: going on with it is
// refused, or ends with the rows of a run that nothing disturbed.
func TestHostileRotOfUnfinishedRuns(t *testing.T) {
	t.Parallel()
	random := campaignRandom(t)
	whole := uninterrupted["efficient"](t)
	want := read(t, filepath.Join(whole, rowsFile))
	half := filepath.Join(t.TempDir(), "half")
	args := grown("efficient", "--data", smallData(t), "--workers", "2")

	p := start(t, append(args, "--out", half)...)
	if !p.until(t, half, logged(t, whole)/2) {
		t.Fatalf("it ended too soon: exit %d\n%s", p.wait(), p.err)
	}

	_ = syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
	<-p.ended

	refused, harmless := 0, 0

	for range rounds(6, 200) {
		run := filepath.Join(t.TempDir(), "run")
		copyFolder(t, half, run)
		where := flipBit(t, random, run)

		r := cli(t, append(args, "--resume", "--out", run)...)
		if r.code != exitDone {
			refused++
			continue
		}

		harmless++

		if !bytes.Equal(want, read(t, filepath.Join(run, rowsFile))) {
			t.Errorf("%s: the run ended with other rows, exit 0\n%s", where, r.err)
		}
	}

	t.Logf("%d flips refused, %d without effect", refused, harmless)
}

// rowsOf returns the rows of a run's Parquet file as text.
func rowsOf(t *testing.T, run string) string {
	t.Helper()
	var text bytes.Buffer

	for row, err := range trajectories.ReadFile(filepath.Join(run, rowsFile)) {
		if err != nil {
			return err.Error()
		}

		fmt.Fprintf(&text, "%+v\n", row)
	}
	return text.String()
}

// TestHostileRotOfExports flips one bit in an export, anywhere: `check` finds it, or every sample
// is what it was.
func TestHostileRotOfExports(t *testing.T) {
	t.Parallel()
	random := campaignRandom(t)
	whole := filepath.Join(t.TempDir(), "export")
	made(t, "export", "--allow-scripted", smallRun(t), "--data", smallData(t), "--out", whole)
	want := samplesOf(t, whole)
	detected, harmless := 0, 0

	for range rounds(20, 400) {
		dir := filepath.Join(t.TempDir(), "export")
		copyFolder(t, whole, dir)
		where := flipBit(t, random, dir)

		if r := cli(t, "check", dir); r.code != exitDone {
			detected++
			continue
		}

		harmless++

		if samplesOf(t, dir) != want {
			t.Errorf("%s: check says all is well, yet the samples differ", where)
		}
	}

	t.Logf("%d flips found by check, %d without effect", detected, harmless)
}

// samplesOf returns the samples of an export, of both data files, as text.
func samplesOf(t *testing.T, dir string) string {
	t.Helper()
	var text bytes.Buffer

	for sample, err := range export.Read(dir, false) {
		if err != nil {
			return err.Error()
		}

		fmt.Fprintf(&text, "%+q\n", fmt.Sprint(sample))
	}
	return text.String() + string(read(t, filepath.Join(dir, sftJSONL)))
}
