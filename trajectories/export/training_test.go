package export_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/trajectories/export"
)

// By equation 8 of KTO's paper all wanted replies together weigh 1 to 4/3 of what the others do,
// and one of the weights is 1. The first counts are of real runs.
func TestLabelWeights(t *testing.T) {
	for _, l := range []export.Labels{
		{524, 63}, {1448, 24}, {1527, 103}, {24, 1448}, {1, 1}, {4, 3}, {135, 100}, {99, 100},
		{1, 100000}, {100000, 1},
	} {
		for trainer, names := range map[export.Trainer][2]string{
			export.LlamaFactory: {"kto_chosen_weight", "kto_rejected_weight"},
			export.TRL:          {"desirable_weight", "undesirable_weight"},
		} {
			got := l.Weights(trainer)
			if len(got) != 2 || got[0].Key != names[0] || got[1].Key != names[1] {
				t.Fatalf("%v for %s: %v", l, trainer, got)
			}

			good, bad := got[0].Value.(float64), got[1].Value.(float64)
			ratio := good * float64(l.Desirable) / (bad * float64(l.Undesirable))

			if ratio < 1 || ratio > 4./3 || min(good, bad) != 1 {
				t.Errorf("%v for %s: weights %v and %v, a ratio of %v", l, trainer, good, bad, ratio)
			}
		}
	}

	for _, l := range []export.Labels{{}, {5, 0}, {0, 5}} {
		if got := l.Weights(export.TRL); got != nil {
			t.Errorf("%v cannot be balanced, and there is %v", l, got)
		}
	}
}

// The card says where the loss falls, with the lines by which it does, and how labels are balanced.
// The manifest counts the labels.
func TestCardSaysHowToTrain(t *testing.T) {
	const marked = "\nassistant_only_loss: true\n"

	for trainer, wants := range map[export.Trainer]map[export.Format]string{
		export.LlamaFactory: {
			export.SFTTrajectory: "\nstage: sft\n",
			export.SFTStep:       "\nmask_history: true\n",
			export.DPO:           "\nstage: dpo\n",
			export.KTO:           "\nkto_chosen_weight: 1.0\n",
			export.Reward:        "\nstage: rm\n",
			export.OpenAI:        "\nstage: sft\n",
			export.Tree:          "# Tool-use trajectories: tree for toolevo_env.trees\n",
		},
		export.TRL: {
			export.SFTTrajectory: marked,
			export.SFTStep:       "\ncompletion_only_loss: true\n",
			export.DPO:           "`trl dpo`.\n",
			export.KTO:           "\ndesirable_weight: 1.0\n",
			export.Reward:        "`trl reward`.\n",
			export.OpenAI:        marked,
			export.Tree:          "No command of a trainer reads trees. The Python module `toolevo_env.trees`",
		},
	} {
		for format, want := range wants {
			dir := filepath.Join(t.TempDir(), "export")
			m := wrote(t, dir, manyRows(6, true, act), export.Options{Format: format, Trainer: trainer})
			card := string(contents(t, filepath.Join(dir, "README.md")))

			if !strings.Contains(card, want) {
				t.Errorf("%s for %s: the card lacks %q:\n%s", format, trainer, want, card)
			}

			l, counted := m.Labels, 0
			if format == export.KTO {
				counted = m.Rows
			}

			said := fmt.Sprintf("%d replies are wanted and %d are not", l.Desirable, l.Undesirable)
			if l.Desirable+l.Undesirable != counted || strings.Contains(card, said) != (counted > 0) {
				t.Errorf("%s: %d samples, labels %v, and the card says\n%s", format, m.Rows, l, card)
			}
		}
	}
}

// The Hub names sizes by powers of ten.
func TestSizeOfACard(t *testing.T) {
	for questions, want := range map[int]string{6: "n<1K", 1200: "1K<n<10K"} {
		dir := filepath.Join(t.TempDir(), "export")
		m := wrote(t, dir, manyRows(questions, false, act), export.Options{})

		card := string(contents(t, filepath.Join(dir, "README.md")))
		if !strings.Contains(card, "\n- "+want+"\n") {
			t.Errorf("%d samples: %s, want %s", m.Rows, card[:200], want)
		}
	}
}

// Whoever shares samples fills in the licence in the head of the card; whatever else is changed is
// found.
func TestLicenseOfACard(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "export")
	wrote(t, dir, manyRows(6, false, act), export.Options{})

	path := filepath.Join(dir, "README.md")
	card := string(contents(t, path))

	for text, want := range map[string]bool{
		strings.Replace(card, "license: unknown\n", "license: other\nlicense_name: mine\n", 1): true,
		strings.Replace(card, "- en\nlicense: unknown", "- fr\nlicense: mit", 1):               false,
		strings.Replace(card, "license: unknown\n", "license: odc-by\n", 1):                    true,
		strings.Replace(card, "license: unknown\n", "license: mid\n", 1):                       false,
		card + "license: mit\n": false,
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}

		if report, err := export.Proved(dir, newLinter(t), nil); err != nil || report.OK() != want {
			t.Errorf("%v, %v; want it to be accepted: %v\n%s", report, err, want, text)
		}
	}
}
