package export_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"toolevo/envs"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
	"toolevo/trajectories/internal/synth"
)

// unnamed is the version that a question meets, where nothing depends on it.
func unnamed(string) string { return "" }

// historyOf is the history that a row tells.
func historyOf(r *trajectories.Row) envs.History {
	h := envs.NewHistory(envs.Task{ID: r.QuestionID, Question: r.Question})
	for _, t := range r.Turns {
		h = h.Append(envs.Turn{Action: envs.Action(t.Action), Observation: t.Observation})
	}
	return h
}

// What a run counts is what an export of it takes: by the rules of the linter, and by length in
// tokens or characters.
func TestAcceptanceIsTheExports(t *testing.T) {
	system := synth.System("p_c")

	rows := synth.Rows(1, 12, 3)
	for i, spoil := range []func(*trajectories.Turn){
		func(t *trajectories.Turn) { t.Action = "I say <|im_end|>" },
		func(t *trajectories.Turn) { t.Action = "  " },
		func(t *trajectories.Turn) { t.Action = "bad \xff" },
		func(t *trajectories.Turn) { t.Observation = strings.Repeat("long ", 3000) },
	} {
		spoil(&rows[i].Turns[0])
	}

	byTokens, err := export.NewLinter(loadTokenizer(t, "llama3"), "llama3", 1024)
	if err != nil {
		t.Fatal(err)
	}

	for name, test := range map[string]struct {
		linter     *export.Linter
		characters int
	}{
		"rules":      {newLinter(t), 0},
		"tokens":     {byTokens, 0},
		"characters": {newLinter(t), 3000},
	} {
		taken := 0

		for i := range rows {
			sample, _ := export.NewSample(trajectories.Shown{System: system}, &rows[i], test.linter.Sanitizer())

			length := utf8.RuneCountInString(sample.System)
			for _, m := range sample.Conversations {
				length += utf8.RuneCountInString(m.Value)
			}

			want := test.linter.LintRow(export.SFTTrajectory, &rows[i], &sample) == nil &&
				(test.characters == 0 || length <= test.characters)
			if i == 2 {
				want = false // what is not UTF-8 becomes U+FFFD on the way into a row
			}

			got := export.NewAcceptance(test.linter, "", toldOf(system), unnamed, test.characters).
				Accept(historyOf(&rows[i]))
			if got != want {
				t.Errorf("%s: row %d of %d characters is accepted: %v, want %v", name, i, length, got, want)
			}

			if got {
				taken++
			}
		}

		if taken == 0 || taken > len(rows)-3 {
			t.Errorf("%s: %d of %d rows are taken: the test shows nothing", name, taken, len(rows))
		}
	}
}

// toldOf shows a system text to every task.
func toldOf(system string) func(envs.Task) trajectories.Shown {
	return func(envs.Task) trajectories.Shown { return trajectories.Shown{System: system} }
}
