package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/finetune"
)

// The matcher of the evaluation changes nothing, and says so of answers that were tampered with;
// the others are the benchmark's and equality.
func TestEvalRescore(t *testing.T) {
	t.Parallel()
	dir := smallEvaluation(t)
	before := read(t, filepath.Join(dir, reportJSON))

	for _, matcher := range []string{"official", "strict", "exact"} {
		r := document[toolevo.Rescored](t, must(t, "eval", "rescore", dir, "--matcher", matcher, "--json"))
		if len(r.Rows) != 8 || r.Matcher != matcher || r.RunID == "" {
			t.Errorf("%s: %+v", matcher, r)
		}

		for _, row := range r.Rows {
			if row.N != 1 || row.Rescored != row.Official ||
				row.Gained+row.Dropped+r.Revised > 0 || len(r.Changed) > 0 {
				t.Errorf("%s: %+v, %+v", matcher, row, r.Changed)
			}
		}
	}

	if !bytes.Equal(before, read(t, filepath.Join(dir, reportJSON))) {
		t.Error("the report was changed")
	}

	fails(t, exitUsage, []string{"--matcher", `"exat"`, "did you mean exact"}, "eval", "rescore", dir, "--matcher",
		"exat")
	fails(t, exitUsage, []string{"--changed -1"}, "eval", "rescore", dir, "--changed", "-1")
	fails(t, exitUsage, []string{"toolevo collect"}, "eval", "rescore", smallRun(t))
}

func TestRescoredAnswersAreShown(t *testing.T) {
	t.Parallel()

	c := finetune.Rescoring{QuestionID: "q1", Question: "How much?", Gold: "15", Answer: "1.5"}
	r := &finetune.Rescored{Changed: []finetune.Rescoring{c, c, c}, Revised: 7}

	var b strings.Builder

	a := &app{Program: console.Program{Out: &b}}
	a.printRescored(toolevo.Rescored{Rescored: r}, 2)

	says(t, "eval rescore", b.String(), "7 verdicts",
		"✗ ", "q1\n  How much?\n  answer 1.5\n  gold   15\n", "and 1 more")

	if n := strings.Count(b.String(), "How much?"); n != 2 {
		t.Errorf("%d answers are shown, want 2", n)
	}
}
