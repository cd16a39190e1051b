package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolevo/finetune/stored"
	"toolevo/mcts/store"
	"toolevo/toolqa"
	"toolevo/toolqa/questions"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
)

// The samples of an export of the default format as JSONL.
var sftJSONL = export.SFTTrajectory.Dataset() + ".jsonl"

// TestExportTakesTrainingQuestionsOnly exports runs on the train and the test split: what is not
// named is not taken, what is named is marked, and what is asked in both is taken from neither.
func TestExportTakesTrainingQuestionsOnly(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	collection(t, "--data", data, "--split", "test", "--limit", "2", "--trees", "2", "--out", in("tested"))

	// Test questions are exported when they are asked for, only then, and under their name.
	r := cli(t, "export", "--allow-scripted", in("tested"), "--data", data, "--out", in("none"))
	if r.code != exitBad {
		t.Errorf("an export of a run on test questions: exit %d", r.code)
	}

	says(t, "export", r.out+r.err, "0 samples of 0 train questions", "of another split than train",
		"no sample is left")

	m := document[export.Manifest](t, must(t, "export", "--allow-scripted", in("tested"),
		"--data", data, "--split", "test", "--out", in("named"), "--json"))
	if e := m.Selected.Elsewhere; m.Rows == 0 || m.Selection.Split != "test" || e.Skipped || e.Questions == 0 ||
		len(e.Refused) > 0 {
		t.Errorf("%+v", m)
	}

	says(t, "manifest", string(read(t, filepath.Join(in("named"), export.ManifestFile))), `"split": "test"`)

	// Its own split is no other one, whatever --split says.
	linted := must(t, "export", in("named"), "--lint", "--data", data)
	says(t, "lint", linted, "0 faulty, 0 problems")

	// A data folder whose test split asks what the run was trained on.
	run := smallRun(t)
	all := document[export.Manifest](t, must(t, "export", "--allow-scripted", run, "--data", data,
		"--out", in("all"), "--json"))
	leaked := leakyData(t, data, in("leaky"), run)

	r = cli(t, "export", "--allow-scripted", run, "--data", in("leaky"), "--out", in("clean"))
	if r.code != exitDone {
		t.Fatalf("exit %d: %s", r.code, r.err)
	}

	says(t, "export", r.out, "refused "+leaked+", which is also in test: leak", "asked in another split, too")

	clean, err := export.ReadManifest(in("clean"))
	if err != nil {
		t.Fatal(err)
	}

	if e := clean.Selected.Elsewhere; clean.Questions != all.Questions-1 || len(e.Refused) != 1 ||
		e.Refused[0].QuestionID != leaked {
		t.Errorf("%d questions, %d without the leak; %+v", clean.Questions, all.Questions, e)
	}

	if strings.Contains(string(read(t, filepath.Join(in("clean"), export.LineageFile))), leaked) {
		t.Errorf("%s is exported", leaked)
	}

	// Without the data folder it says that it did not look, and so does the manifest.
	r = cli(t, "export", "--allow-scripted", run, "--data", in("nowhere"), "--out", in("unchecked"))
	says(t, "export", r.err, "was not checked", "--data")

	if m, err := export.ReadManifest(in("unchecked")); err != nil || r.code != exitDone ||
		!m.Selected.Elsewhere.Skipped || m.Rows != all.Rows {
		t.Errorf("exit %d, %+v, %v", r.code, m, err)
	}
}

// leakyData copies the questions of a data folder, with one that a run has trajectories of among
// the test questions, and returns that one's name.
func leakyData(t *testing.T, data, dir, run string) (id string) {
	t.Helper()

	if err := os.CopyFS(filepath.Join(dir, "questions"), os.DirFS(filepath.Join(data, "questions"))); err != nil {
		t.Fatal(err)
	}

	for row, err := range trajectories.ReadFile(filepath.Join(run, rowsFile)) {
		if err != nil {
			t.Fatal(err)
		}

		difficulty := toolqa.Difficulty(row.Labels["difficulty"])

		ours, err := questions.Read(data, toolqa.Coffee, difficulty, toolqa.Train)
		if err != nil {
			t.Fatal(err)
		}

		tests, err := questions.Read(data, toolqa.Coffee, difficulty, toolqa.Test)
		if err != nil {
			t.Fatal(err)
		}

		i := slices.IndexFunc(ours, func(q toolqa.Question) bool { return q.ID == row.QuestionID })
		leak := ours[i]

		leak.ID, leak.Split = "leak", toolqa.Test
		if err := questions.Write(dir, append(tests, leak)); err != nil {
			t.Fatal(err)
		}
		return row.QuestionID
	}

	t.Fatal("the run has no trajectories")
	return ""
}

