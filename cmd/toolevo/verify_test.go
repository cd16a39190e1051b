package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolevo/envs/suite"
	"toolevo/toolqa"
	"toolevo/toolqa/bench"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/datacmd"
	"toolevo/toolqa/questions"
)

// TestVerify finds every answer of the demo's corpora a second time, and finds what was tampered
// with.
func TestVerify(t *testing.T) {
	t.Parallel()
	data := defaultData(t)
	all, templates := 0, 0

	// The program itself, which is several times as fast as this process.
	p := start(t, "data", "verify", "--data", data, "--progress", "none", "--json")
	if code := p.wait(); code != exitDone {
		t.Fatalf("exit %d\n%s", code, p.err)
	}

	for _, r := range document[datacmd.Verified](t, p.out.String()).Verified {
		if r.Damage != "" || len(r.Problems) > 0 || r.Recomputed != r.Questions {
			t.Errorf("%s: %d of %d answers found again; %v %s", r.Dataset, r.Recomputed, r.Questions, r.Problems,
				r.Damage)
		}

		all, templates = all+r.Questions, templates+r.Templates
	}

	examples, err := bench.ToolQA{}.List(defaultData(t), suite.Examples)
	if err != nil {
		t.Fatal(err)
	}

	if want := 6234 + 5884 + 700 + 700 + 700 + 730; all != want+len(examples) || templates != 117 {
		t.Errorf("%d questions of %d templates, want the paper's %d of 117, and %d examples", all, templates, want,
			len(examples))
	}

	dir := t.TempDir()
	made(t, "data", "build", "--data", dir, "--dataset", "coffee", "--rows", "900")
	made(t, "data", "questions", "--data", dir, "--scale", "0.01")

	qs, err := questions.Read(dir, toolqa.Coffee, toolqa.Easy, toolqa.Test)
	if err != nil {
		t.Fatal(err)
	}

	qs[0].Answer = "9" + qs[0].Answer
	if err := questions.Write(dir, qs); err != nil {
		t.Fatal(err)
	}

	if r := cli(t, "data", "verify", "--data", dir, "--progress", "none"); r.code != exitBad {
		t.Errorf("a wrong answer: exit %d", r.code)
	} else {
		says(t, "data verify", r.out+r.err, qs[0].ID, qs[0].Answer, "1 finding")
	}

	path := questions.Path(dir, toolqa.Coffee, toolqa.Easy, toolqa.Test)

	text := string(read(t, path))
	if err := os.WriteFile(path, []byte(strings.Replace(text, "generated", "published", 1)), 0o644); err != nil {
		t.Fatal(err)
	}

	if r := cli(t, "data", "verify", "--data", dir, "--progress", "none"); r.code != exitBad {
		t.Errorf("another source: exit %d", r.code)
	} else {
		says(t, "data verify", r.out+r.err, path, "SHA256SUMS", "data questions", "1 finding")
	}

	remedy := []string{path, "SHA256SUMS", "run `toolevo data questions` again"}
	fails(t, exitBad, remedy, "eval", "--data", dir, "--dataset", "coffee", "--difficulty", "easy", "--limit", "1")

	file := corpus.Path(dir, toolqa.Coffee)
	bytes := slices.Clone(read(t, file))
	bytes[len(bytes)/2] ^= 1

	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(file, bytes, 0o644); err != nil {
		t.Fatal(err)
	}

	if r := cli(t, "data", "verify", "--data", dir, "--progress", "none"); r.code != exitBad {
		t.Errorf("a flipped bit: exit %d", r.code)
	} else {
		says(t, "data verify", r.out, "coffee: ", "again")
	}

	fails(t, exitUsage, []string{"toolevo data build"}, "data", "verify", "--data", t.TempDir())
}

// TestRunsRefuseDamagedCorpora flips a bit in a price: neither a run nor questions are made from
// it.
func TestRunsRefuseDamagedCorpora(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made(t, "data", "build", "--data", dir, "--dataset", "coffee", "--rows", "900")
	made(t, "data", "questions", "--data", dir, "--scale", "0.01")

	file := corpus.Path(dir, toolqa.Coffee)
	bytes := slices.Clone(read(t, file))
	bytes[len(bytes)/2] ^= 1

	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(file, bytes, 0o644); err != nil {
		t.Fatal(err)
	}

	remedy := []string{"coffee.sqlite: damaged: block 1 of 1", "data build"}
	out := filepath.Join(t.TempDir(), "run")
	fails(t, exitBad, remedy, "collect", "--data", dir, "--dataset", "coffee", "--out", out, "--limit", "1")
	fails(t, exitBad, remedy, "eval", "--data", dir, "--dataset", "coffee", "--limit", "1")
	fails(t, exitBad, remedy, "data", "questions", "--data", dir, "--dataset", "coffee")
	fails(t, exitBad, remedy, "data", "gold", "--data", dir)
}
