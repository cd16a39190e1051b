package export_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
	"toolevo/trajectories/internal/synth"
)

// rowsOf are the trajectories of one tree that ended.
func rowsOf(steps []step, change func(tree *mcts.TreeRecord)) []trajectories.Row {
	tree := record(steps, act)
	change(tree)
	return slices.Collect(values(synth.Sorted(trajectories.Ended(trajectories.Meta{
		Run:      trajectories.Run{ID: "run", PromptAPI: "p_c", DeployedAPI: "p_s_in"},
		Question: trajectories.Question{ID: "q", Split: "train", Text: "How much?"},
	}, tree))))
}

// nodes are those of a tree, a line each.
func nodes(s *export.Sample) (all []string) {
	for _, n := range s.Nodes {
		all = append(all, fmt.Sprintf("%d < %s: %s, N %d, Q %.1f, advantage %.3f %s", n.Parent,
			n.NodePath, said(n.Messages...), n.Visits, n.Value, n.Advantage, n.Outcome))
	}
	return all
}

func trees(t *testing.T, rows []trajectories.Row, selection export.Selection) (
	[]export.Sample, *export.Manifest) {
	t.Helper()

	dir := filepath.Join(t.TempDir(), "export")
	m := wrote(t, dir, rows, export.Options{Format: export.Tree, Selection: selection})

	if report, err := export.Proved(dir, newLinter(t), nil); err != nil || !report.OK() {
		t.Errorf("%+v, %v", report, err)
	}
	return synth.Collect(t, export.Read(dir, false)), m
}

// The small tree by hand. Of the three actions at the root one leads to two right ends and a wrong
// one, a mean of 1/3, and two lead to -1: the mean is -5/9, the deviation 0.7698. Below 0.0 means
// are 1, -1 and 1: the mean is 1/3, the deviation 1.1547. What ended for want of room is not there,
// and nothing of what leads only there.
func TestTreesByHand(t *testing.T) {
	got, m := trees(t, smallRows(true), export.Selection{PerQuestion: 1})
	want := []string{
		"-1 < 0.0: act 0.0 / see 0.0, N 9, Q 0.5, advantage 1.155 ",
		"0 < 0.0.0: act 0.0.0, N 4, Q 1.0, advantage 0.577 correct",
		"0 < 0.0.1: act 0.0.1, N 2, Q -1.0, advantage -1.155 incorrect",
		"0 < 0.0.2: act 0.0.2 / see 0.0.2, N 3, Q 0.3, advantage 0.577 ",
		"3 < 0.0.2.0: act 0.0.2.0 / see 0.0.2.0, N 2, Q 1.0, advantage 0.577 ",
		"4 < 0.0.2.0.0: act 0.0.2.0.0, N 1, Q 1.0, advantage 0.577 correct",
		"-1 < 0.1: act 0.1 / see 0.1, N 5, Q -1.0, advantage -0.577 ",
		"6 < 0.1.0: act 0.1.0, N 3, Q -1.0, advantage -0.577 depth",
		"-1 < 0.2: act 0.2 / see 0.2, N 2, Q -1.0, advantage -0.577 ",
		"8 < 0.2.0: act 0.2.0, N 1, Q -1.0, advantage -0.577 incorrect",
	}

	if len(got) != 1 || m.Rows != 1 || m.Selected.Kept != 1 {
		t.Fatalf("%d trees, %+v", len(got), m.Selected)
	}

	if d := cmp.Diff(want, nodes(&got[0])); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	if said(got[0].Conversations...) != "" || got[0].System == "" {
		t.Errorf("the prompt is %q and %v", got[0].System, got[0].Conversations)
	}
}

// A tree without a chosen trajectory is not there, and none is twice.
func TestTreesThatAreChosen(t *testing.T) {
	lost := slices.DeleteFunc(smallTree(), func(s step) bool { return s.outcome == envs.Correct })
	rows := rowsOf(lost, func(*mcts.TreeRecord) {})

	if got, m := trees(t, rows, export.Selection{}); len(got) != 0 {
		t.Errorf("of a tree in which nothing succeeds: %v, %+v", got, m)
	}

	again := smallRows(true)
	for i := range again {
		again[i].Tree = 1
	}

	got, m := trees(t, append(smallRows(true), again...), export.Selection{})
	if len(got) != 1 {
		t.Errorf("of the same tree twice there are %d", len(got))
	}

	if m.Selected.Dropped.Duplicate != 2 {
		t.Errorf("%+v", m.Selected.Dropped)
	}
}

// A right answer that was guessed, as nothing revealed what a call meant, is in no tree.
func TestTreesHoldNothingBlind(t *testing.T) {
	blind := ""
	s := export.Selection{Blind: func(r *trajectories.Row) bool {
		if r.IsCorrect() && blind == "" {
			blind = r.Key
		}
		return r.Key == blind
	}}

	count := func(s export.Selection) (right int) {
		got, _ := trees(t, smallRows(true), s)
		for _, n := range got[0].Nodes {
			if n.Outcome == envs.Correct.String() {
				right++
			}
		}
		return right
	}

	if all, rest := count(export.Selection{}), count(s); blind == "" || all-rest != 1 {
		t.Errorf("%d right ends, and %d without %q: want one fewer", all, rest, blind)
	}
}

