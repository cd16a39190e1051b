package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/toolqa"
	"toolevo/toolqa/questions"
	"toolevo/trajectories/atif"
	"toolevo/trajectories/export"
)

// Runs and evaluations become documents; those of a run come back as the samples of a direct
// export.
func TestExportDocuments(t *testing.T) {
	t.Parallel()
	run, dir := smallRun(t), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	evaluation := in("eval")
	made(t, "eval", "--data", smallData(t), "--dataset", "coffee", "--limit", "1", "--engine", "unsafe", "--policy",
		"scripted:reader,scripted:stale", "--api", "p_s_in", "--progress", "none", "--format", "inspect", "--out",
		evaluation)

	for name, args := range map[string][]string{
		"lines":    {"--format", "atif", run},
		"all":      {"--format", "atif", run, "--score", "any", "--per-question", "0"},
		"files":    {"--format", "atif-files", run, evaluation},
		"episodes": {"--format", "atif", evaluation},
		"logs":     {"--format", "inspect", evaluation},
	} {
		must(t, append([]string{"export", "--out", in(name)}, args...)...)
		says(t, "check", must(t, "check", in(name)), "0 problems")
	}

	count := func(name string) (n int) {
		files, err := atif.Files(in(name))
		if err != nil {
			t.Fatal(err)
		}

		for _, file := range files {
			for _, err := range atif.Read(file) {
				if n++; err != nil {
					t.Error(err)
				}
			}
		}

		return n
	}

	// The evaluation has two questions and two policies.
	if lines, all, files, episodes := count("lines"), count("all"), count("files"), count("episodes"); lines == 0 ||
		all <= lines || episodes != 4 || files != lines+episodes {
		t.Errorf("%d documents of the run, %d with failures, %d of the evaluation, %d of both", lines, all, episodes,
			files)
	}

	// The logs of eval are those of export.
	logs, err := filepath.Glob(filepath.Join(evaluation, "inspect", "toolevo_inspect", "*.eval"))
	if err != nil || len(logs) != 4 {
		t.Fatalf("logs %v, error %v", logs, err)
	}

	for _, log := range logs {
		if !bytes.Equal(read(t, log), read(t, filepath.Join(in("logs"), "toolevo_inspect", filepath.Base(log)))) {
			t.Errorf("%s differs", log)
		}
	}

	says(t, "check", must(t, "check", evaluation), "0 problems")

	must(t, "export", "--allow-scripted", run, "--data", smallData(t), "--out", in("direct"))

	for _, from := range []string{in("lines"), filepath.Join(in("lines"), atif.LinesFile)} {
		must(t, "export", "--allow-scripted", from, "--data", smallData(t), "--out", in("back"))

		if !bytes.Equal(read(t, filepath.Join(in("back"), sftJSONL)), read(t, filepath.Join(in("direct"), sftJSONL))) {
			t.Errorf("the samples of %s are not those of the run", from)
		}
	}

	says(t, "lint", must(t, "export", in("lines"), "--lint"), "0 faulty, 0 problems")

	fails(t, exitUsage, []string{"a script", "--allow-scripted"}, "export", in("lines"),
		"--out", in("refused"))
	fails(t, exitUsage, []string{"name the run, or its documents"}, "export", "--allow-scripted",
		run, in("lines"), "--out", in("both"))

	m := document[export.Manifest](t, must(t, "export", "--allow-scripted", in("lines"),
		in("lines"), "--data", smallData(t), "--out", in("both"), "--per-question", "0", "--json"))
	if m.Rows != count("lines") || m.Selected.Elsewhere.Skipped || m.Selected.Elsewhere.Questions == 0 {
		t.Errorf("documents and the same ones: %+v", m.Selected)
	}
}

