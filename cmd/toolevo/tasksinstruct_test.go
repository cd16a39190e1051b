package main

import (
	"bytes"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	stategensuite "toolevo/cmd/internal/suites/stategen"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/instruct"
	"toolevo/envs/stategen/taskfile"
)

// instructionFor names all variables of a program that a model is shown.
func instructionFor(request string) string {
	_, list, _ := strings.Cut(request, "# Variables\n\n")
	list, _, _ = strings.Cut(list, "\n# Program")

	var lines, names []string

	for line := range strings.Lines(list) {
		if name, _, ok := strings.Cut(line, ": "); ok {
			lines, names = append(lines, "- `"+name+"`: something"), append(names, "`"+name+"`")
		}
	}

	return "VARIABLES\n" + strings.Join(lines, "\n") + "\n\nTASK\nUse " + strings.Join(names, ", ") + " well."
}

// A model negotiates the instructions of a split. What it wrote is kept, so that the same command
// asks nothing twice; the tasks that were accepted are tasks like others.
func TestTasksInstruct(t *testing.T) {
	t.Parallel()

	model := &writing{}
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)

	out := t.TempDir()
	args := []string{"tasks", "instruct", "--data", smallData(t), "--split", "train", "--out", out, "--policy",
		"openai:m", "--server", server.URL + "/v1", "--progress", "none", "--json"}

	made := document[stategensuite.InstructedTasks](t, must(t, args...))
	if made.Policy != "openai:m" || made.Accepted == 0 || len(made.Rejected) == 0 ||
		made.Drafts != made.Accepted+len(made.Rejected) {
		t.Errorf("%+v", made)
	}

	tasks, err := taskfile.Open(out, "train", func(task *stategen.Task) error {
		if i := task.Instruction; i.Writer != "openai:m" || len(i.Drafts) != 1 || i.Drafts[0].Verdict != instruct.OK ||
			!strings.HasPrefix(i.Text, "Use ") {
			t.Errorf("%s: %+v", task.ID, i)
		}
		return instruct.Check(task)
	})
	if err != nil {
		t.Fatal(err)
	}

	if err := tasks.Close(); err != nil || tasks.Len() != made.Accepted || made.Path != taskfile.Path(out, "train") {
		t.Errorf("%d tasks in %s: %v", tasks.Len(), made.Path, err)
	}

	says(t, "tasks verify", must(t, "tasks", "verify", "--data", out), "0 problems")

	before := read(t, made.Path)

	model.down.Store(true)
	must(t, args...)

	if !bytes.Equal(before, read(t, made.Path)) {
		t.Error("the same command gives other tasks")
	}

	// Tasks of another model would stay, and pass for those of this one.
	model.down.Store(false)
	fails(t, exitUsage, []string{"another folder"}, append(args, "--policy", "openai:other")...)

	if !bytes.Equal(before, read(t, made.Path)) {
		t.Error("another model's tasks are added")
	}
}

// The models are told the tools of the set of APIs that a task is for.
func TestTasksInstructForThePaper(t *testing.T) {
	t.Parallel()

	model := &writing{}
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)

	data := t.TempDir()
	must(t, "tasks", "generate", "--apis", "paper", "--domain", "voice", "--n", "1", "--data", data,
		"--progress", "none")
	must(t, "tasks", "instruct", "--data", data, "--out", t.TempDir(), "--policy", "openai:m",
		"--server", server.URL+"/v1", "--progress", "none")

	// Only the paper's service finds voices by their names.
	if told, _ := model.first.Load().(string); !strings.Contains(told, "search_name?") {
		t.Errorf("the last model is told %s", told)
	}
}

func TestTasksInstructRefuses(t *testing.T) {
	t.Parallel()

	data, out := smallData(t), filepath.Join(t.TempDir(), "out")
	with := func(args ...string) []string {
		return append([]string{"tasks", "instruct", "--data", data, "--policy", "openai:m"}, args...)
	}

	fails(t, exitUsage, []string{"--out"}, with()...)
	fails(t, exitUsage, []string{"another folder"}, with("--out", data)...)
	fails(t, exitUsage, []string{"train, dev, test, examples"}, with("--out", out, "--split", "all")...)
	fails(t, exitUsage, []string{"writes no texts"}, with("--out", out, "--policy", "scripted:reader")...)
}
