package main

import (
	"path/filepath"
	"testing"

	stategensuite "toolevo/cmd/internal/suites/stategen"
	"toolevo/finetune/programs"
)

// Questions of any suite are tasks with one case: two of them, of which stale passes none where
// APIs have moved on.
func TestEvalTasks(t *testing.T) {
	t.Parallel()

	dir, out := smallEvaluation(t), filepath.Join(t.TempDir(), "figures")
	printed := document[stategensuite.EvaluationTasks](t, must(t, "eval", "tasks", dir, "--out", out, "--json"))

	rows := map[string]programs.Pass{}
	for _, row := range printed.Rows {
		rows[row.Policy+" "+row.API] = row
	}

	if row := rows["scripted:reader p_s_in"]; row.N != 2 || row.Pass != 1 || row.Failed != 0 {
		t.Errorf("reader: %+v", row)
	}

	row := rows["scripted:stale p_s_in"]
	if row.N != 2 || row.Pass != 0 || row.Failed != 2 || row.Causes[programs.Misread] != 2 {
		t.Errorf("stale: %+v", row)
	}

	if len(printed.Files) < 8 {
		t.Errorf("files are %q", printed.Files)
	}

	for _, path := range printed.Files {
		if !exists(path) {
			t.Errorf("%s is not there", path)
		}
	}

	fits(t, must(t, "eval", "tasks", dir))
}
