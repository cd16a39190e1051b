package export_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts/policy/chat"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
	"toolevo/trajectories/internal/synth"
)

// reasoned is an action of the small tree with what the model reasons before it.
func reasoned(path string) string { return "<think>\nAbout " + path + "\n</think>\n\n" + act(path) }

// showing says that later prompts showed so much of the reasoning.
func showing(mode action.Reasoning) func(*trajectories.Row) (trajectories.Shown, error) {
	return func(row *trajectories.Row) (trajectories.Shown, error) {
		shown, err := synth.Shown(row)
		shown.Reasoning = mode
		return shown, err
	}
}

// TestReasoningInSamples: samples show of the reasoning what prompts showed, and a format that
// cannot is refused.
func TestReasoningInSamples(t *testing.T) {
	for _, mode := range []action.Reasoning{action.Show, action.Once} {
		for _, format := range export.Formats() {
			for _, trainer := range export.Trainers() {
				rows := manyRows(4, format.NeedsFailures(), reasoned)
				plain := manyRows(4, format.NeedsFailures(), act)
				opt := export.Options{Format: format, Trainer: trainer, Shown: showing(mode)}
				about := string(mode) + ", " + string(format) + " for " + string(trainer)

				want := wrote(t, filepath.Join(t.TempDir(), "plain"), plain, opt) // no reasoning, no difference

				dir := filepath.Join(t.TempDir(), "export")
				m, err := export.Write(t.Context(), dir, synth.Sequence(rows), opt)

				single := slices.Contains([]export.Format{export.SFTStep, export.DPO, export.KTO}, format)
				if mode == action.Once && !single {
					var refused *export.StepsError
					if !errors.As(err, &refused) || !strings.Contains(err.Error(), "dpo, kto, sft-step") {
						t.Errorf("%s: %v", about, err)
					}

					continue
				}

				if err != nil || m.Rows != want.Rows {
					t.Fatalf("%s: %d samples, want %d; %v", about, m.Rows, want.Rows, err)
				}

				card, err := os.ReadFile(filepath.Join(dir, "README.md"))
				said := strings.Contains(string(card), "| "+string(mode)+" |")
				if err != nil || m.Runs[0].Reasoning != mode || !said {
					t.Errorf("%s: the manifest says %q; the card %v\n%s", about, m.Runs[0].Reasoning, err, card)
				}

				if report, err := export.Proved(dir, newLinter(t), nil); err != nil || !report.OK() {
					t.Errorf("%s: %+v, %v", about, report, err)
				}

				for sample, err := range export.Read(dir, false) {
					if err != nil {
						t.Fatal(err)
					}

					checkReasoning(t, about, &sample, mode, format)
				}
			}
		}
	}
}

// A step of a model that reasons is, message for message, what an evaluation sends, and the answer.
func TestReasoningIsShownAsEvaluationSends(t *testing.T) {
	for _, mode := range []action.Reasoning{action.Show, action.Once} {
		row := manyRows(1, false, reasoned)[0]
		row.Strict = true

		dir := filepath.Join(t.TempDir(), "export")
		wrote(t, dir, []trajectories.Row{row}, export.Options{
			Format: export.SFTStep, Trainer: export.TRL, Shown: showing(mode),
		})

		h, steps := envs.NewHistory(envs.Task{Question: row.Question}), 0

		for sample, err := range export.Read(dir, false) {
			if err != nil {
				t.Fatal(err)
			}

			var trained []string
			for _, m := range sample.Conversations {
				trained = append(trained, m.Value)
			}

			var sent []string
			for _, m := range chat.Messages("", mode.Shown(h), newLinter(t).Sanitizer()) {
				sent = append(sent, strings.TrimPrefix(m.Content, "Observation: "))
			}

			turn := row.Turns[steps]
			if want := append(sent, turn.Action); !slices.Equal(trained, want) {
				t.Errorf("%s, step %d: %q is trained, %q is sent", mode, steps, trained, want)
			}

			h = h.Append(envs.Turn{Action: envs.Action(turn.Action), Observation: turn.Observation})
			steps++
		}

		if steps != len(row.Turns) {
			t.Errorf("%s: %d samples of %d actions", mode, steps, len(row.Turns))
		}
	}
}