// What nobody can make of it is said, with what to do.
func TestExportDocumentsOfOthers(t *testing.T) {
	t.Parallel()
	run, dir := smallRun(t), t.TempDir()
	path, out := filepath.Join(dir, "others.jsonl"), filepath.Join(dir, "out")

	text := `{"schema_version": "ATIF-v1.7", "agent": {"name": "coder", "version": "2.0"}, "steps": [` +
		`{"step_id": 1, "source": "user", "message": "Say it."}, {"step_id": 2, "source": "agent", "message": "It."}]}`
	two := strings.Replace(text, `"message": "It."`, `"message": "It.", "llm_call_count": 0`, 1)

	if err := os.WriteFile(path, []byte(text+"\n"+two+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}

	for want, args := range map[string][]string{
		"--score any":                  {path},
		"each one trajectory, and dpo": {path, "--format", "dpo"},
		"has ATIF documents already":   {path, "--format", "atif"},
		"as react and function-call":   {run, path, "--score", "any"},
		"--dev is about training data": {run, "--format", "atif", "--dev", "0.1"},
		"runs of `toolevo eval`":       {run, "--format", "inspect"},
		"needs a verdict":              {run, "--format", "dpo", "--score", "any", "--allow-scripted"},
	} {
		r := cli(t, append([]string{"export", "--out", out}, args...)...)
		if r.code == exitDone || !strings.Contains(r.err, want) {
			t.Errorf("%v: exit %d, want %q\n%s%s", args, r.code, want, r.out, r.err)
		}
	}

	r := cli(t, "export", path, "--score", "any", "--out", out)
	says(t, "export", r.err, "refused "+path+", line 2, step 2: no model wrote it")
	says(t, "sample", string(read(t, filepath.Join(out, sftJSONL))), `"value":"Say it."`)
	says(t, "export", r.out, "1 samples of 1 train questions", "left out 1: documents and folders")

	says(t, "card", string(read(t, filepath.Join(out, "README.md"))), "in another split was not checked.")

	says(t, "lint", must(t, "export", path, "--score", "any", "--lint"), "1 samples checked: 0 faulty")

	// A folder of something else is named and left out beside it, and an error by itself.
	says(t, "export", must(t, "export", path, smallData(t), "--score", "any", "--out", out), "left out 2: documents")
	fails(t, exitUsage, []string{"not a run directory"}, "export", smallData(t), "--out", out)
}

// A question of the test split is known by its text, whoever asks it, and whatever else is said to
// the agent.
func TestExportDocumentsOfTestQuestions(t *testing.T) {
	t.Parallel()

	data, dir := smallData(t), t.TempDir()
	path, out := filepath.Join(dir, "others.jsonl"), filepath.Join(dir, "out")

	asked, err := questions.Read(data, toolqa.Coffee, toolqa.Easy, toolqa.Test)
	if err != nil {
		t.Fatal(err)
	}

	var lines []byte

	for _, message := range []string{
		asked[0].Text, "Answer this.\n\nQuestion: " + strings.ToUpper(asked[0].Text) + "\n", "What else is there?",
	} {
		document, err := json.Marshal(map[string]any{
			"schema_version": "ATIF-v1.7", "agent": map[string]string{"name": "coder", "version": "2.0"},
			"steps": []map[string]any{
				{"step_id": 1, "source": "user", "message": message},
				{"step_id": 2, "source": "agent", "message": "It."},
			},
		})
		if err != nil {
			t.Fatal(err)
		}

		lines = append(append(lines, document...), '\n')
	}

	if err := os.WriteFile(path, lines, 0o644); err != nil {
		t.Fatal(err)
	}

	m := document[export.Manifest](t, must(t, "export", path, "--score", "any", "--data", data, "--out", out,
		"--json"))
	if m.Rows != 1 || m.Selected.Dropped.Elsewhere != 2 || m.Selected.Elsewhere.Skipped {
		t.Errorf("%d samples, left out %+v", m.Rows, m.Selected.Dropped)
	}

	says(t, "card", string(read(t, filepath.Join(out, "README.md"))), "No question is asked in another split")
	says(t, "lint", must(t, "export", out, "--lint", "--data", data), "1 samples checked: 0 faulty, 0 problems")
}
