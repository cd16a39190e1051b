package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"toolevo/envs"
	"toolevo/finetune/stored"
	"toolevo/mcts/store"
)

// forget makes a log say that no tree of a run's first question has a right answer, in a way that
// nothing but the comparison with the run's rows can find.
func forget(t *testing.T, dir string) {
	t.Helper()

	ctx := context.Background()

	run, err := store.ResumeRun(ctx, dir, func(_ context.Context, run *store.Run) (store.Manifest, string, error) {
		m := run.Manifest
		m.Data = m.DataFolder(dir)
		return m, run.Config, nil
	})
	if err != nil {
		t.Fatal(err)
	}

	questions, err := stored.Questions(ctx, run)
	if err != nil {
		t.Fatal(err)
	}

	indices, err := run.TreeIndices(ctx, questions[0].ID)
	for _, i := range indices {
		tree, _, loadErr := run.LoadTree(ctx, questions[0].ID, i)
		if loadErr != nil {
			t.Fatal(loadErr)
		}

		for n := range tree.Nodes {
			if tree.Nodes[n].Outcome == envs.Correct {
				tree.Nodes[n].Outcome = envs.Incorrect
			}
		}

		err = errors.Join(err, run.SaveTree(ctx, tree))
	}

	if err := errors.Join(err, run.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestAGoodFileOfRowsStays holds that no resume replaces the rows that a run ended with by others,
// and that rows which were damaged are had again from the log.
func TestAGoodFileOfRowsStays(t *testing.T) {
	t.Parallel()
	whole := read(t, filepath.Join(smallRun(t), rowsFile))

	flip := func(t *testing.T, dir string) {
		damaged := bytes.Clone(whole)

		damaged[len(damaged)/3] ^= 4
		if err := os.WriteFile(filepath.Join(dir, rowsFile), damaged, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct {
		spoil func(t *testing.T, dir string)
		args  []string
		code  int
		words []string
	}{
		"nothing": {func(*testing.T, string) {}, nil, exitDone, nil},
		"the log": {forget, nil, exitBad,
			[]string{"is what the run ended with", "damaged", "Neither was changed"}},
		"the log of an extended run": {forget, []string{"--limit", "4"}, exitBad,
			[]string{"is what the run ended with", "damaged"}},
		"the file": {flip, nil, exitDone,
			[]string{"changed after the run ended", "rewriting it from the log"}},
		"the file, which is not even": {func(t *testing.T, dir string) { _ = os.Remove(filepath.Join(dir, rowsFile)) },
			nil, exitDone, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := filepath.Join(t.TempDir(), "run")
			copyFolder(t, smallRun(t), run)
			test.spoil(t, run)

			r := cli(t, append([]string{"collect", "--resume", "--out", run, "--data", smallData(t)}, test.args...)...)
			if r.code != test.code {
				t.Errorf("exit %d, want %d: %s", r.code, test.code, r.err)
			}

			says(t, "collect --resume", r.err, test.words...)

			if !bytes.Equal(whole, read(t, filepath.Join(run, rowsFile))) {
				t.Error("the rows are not those that the run ended with")
			}
		})
	}

	run := filepath.Join(t.TempDir(), "run")
	copyFolder(t, smallRun(t), run)
	flip(t, run)
	fails(t, exitBad, []string{rowsFile, "damaged", "collect --resume --out " + run}, "export",
		"--allow-scripted", run, "--out", filepath.Join(t.TempDir(), "export"))
}

// TestARunWithoutItsDatabase holds that a finished run whose database is gone or empty makes no
// call and gives no samples.
func TestARunWithoutItsDatabase(t *testing.T) {
	t.Parallel()

	for name, spoil := range map[string]func(path string) error{
		"gone":  os.Remove,
		"empty": func(path string) error { return os.Truncate(path, 0) },
	} {
		run := filepath.Join(t.TempDir(), "run")
		copyFolder(t, smallRun(t), run)

		if err := spoil(filepath.Join(run, "run.db")); err != nil {
			t.Fatal(err)
		}

		before := folder(t, run)
		out := filepath.Join(t.TempDir(), "export")
		words := []string{"damaged", "run.db", "from a backup"}
		fails(t, exitBad, words, "collect", "--resume", "--out", run, "--data", smallData(t))
		fails(t, exitBad, words, "export", "--allow-scripted", "--partial", run, "--out", out)
		fails(t, exitBad, words, "check", run)

		if len(files(t, out)) > 0 || len(before) != len(folder(t, run)) {
			t.Errorf("%s: something was written: %v, %v", name, files(t, out), files(t, run))
		}
	}
}

// TestAFolderThatWasDeleted holds that nobody is told of things kept that are gone.
func TestAFolderThatWasDeleted(t *testing.T) {
	t.Parallel()
	run := filepath.Join(t.TempDir(), "run")

	p := start(t, grown("paper", "--data", smallData(t), "--workers", "1", "--out", run)...)
	if !p.until(t, run, 5) {
		t.Fatalf("it ended too soon: exit %d\n%s", p.wait(), p.err)
	}

	// It is gone at once, though the program writes into it.
	if err := os.Rename(run, run+"-gone"); err != nil {
		t.Fatal(err)
	}

	if code := p.wait(); code != exitGaveUp {
		t.Errorf("exit %d", code)
	}

	words := p.err.String()
	says(t, "collect", words, run+" was removed", "nothing to continue")

	if bytes.Contains([]byte(words), []byte("kept")) {
		t.Errorf("something is said to be kept:\n%s", words)
	}
}

// TestAnExportWithABrokenManifest holds that it is called that.
func TestAnExportWithABrokenManifest(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "export")
	must(t, "export", "--allow-scripted", smallRun(t), "--out", out)

	if err := os.Truncate(filepath.Join(out, "manifest.json"), 100); err != nil {
		t.Fatal(err)
	}

	fails(t, exitBad, []string{"read manifest of", "write it again"}, "check", out)
}
