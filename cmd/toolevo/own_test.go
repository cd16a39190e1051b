package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/finetune"
	"toolevo/mcts/store"
	"toolevo/toolqa"
)

// A file of the user's own takes the place of the split: its questions are asked, graded, and
// belong to the run.
func TestEvalOfOwnQuestions(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), filepath.Join(t.TempDir(), "eval")
	q := ask(t, data, "coffee-easy/open", toolqa.Train)
	line := func(id, answer, more string) string {
		const form = "{\"qid\": %q, \"question\": %q, \"answer\": %q, \"dataset\": \"coffee\"%s}\n"
		return fmt.Sprintf(form, id, q.Text, answer, more)
	}

	file := filepath.Join(t.TempDir(), "mine.jsonl")
	write(t, file, line("right", q.Answer, "")+line("hard", q.Answer, `, "difficulty": "hard"`)+
		line("wrong", "something else", ""))

	eval := []string{"eval", "--data", data, "--policy", "scripted:reader", "--api", "p_s_in", "--progress", "none"}

	rows := document[finetune.Report](t, must(t, append(eval, "--questions", file, "--out", dir, "--json")...)).Rows
	if len(rows) != 2 || rows[0].Difficulty != "" || rows[0].N != 2 || rows[0].Official != 0.5 ||
		rows[1].Difficulty != "hard" || rows[1].N != 1 || rows[1].Official != 1 {
		t.Errorf("%+v", rows)
	}

	if c, err := store.ReadConfig(dir); err != nil || !strings.Contains(c, "questions: "+file) {
		t.Errorf("the run does not know its questions: %v\n%s", err, c)
	}

	must(t, "check", dir)
	must(t, "eval", "--resume", "--out", dir, "--progress", "none")
	says(t, "inspect", must(t, "inspect", dir, "wrong"), "something else")

	hard := append(eval, "--questions", file, "--difficulty", "hard", "--out", filepath.Join(t.TempDir(), "hard"),
		"--json")
	if rows := document[finetune.Report](t, must(t, hard...)).Rows; len(rows) != 1 || rows[0].Difficulty != "hard" {
		t.Errorf("--difficulty hard: %+v", rows)
	}

	// What was asked and what its answer is cannot change under a run.
	write(t, file, line("right", "another answer", ""))
	fails(t, exitUsage, []string{"right", "another one now"}, "eval", "--resume", "--out", dir, "--progress", "none")

	write(t, file, line("right", q.Answer, `, "difficulty": "soft"`))
	fails(t, exitUsage, []string{"--questions", "mine.jsonl:1", `"soft"`}, append(eval, "--questions", file)...)
	fails(t, exitUsage, []string{"--questions", "--split"}, append(eval, "--questions", file, "--split", "dev")...)

	if err := os.Truncate(file, 0); err != nil {
		t.Fatal(err)
	}

	fails(t, exitUsage, []string{"has no questions"}, append(eval, "--questions", file)...)
	fails(t, exitUsage, []string{"--questions"}, append(eval, "--questions", filepath.Join(dir, "none"))...)
}