// The file of an unfinished run has the trajectories of the trees that were there when it was
// written: it is no result, and a partial export reads the log.
func TestExportOfARunThatGoesOn(t *testing.T) {
	t.Parallel()

	run := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(run, os.DirFS(smallRun(t))); err != nil {
		t.Fatal(err)
	}

	if err := reopened(t, run).Close(); err != nil {
		t.Fatal(err)
	}

	n, path := 0, filepath.Join(run, rowsFile)

	for row, err := range trajectories.ReadFile(path) {
		if n++; n > 1 && err == nil {
			continue
		}

		first := func(yield func(trajectories.Row, error) bool) { yield(row, err) }
		if _, err := trajectories.WriteFile(t.Context(), path, first); err != nil {
			t.Fatal(err)
		}
	}

	out := filepath.Join(t.TempDir(), "export")
	args := []string{"export", "--allow-scripted", run, "--data", smallData(t), "--out", out,
		"--per-question", "0"}

	if r := cli(t, args...); r.code != exitUsage {
		t.Errorf("exit %d\n%s", r.code, r.err)
	} else {
		says(t, "export", r.err, "is unfinished", "--partial")
	}

	must(t, append(args, "--partial")...)

	m, err := export.ReadManifest(out)
	if got := m.Rows + m.Selected.Dropped.Duplicate; err != nil || n < 2 || got != n {
		t.Errorf("%d of %d trajectories, %v", got, n, err)
	}
}

// The file of an evaluation that is being extended has the episodes that it ended with before.
func TestExportOfAnEvaluationThatGoesOn(t *testing.T) {
	t.Parallel()

	run := copyOf(t, smallEvaluation(t))
	extended(t, run)

	for _, format := range []string{"atif", "inspect"} {
		args := []string{"export", run, "--format", format, "--out",
			filepath.Join(t.TempDir(), "export")}

		fails(t, exitUsage, []string{"is unfinished", "eval --resume", "--partial"}, args...)
		must(t, append(args, "--partial")...)
	}
}

// extended notes in a run that there is more to do.
func extended(t *testing.T, dir string) {
	t.Helper()

	run, err := store.ResumeRun(t.Context(), dir,
		func(_ context.Context, run *store.Run) (store.Manifest, string, error) {
			m := run.Manifest
			finished := *m.Finished
			finished.Extended = true
			m.Data, m.Finished = m.DataFolder(dir), &finished
			return m, run.Config, nil
		})
	if err == nil {
		err = run.Close()
	}

	if err != nil {
		t.Fatal(err)
	}
}

// An unfinished run has no file of its rows to be compared with: a bit that hides a question's
// trees is noticed.
func TestPartialExportOfADamagedRun(t *testing.T) {
	t.Parallel()

	run := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(run, os.DirFS(smallRun(t))); err != nil {
		t.Fatal(err)
	}

	v, err := stored.Open(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}

	name := []byte(v.Questions[0].ID)
	if err := errors.Join(v.Close(), reopened(t, run).Close(),
		os.Remove(filepath.Join(run, rowsFile))); err != nil {
		t.Fatal(err)
	}

	partial := func() result {
		return cli(t, "export", "--allow-scripted", run, "--partial", "--data", smallData(t),
			"--out", filepath.Join(t.TempDir(), "export"))
	}
	if r := partial(); r.code != exitDone {
		t.Fatalf("exit %d\n%s", r.code, r.err)
	}

	database := filepath.Join(run, "run.db")
	whole := read(t, database)

	flips := 0
	for at := bytes.Index(whole, name); at >= 0 && flips < 10; flips++ {
		flipped := bytes.Clone(whole)

		flipped[at] ^= 1
		if err := os.WriteFile(database, flipped, 0o600); err != nil {
			t.Fatal(err)
		}

		if r := partial(); r.code != exitBad || !strings.Contains(r.err, "damaged") {
			t.Errorf("with byte %d of run.db flipped: exit %d\n%s", at, r.code, r.err)
		}

		next := bytes.Index(whole[at+1:], name)
		if next < 0 {
			break
		}

		at += 1 + next
	}

	if flips == 0 {
		t.Error("the name of the question is not in the database: the test shows nothing")
	}
}

