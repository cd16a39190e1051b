package main

import (
	"strings"
	"testing"

	"toolevo/mcts"
	"toolevo/toolqa"
)

// TestPlaythroughs compares what scripted:reader does under each API version with a readable transcript: one easy
// question that needs Python, one hard question that needs SQL.
func TestPlaythroughs(t *testing.T) {
	data := defaultData(t)
	for _, api := range []string{"p_c", "p_s_in", "p_s_ood", "p_s_ood_proprietary"} {
		t.Run(api, func(t *testing.T) {
			var text strings.Builder
			for _, template := range []string{"coffee-easy/range", "coffee-hard/highest-increase"} {
				q := ask(t, data, template, toolqa.Test)
				text.WriteString(must(t, "play", "--data", data, "--api", api, "--question", q.ID, "--transcript", "--policy", "scripted:reader"))
				text.WriteByte('\n')
			}
			got := text.String()
			golden(t, "play_"+api+".txt", got)
			if n := strings.Count(got, "Observation: Answer is CORRECT"); n != 2 {
				t.Errorf("%d of 2 answers are right", n)
			}
			if drifted := strings.Contains(got, "is deprecated"); drifted != (api != "p_c") {
				t.Errorf("notices of deprecation: %t", drifted)
			}
		})
	}
}

// TestTreeAsText compares a tree of scripted:noisy, as people see it, with its golden file.
func TestTreeAsText(t *testing.T) {
	data := defaultData(t)
	run := t.TempDir()
	must(t, "collect", "--data", data, "--limit", "1", "--difficulty", "easy", "--trees", "1", "--preset", "paper",
		"--set", "search.simulations=6", "--set", "search.samples=3", "--set", "search.rollout_samples=3", "--out", run)
	v, err := openView(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	defer v.run.Close()
	question := v.questions[0]
	record, ok, err := v.run.LoadTree(t.Context(), question.ID, 0)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	var text strings.Builder
	if err := record.WriteText(&text, question.Text, mcts.TextOptions{Width: 100}); err != nil {
		t.Fatal(err)
	}
	text.WriteString("\nWith the nodes that rollouts cached:\n\n")
	if err := record.WriteText(&text, question.Text, mcts.TextOptions{Width: 100, Cached: true}); err != nil {
		t.Fatal(err)
	}
	golden(t, "tree_noisy.txt", text.String())
}