// checkReasoning wants reasoning in every reply that is trained, and in earlier ones where prompts
// showed it.
func checkReasoning(t *testing.T, about string, s *export.Sample, mode action.Reasoning, format export.Format) {
	t.Helper()

	last := len(s.Conversations) - 1
	if format == export.DPO {
		last++
	}

	for i, m := range s.Conversations {
		if m.From != export.GPT {
			continue
		}

		reasoning, content := action.Part(m.Value)
		if want := mode == action.Show || i == last; (reasoning != "") != want || !strings.HasPrefix(content, "act") {
			t.Errorf("%s: message %d of %d is %q", about, i, last+1, m.Value)
		}
	}

	for _, m := range []export.Message{s.Chosen, s.Rejected} {
		if reasoning, _ := action.Part(m.Value); format == export.DPO && reasoning == "" {
			t.Errorf("%s: the reply %q", about, m.Value)
		}
	}
}

// Control tokens in reasoning are as harmful as elsewhere, and tags are so where the model does not
// begin with them.
func TestLintReasoning(t *testing.T) {
	for text, want := range map[string]export.Rule{
		"<think>a</think>b":         "",
		"[THINK]a[/THINK]b":         "",
		"<think>a <|x|></think>b":   export.ControlToken,
		"<think>a</think>b <think>": export.ControlToken,
		"b <think>a</think>":        export.ControlToken,
		"<think></think>":           export.EmptyTurn,
	} {
		found := newLinter(t).Lint(export.SFTTrajectory, conversation(export.Human+":q", export.GPT+":"+text))
		if want == "" && found != nil || want != "" && (len(found) != 1 || found[0].Rule != want) {
			t.Errorf("%q: %v, want %q", text, found, want)
		}
	}
}

// TestLeftOut: what a run's summary says of correct trajectories adds up to those that are not
// accepted.
func TestLeftOut(t *testing.T) {
	rows := synth.Rows(1, 6, 2)
	for i := range rows {
		rows[i].Strict = i != 0
	}

	rows[1].Turns[0].Action = "I say <|im_end|>"
	rows = slices.Insert(rows, 3, rows[2])

	accept := export.NewAcceptance(newLinter(t), action.Show, toldOf(synth.System("p_c")), unnamed, 0)

	left, err := accept.LeftOut(synth.Sequence(rows))
	if err != nil {
		t.Fatal(err)
	}

	n, why := 0, ""
	for _, l := range left {
		n += l.N
		why += l.Why + "; "
	}

	taken, seen := 0, map[string]bool{}
	for i := range rows {
		key := rows[i].QuestionID + rows[i].Key
		if rows[i].Strict && accept.Accept(historyOf(&rows[i])) && !seen[key] {
			taken, seen[key] = taken+1, true
		}
	}

	if n != len(rows)-taken || !strings.Contains(why, "strict") || !strings.Contains(why, "control-token 1") ||
		!strings.Contains(why, "the same") {
		t.Errorf("%d of %d are left out, and %d taken: %s", n, len(rows), taken, why)
	}
}

// Under once a trajectory is judged by its steps: no sample has the reasoning of two.
func TestAcceptanceOfReasoningOnce(t *testing.T) {
	row := smallRows(false)[0]
	for i := range row.Turns {
		row.Turns[i].Action = "<think>" + strings.Repeat("hm ", 300) + "</think>act"
	}

	for mode, want := range map[action.Reasoning]bool{action.Show: false, action.Once: true} {
		accept := export.NewAcceptance(newLinter(t), mode, toldOf("tools"), unnamed, 1100)
		if got := accept.Accept(historyOf(&row)); got != want {
			t.Errorf("%s: accepted %v, want %v", mode, got, want)
		}
	}
}
