package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"toolevo/envs"
	"toolevo/envs/remote/bench"
	"toolevo/envs/remote/remotetest"
	"toolevo/finetune"
	"toolevo/trajectories"
)

// What a server of others answers is collected, checked, exported and measured as everything else.
// Nothing of that needs the server once it is in the log.
func TestOwnTools(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	server := filepath.Join(dir, "server")
	command := remotetest.Command(t)

	if err := os.Symlink(command[0], server); err != nil {
		t.Fatal(err)
	}

	data := libraryOf(t, append([]string{server}, command[1:]...))
	collected, exported := filepath.Join(dir, "run"), filepath.Join(dir, "export")
	evaluated := filepath.Join(dir, "eval")

	must(t, "collect", "--set", "suite=remote", "--data", data, "--api", "p_s_in,p_s_ood", "--policy", "scripted:noisy",
		"--trees", "4", "--out", collected)
	text := must(t, "eval", "--set", "suite=remote", "--data", data, "--out", evaluated, "--json")

	for _, row := range document[finetune.Report](t, text).Rows {
		want := 1.0
		if row.Policy == "scripted:stale" && row.API != "p_c" {
			want = 0
		}

		if row.Official != want || row.Strict != want || row.Lost > 0 {
			t.Errorf("%s: %v of %d, want %v", row.Cell, row.Official, row.N, want)
		}
	}

	if err := os.Remove(server); err != nil {
		t.Fatal(err)
	}

	says(t, "check", must(t, "check", collected, "--data", data), "0 problems")
	says(t, "check", must(t, "check", evaluated, "--data", data), "0 problems")
	must(t, "export", collected, "--allow-scripted", "--out", exported)
	says(t, "check", must(t, "check", exported), "0 faulty, 0 problems")
}

// A task without a gold answer is judged by a model, once for each episode, and says so wherever it
// is counted. A judge that is not there is a failure, and nobody's mistake.
func TestOwnTasksJudgedByAModel(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	data := libraryOf(t, remotetest.Command(t))
	url, asked := judgeServer(t, `"answer":"Thank you, Cleo`)

	const task = `{"id": "%s", "question": "Lend the book 1 to Cleo, and thank her%s", ` +
		`"rubric": "She is thanked.", "final": "%s", ` +
		`"solution": [{"tool": "lend_book", "args": {"book": 1, "reader": "Cleo"}}]}` + "\n"

	write(t, in("tasks.jsonl"), fmt.Sprintf(task, "kind", ".", "Thank you, Cleo! {{1 /left}} is left.")+
		fmt.Sprintf(task, "rude", "!", "Bring it back."))
	must(t, "tasks", "add", in("tasks.jsonl"), "--data", data, "--split", "test")

	eval := []string{"eval", "--set", "suite=remote", "--data", data, "--policy", "scripted:reader",
		"--api", "p_c", "--progress", "none", "--out", in("eval")}
	fails(t, exitUsage, []string{"2 tasks of the split test have a rubric", "judge: {model: openai:MODEL}"},
		eval...)

	tools := filepath.Join(data, "remote", "tools.yaml")
	unnamed := string(read(t, tools))
	name := func(server string) {
		write(t, tools, unnamed+fmt.Sprintf("judge: {model: %q, server: %q}\n", "openai:m", server))
	}
	name(url)

	const marked = "2 of 7 questions are judged by the language model openai:m"

	says(t, "eval", must(t, eval...), marked)
	says(t, "the report", string(read(t, in("eval/report.md"))), marked)

	if asked.Load() != 2 {
		t.Errorf("the judge was asked %d times, want 2", asked.Load())
	}

	for e, err := range trajectories.ReadEpisodes(in("eval")) {
		if err != nil {
			t.Fatal(err)
		}

		judged := e.Labels[envs.LabelJudge] == "openai:m"
		if judged != (e.Gold == "") || e.IsCorrect() != (e.QuestionID != "rude") {
			t.Errorf("%s, judged %v: %s is right: %v", e.QuestionID, judged, e.Answer, e.IsCorrect())
		}
	}

	says(t, "collect", must(t, "collect", "--set", "suite=remote", "--data", data, "--split", "test",
		"--policy", "scripted:reader", "--api", "p_s_in", "--trees", "1", "--out", in("run")), marked)

	// What was judged is not asked for again.
	before := asked.Load()

	says(t, "check", must(t, "check", in("eval"), "--data", data), "0 problems", marked)
	says(t, "check", must(t, "check", in("run"), "--data", data), "0 problems", marked)

	if asked.Load() != before {
		t.Errorf("a check asked the judge %d times", asked.Load()-before)
	}

	says(t, "export", must(t, "export", in("run"), "--split", "test", "--allow-scripted",
		"--out", in("export")), "a language model judged the answers of 1 of the samples")
	says(t, "the card", string(read(t, in("export/README.md"))),
		"A language model judged the answers of 1 samples", "| openai:m |")

	name("http://127.0.0.1:9/v1")
	fails(t, exitGaveUp, []string{"http://127.0.0.1:9/v1", "--resume"},
		append(eval[:len(eval)-1], in("down"), "--patience", "0s")...)
}

// A run that we exported, and one that another program recorded as ATIF, become tasks, whose
// solutions play on fresh instances. What cannot is named.
func TestOwnTasksOfRecordedRuns(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	data := libraryOf(t, remotetest.Command(t))

	for _, api := range []string{"p_c", "p_s_in"} {
		must(t, "collect", "--set", "suite=remote", "--data", data, "--api", api, "--policy", "scripted:reader",
			"--trees", "1", "--out", in(api))
		must(t, "export", in(api), "--format", "atif", "--out", in("atif-"+api))
	}

	fresh := in("fresh")
	must(t, append([]string{"tools", "import", "--data", fresh, "--"}, remotetest.Command(t)...)...)

	add := func(path string, more ...string) bench.AddedTasks {
		return document[bench.AddedTasks](t, must(t, append([]string{"tasks", "add", path, "--data", fresh, "--json"},
			more...)...))
	}

	if a := add(in("atif-p_c"), "--match", "official"); a.Added != 4 || len(a.Left) > 0 {
		t.Errorf("of our export: %+v", a)
	}

	trial := "../internal/suites/remote/testdata/trial-7"
	if a := add(trial); a.Added != 1 || a.Total != 5 || len(a.Left) > 0 {
		t.Errorf("of a trial: %+v", a)
	}

	checked := document[bench.CheckedTasks](t, must(t, "tasks", "check", "--data", fresh, "--json"))
	if checked.Played != 5 || len(checked.Problems) > 0 {
		t.Errorf("%+v", checked)
	}

	again := cli(t, "tasks", "add", trial, "--data", fresh)
	says(t, "the same again", again.out, "trajectory.json: there is a task trial-7 already", "which has 5")

	if again.code != exitBad {
		t.Errorf("the same again: exit %d", again.code)
	}

	says(t, "a drifted run", cli(t, "tasks", "add", in("atif-p_s_in"), "--data", fresh).out,
		"line 1: its calls are those of the version p_s_in")
	fails(t, exitUsage, []string{"it is for recorded runs"}, "tasks", "add", remotetest.WriteTasks(t, dir, "train"),
		"--data", fresh, "--match", "number")
}