// A call that only meant something else than it did is no bad one: where nothing in a wrong
// trajectory revealed that, no pair rejects its actions and no label calls them bad.
func TestNothingBlindIsBad(t *testing.T) {
	const guessed = "act 0.0.1" // the wrong end beside the right ones

	selection := export.Selection{Blind: func(r *trajectories.Row) bool {
		return r.Turns[len(r.Turns)-1].Action == guessed
	}}

	for format, want := range map[export.Format]int{
		export.DPO: 2, export.KTO: 1, export.Reward: 1,
	} {
		count := func(s export.Selection) (bad int) {
			dir := filepath.Join(t.TempDir(), "export")
			wrote(t, dir, smallRows(true), export.Options{Format: format, Selection: s})

			for _, sample := range synth.Collect(t, export.Read(dir, false)) {
				text := sample.Rejected.Value
				if format == export.KTO && !sample.Good {
					text = said(sample.Conversations...)
				}

				if strings.Contains(text, guessed) {
					bad++
				}
			}
			return bad
		}

		if n := count(export.Selection{}); n != want {
			t.Errorf("%s: %d bad samples of %q, want %d", format, n, guessed, want)
		}

		if n := count(selection); n != 0 {
			t.Errorf("%s: %d bad samples of %q, whose worth is unknown", format, n, guessed)
		}
	}
}

// What a single matcher takes, what was cut and what the linter faults is in no tree, and its
// siblings are compared without it. Text that nobody should learn has no weight.
func TestTreesHoldNothingPoisoned(t *testing.T) {
	at := func(tree *mcts.TreeRecord, path string) *mcts.Record {
		return &tree.Nodes[slices.IndexFunc(tree.Nodes, func(n mcts.Record) bool {
			return strings.HasSuffix(n.Action, "act "+path)
		})]
	}

	for name, c := range map[string]struct {
		spoil func(tree *mcts.TreeRecord)
		lint  int // failures that the linter faults
	}{
		"one matcher": {func(tree *mcts.TreeRecord) { at(tree, "0.0.1").Grade.Official = true }, 0},
		"cut":         {func(tree *mcts.TreeRecord) { at(tree, "0.0.1").Cut = true }, 0},
		"control token": {func(tree *mcts.TreeRecord) {
			at(tree, "0.0.1").Action = "<|eot_id|> act 0.0.1"
		}, 1},
	} {
		got, m := trees(t, rowsOf(smallTree(), c.spoil), export.Selection{})
		if len(got) != 1 {
			t.Fatalf("%s: %d trees", name, len(got))
		}

		text := strings.Join(nodes(&got[0]), "\n")
		if strings.Contains(text, "0.0.1") || m.Lint.Samples != c.lint {
			t.Errorf("%s: %+v\n%s", name, m.Lint, text)
		}

		// 1 beside 1, and at the root 1 beside -1 and -1.
		for _, want := range []string{
			"act 0.0.0, N 4, Q 1.0, advantage 0.000", "see 0.0, N 9, Q 0.5, advantage 1.155",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
	}

	got, _ := trees(t, smallRows(true), export.Selection{SkipFaulty: true})

	var untrained []string

	for _, n := range got[0].Nodes {
		for _, m := range n.Messages {
			if m.Untrained {
				untrained = append(untrained, m.Value)
			}
		}
	}

	if d := cmp.Diff([]string{"act 0.0.2.0"}, untrained); d != "" {
		t.Errorf("the mistake made again: -want +got:\n%s", d)
	}
}

// A naive reader finds in every tree of drawn forests the ends of all trajectories whose worth is
// known, by their texts and verdicts, and nothing else.
func TestTreesNaively(t *testing.T) {
	found := 0

	for seed := range uint64(12) {
		rows := forest(seed)

		dir := filepath.Join(t.TempDir(), "export")
		wrote(t, dir, rows, export.Options{Format: export.Tree})

		for i, s := range synth.Collect(t, export.Read(dir, false)) {
			l := lineage(t, dir)[i]

			var want, got []string

			for _, row := range rows {
				if row.QuestionID == l.QuestionID && row.RunID == l.RunID && row.Tree == l.Tree &&
					row.Cuts == 0 && !strings.Contains(fmt.Sprint(row.Turns), "<|") {
					want = append(want, fmt.Sprint(said(turnsOf(&row)...), row.IsCorrect()))
				}
			}

			for i, n := range s.Nodes {
				if n.Outcome == "" {
					continue
				}

				var path []export.Message
				for ; i >= 0; i = s.Nodes[i].Parent {
					path = slices.Concat(s.Nodes[i].Messages, path)
				}

				got = append(got, fmt.Sprint(said(path...), n.Outcome == "correct"))
				found++
			}

			slices.Sort(want)
			slices.Sort(got)

			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("seed %d, %s of tree %d: -want +got:\n%s", seed, l.QuestionID, l.Tree, d)
			}
		}
	}

	if found < 100 {
		t.Errorf("%d ends in all: the test shows nothing", found)
	}
}