// Every format is made of one run, for both trainers, and checked as if another program had written
// it.
func TestExportFormats(t *testing.T) {
	t.Parallel()
	run, dir := smallRun(t), t.TempDir()

	for _, format := range export.Formats() {
		for _, trainer := range export.Trainers() {
			out := filepath.Join(dir, string(format+"-"+export.Format(trainer)))
			m := document[export.Manifest](t, must(t, "export", "--allow-scripted", run,
				"--out", out, "--format", string(format), "--for", string(trainer), "--json"))

			if m.Rows == 0 || m.Format != format || m.Trainer != trainer || m.Runs[0].Suite != "toolqa" {
				t.Errorf("%s for %s: %+v", format, trainer, m)
			}

			says(t, "check", must(t, "check", out), "0 faulty, 0 problems")
		}
	}
}

// What a script wrote is exported only where that is allowed, and is said in the summary and the
// card.
func TestScriptedSamplesAreSaid(t *testing.T) {
	t.Parallel()
	run, out := smallRun(t), filepath.Join(t.TempDir(), "export")
	fails(t, exitUsage, []string{"a script", "--allow-scripted"}, "export", run, "--out", out)

	if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s after the refusal: %v", out, err)
	}

	says(t, "export", must(t, "export", run, "--out", out, "--allow-scripted"), "scripts wrote")
	says(t, "card", string(read(t, filepath.Join(out, "README.md"))), "Scripts wrote")
}

// The linter says what is wrong with a run's trajectories or an export, with which, and exits with
// 1.
func TestExportLint(t *testing.T) {
	t.Parallel()
	data, run, dir := smallData(t), smallRun(t), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	tokenizer := filepath.FromSlash("../../trajectories/internal/bpe/testdata/llama3.json")

	alone := program(t, "export", run, "--lint")
	alone.Env = append(alone.Env, "TMPDIR="+dir)

	text, err := alone.Output()
	if err != nil {
		t.Fatalf("export --lint: %v\n%s", err, text)
	}

	says(t, "lint", string(text), "0 faulty, 0 problems")

	if found, _ := os.ReadDir(dir); len(found) > 0 {
		t.Errorf("left behind: %v", found)
	}

	shown := must(t, "export", run, "--lint", "--tokenizer", tokenizer, "--show", "1")
	says(t, "shown loss", shown, "read ", "<|start_header_id|>system", "train", "Thought: ")

	r := cli(t, "export", run, "--lint", "--tokenizer", tokenizer, "--cutoff", "1000")
	if r.code != exitBad {
		t.Errorf("too long: exit %d", r.code)
	}

	says(t, "lint", r.out, "coffee-train-", "too-long", "the cutoff is 1000")

	// An export that had no data folder to compare with.
	leaked := leakyData(t, data, in("leaky"), run)
	must(t, "export", "--allow-scripted", run, "--data", in("nowhere"), "--out", in("unchecked"))

	r = cli(t, "export", in("unchecked"), "--lint", "--data", in("leaky"))
	if r.code != exitBad {
		t.Errorf("%s is asked elsewhere: exit %d", leaked, r.code)
	}

	says(t, "lint", r.out, "leak: the question is also in test: leak")

	// What a hand spoiled.
	must(t, "export", "--allow-scripted", run, "--out", in("spoiled"))
	edit(t, filepath.Join(in("spoiled"), sftJSONL), `"from":"gpt"`, `"from":"bot"`)

	if r = cli(t, "export", in("spoiled"), "--lint"); r.code != exitBad {
		t.Errorf("spoiled: exit %d", r.code)
	}

	says(t, "lint", r.out, sftJSONL, "checksum")
}
