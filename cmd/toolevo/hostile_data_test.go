package main

import (
	"path/filepath"
	"testing"
)

// TestHostileRotOfData flips one bit in a data folder, anywhere in its corpora, indexes, questions
// and checksums: `data verify` finds it. So does a run over the data, or it makes the same rows.
func TestHostileRotOfData(t *testing.T) {
	t.Parallel()
	whole := t.TempDir()
	made(t, "data", "build", "--data", whole, "--dataset", "coffee,agenda", "--rows", "400")
	made(t, "data", "questions", "--data", whole, "--dataset", "coffee,agenda", "--scale", "0.02")
	rotOfData(t, whole, "--difficulty", "easy", "--dataset", "coffee,agenda")
}

// TestHostileRotOfToolBench does so with imported queries.
func TestHostileRotOfToolBench(t *testing.T) {
	t.Parallel()
	whole := t.TempDir()
	made(t, "toolbench", "import", inventedQueries, "--data", whole, "--split", "train")
	rotOfData(t, whole, "--set", "suite=toolbench")
}

// TestHostileRotOfTasks does so with generated tasks and their books.
func TestHostileRotOfTasks(t *testing.T) {
	t.Parallel()
	whole := t.TempDir()
	made(t, "tasks", "generate", "--data", whole, "--n", "3")
	rotOfData(t, whole, "--set", "suite=stategen")
}

// rotOfData flips bits in copies of a data folder, and collects over each as the flags say.
func rotOfData(t *testing.T, whole string, flags ...string) {
	t.Helper()
	random := campaignRandom(t)
	made(t, "data", "verify", "--data", whole)

	run := func(data, out string) result {
		return cli(t, append([]string{"collect", "--data", data, "--out", out, "--split", "train",
			"--limit", "2", "--trees", "2", "--run-id", "rot"}, flags...)...)
	}

	sound := filepath.Join(t.TempDir(), "run")
	if r := run(whole, sound); r.code != exitDone {
		t.Fatalf("the undamaged data: exit %d\n%s", r.code, r.err)
	}

	want := rowsOf(t, sound)
	refused, harmless := 0, 0

	for range rounds(6, 400) {
		dir := t.TempDir()
		data, out := filepath.Join(dir, "data"), filepath.Join(dir, "run")
		copyFolder(t, whole, data)
		where := flipBit(t, random, data)

		if r := cli(t, "data", "verify", "--data", data); r.code != exitBad {
			t.Errorf("%s: data verify ends with exit %d\n%s%s", where, r.code, r.out, r.err)
		}

		if r := run(data, out); r.code != exitDone {
			refused++
			continue
		}
		harmless++

		if got := rowsOf(t, out); got != want {
			t.Errorf("%s: a run over it ends well, with other rows", where)
		}
	}

	t.Logf("%d flips refused by a run, %d in what it does not read", refused, harmless)
}
