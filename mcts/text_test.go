package mcts_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/mcts"
)

// record is a tree made by hand: what selection sees is one deprecated call and one right one, and
// a rollout cached five nodes below the second.
func record() *mcts.TreeRecord {
	node := func(id, parent, depth int, key string, o envs.Outcome) mcts.Record {
		return mcts.Record{
			ID: id, Parent: parent, Depth: depth, Key: key, Outcome: o, Prior: 0.25, Draws: 1,
			Action: " Thought: so.\nAction: " + key + "\n", Observation: "seen  " + key + "\n\tand more\n",
		}
	}

	t := &mcts.TreeRecord{Nodes: []mcts.Record{
		node(0, mcts.NoParent, 0, "", envs.OK), node(1, 0, 1, "old {}", envs.Deprecated),
		node(2, 0, 1, "new {}", envs.OK), node(3, 2, 2, "a {}", envs.OK),
		node(4, 2, 2, "b {}", envs.Incorrect), node(5, 3, 3, "Finish {1}", envs.Correct),
		node(6, 3, 3, "c {}", envs.ToolError), node(7, 5, 4, "d {}", envs.Correct),
	}}
	t.Nodes[0].Expanded, t.Nodes[0].Visits = true, 3
	t.Nodes[1].Limit = mcts.LimitDepth
	t.Nodes[2].Visits, t.Nodes[2].TotalValue = 1, -0.5
	t.Nodes[5].Grade = envs.Grade{Official: true, Strict: true}
	t.Nodes[7].Grade = envs.Grade{Official: true}

	return t
}

// A tree is drawn as selection sees it, with what is cached in short, or whole.
func TestWriteText(t *testing.T) {
	for _, test := range []struct {
		name    string
		options mcts.TextOptions
		want    string
	}{
		{"visible", mcts.TextOptions{}, `
  ID    N      Q     P  Which?
   1    0         0.25  ├ [deprecated] old {}  stopped: depth
   2    1  -0.50  0.25  └ new {}  (+5 cached, 1 accepted)
`},
		{"cached", mcts.TextOptions{Cached: true}, `
  ID    N      Q     P  Which?
   1    0         0.25  ├ [deprecated] old {}  stopped: depth
   2    1  -0.50  0.25  └ new {}
   3    ·         0.25    ├ a {}
   5    ·         0.25    │ ├ ✓ Finish {1}
   7    ·         0.25    │ │ └ (✓) d {}
   6    ·         0.25    │ └ [tool-error] c {}
   4    ·         0.25    └ ✗ b {}
`},
		{"narrow", mcts.TextOptions{Width: 30}, `
  ID    N      Q     P  Which?
   1    0         0.25  ├ [de…
   2    1  -0.50  0.25  └ new…
`},
		{"full", mcts.TextOptions{Full: true, Width: 30}, `
  ID    N      Q     P  Which?
   1    0         0.25  ├ [deprecated] old {}  stopped: depth
                        │   Thought: so.
                        │   Action: old {}
                        │   Observation: seen old {}
                        │   and more
   2    1  -0.50  0.25  └ new {}
                            Thought: so.
                            Action: new {}
                            Observation: seen new {}
                            and more
   3    ·         0.25    ├ a {}
                          │   Thought: so.
                          │   Action: a {}
                          │   Observation: seen a {}
                          │   and more
`},
	} {
		var b strings.Builder
		if err := record().WriteText(&b, " Which?\n", test.options); err != nil {
			t.Fatal(err)
		}

		got := "\n" + b.String()
		if test.options.Full {
			got = got[:min(len(test.want), len(got))]
		}

		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}

	// Where nothing that is cached was accepted, or nothing is cached, less is said.
	r := record()
	r.Nodes[5].Strict = false

	var b strings.Builder
	if err := r.WriteText(&b, "", mcts.TextOptions{}); err != nil {
		t.Fatal(err)
	}

	if got := b.String(); !strings.Contains(got, "new {}  (+5 cached)\n") || strings.Count(got, "cached") != 1 {
		t.Errorf("nothing is accepted in\n%s", got)
	}
}

// Who has seen enough of a drawing sees no more of it.
func TestDrawnEnds(t *testing.T) {
	var whole []int
	for id := range record().Drawn(true) {
		whole = append(whole, id)
	}

	if diff := cmp.Diff([]int{1, 2, 3, 5, 7, 6, 4}, whole); diff != "" {
		t.Error(diff)
	}

	for n := range whole {
		seen := 0

		for range record().Drawn(true) {
			if seen++; seen > n {
				break // going on would panic
			}
		}
	}
}

func TestWriteTrajectory(t *testing.T) {
	var b strings.Builder
	if err := record().WriteTrajectory(&b, "Which?", 4); err != nil {
		t.Fatal(err)
	}

	want := `Question: Which?

Thought: so.
Action: new {}

Observation: seen  new {}
	and more

Thought: so.
Action: b {}

Observation: seen  b {}
	and more
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// full is a disk that is full.
type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

func TestWhatCannotBeWritten(t *testing.T) {
	gone := errors.New("the disk is full")

	if err := record().WriteText(full{gone}, "", mcts.TextOptions{}); !errors.Is(err, gone) {
		t.Errorf("a tree: %v", err)
	}

	if err := record().WriteTrajectory(full{gone}, "", 4); !errors.Is(err, gone) {
		t.Errorf("a trajectory: %v", err)
	}
}

// A record says what its tree says of accepted and right answers, values and caches.
func TestRecord(t *testing.T) {
	r := record()
	if got := r.Correct(); got != 2 {
		t.Errorf("%d answers are right, want 2", got)
	}

	for id, want := range []bool{false, false, false, true, true, true, true, true} {
		if r.IsCached(id) != want {
			t.Errorf("node %d is cached: %v", id, !want)
		}
	}
}

// Whatever differs in a stored tree is found, and nothing else.
func TestDifferences(t *testing.T) {
	if d := record().Differences(record()); len(d) != 0 {
		t.Errorf("equal trees differ: %q", d)
	}

	for name, damage := range map[string]func(*mcts.TreeRecord){
		"the index":       func(t *mcts.TreeRecord) { t.Tree++ },
		"its seed":        func(t *mcts.TreeRecord) { t.Seed++ },
		"its samples":     func(t *mcts.TreeRecord) { t.Samples++ },
		"a node":          func(t *mcts.TreeRecord) { t.Nodes[0].Draws++ },
		"the last node":   func(t *mcts.TreeRecord) { t.Nodes[7].Observation += "." },
		"a node too many": func(t *mcts.TreeRecord) { t.Nodes = append(t.Nodes, mcts.Record{}) },
		"a node too few":  func(t *mcts.TreeRecord) { t.Nodes = t.Nodes[:7] },
	} {
		r := record()
		damage(r)

		if d := r.Differences(record()); len(d) != 1 {
			t.Errorf("%s: %d differences: %q", name, len(d), d)
		}
	}
}
