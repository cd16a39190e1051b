package main

import (
	"path/filepath"
	"strings"
	"testing"

	"toolevo/toolqa"
	"toolevo/trajectories"
)

// ablated collects one small run with a switch and returns its trajectories.
func ablated(t *testing.T, flags ...string) []trajectories.Row {
	t.Helper()
	run := filepath.Join(t.TempDir(), "run")
	must(t, append([]string{"collect", "--data", smallData(t), "--preset", "paper", "--limit", "4", "--trees", "1",
		"--out", run}, flags...)...)
	made(t, "check", run, "--data", smallData(t))

	all := trajectoriesOf(t, run)
	if len(all) == 0 {
		t.Fatal("no trajectories")
	}
	return all
}

// sum adds up a number of each row.
func sum(rows []trajectories.Row, n func(*trajectories.Row) int) int {
	total := 0
	for i := range rows {
		total += n(&rows[i])
	}
	return total
}

// TestAblations shows that the switches of the paper's Table 5 change what the environment and the
// search do.
func TestAblations(t *testing.T) {
	t.Parallel()
	whole := ablated(t)
	met := func(r *trajectories.Row) int { return r.Deprecations }
	updates := func(r *trajectories.Row) int { return r.Updates }

	errs := func(r *trajectories.Row) int { return r.Errors }
	if sum(whole, met) == 0 || sum(whole, updates) == 0 || sum(whole, errs) == 0 {
		t.Fatalf("the whole method: %d deprecations, %d updates, %d errors", sum(whole, met), sum(whole, updates),
			sum(whole, errs))
	}

	t.Run("no-update-tool", func(t *testing.T) {
		rows := ablated(t, "--no-update-tool")
		if sum(rows, updates) != 0 || sum(rows, met) == 0 {
			t.Errorf("%d updates, %d deprecations", sum(rows, updates), sum(rows, met))
		}
	})
	t.Run("no-reflection", func(t *testing.T) {
		rows := ablated(t, "--no-reflection")
		if sum(rows, errs) != 0 || sum(rows, met) == 0 || sum(rows, updates) == 0 {
			t.Errorf("%d errors, %d deprecations, %d updates", sum(rows, errs), sum(rows, met), sum(rows, updates))
		}
	})
}

// TestUpdateToolIsTakenAway plays UpdateTool with and without the switch: it is a tool, and in the
// prompt, only without.
func TestUpdateToolIsTakenAway(t *testing.T) {
	t.Parallel()
	data := smallData(t)
	q := ask(t, data, "coffee-easy/open", toolqa.Train)
	const script = "Thought: I note it.\nAction: UpdateTool\nAction Input: {\"newtool_desc\": " +
		"\"InitializeDatabase[DatabaseName], which loads.\"}\n"
	args := []string{"play", "--data", data, "--question", q.ID}

	with := cliWith(t, script, nil, args...)
	says(t, "play", with.err, "UpdateTool[newtool_desc]", "(ok)")
	says(t, "play", with.out, "has been updated successfully")

	without := cliWith(t, script, nil, append(args, "--no-update-tool")...)
	says(t, "play --no-update-tool", without.err, "LoadDB[DBName]", "(invalid-action)")

	if strings.Contains(without.err, "UpdateTool") || strings.Contains(without.out, "updated successfully") {
		t.Errorf("--no-update-tool leaves it in:\n%s%s", without.err, without.out)
	}
}
