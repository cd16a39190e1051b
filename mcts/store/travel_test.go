package store_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/mcts"
	"toolevo/mcts/store"
)

// told makes calls and a tree in a store, and returns what the store tells of them.
func told(t *testing.T, text string, trees ...int) []store.Row {
	t.Helper()

	s := open(t)

	var mu sync.Mutex
	var rows []store.Row

	s.Watch(func(r store.Row) {
		mu.Lock()
		defer mu.Unlock()

		rows = append(rows, r)
	})

	for _, tree := range trees {
		p, err := s.Policy(t.Context(), "q", tree, &echo{text: text})
		if err != nil {
			t.Fatal(err)
		}

		for _, path := range []string{"0", "0.1"} {
			r := request(path, 7)
			r.Node.Tree = tree

			if _, err := p.Propose(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}

		if err := s.SaveTree(t.Context(), grownTree(tree, text)); err != nil {
			t.Fatal(err)
		}
	}
	return rows
}

// grownTree is a tree of one node.
func grownTree(tree int, text string) *mcts.TreeRecord {
	return &mcts.TreeRecord{
		Question: "q", Tree: tree, Calls: 2,
		Nodes: []mcts.Record{{Parent: mcts.NoParent, Observation: text}},
	}
}

// What a store tells of its rows is what another one has once it took them, packed in between, and
// taking it twice changes nothing.
func TestRowsTravel(t *testing.T) {
	t.Parallel()

	rows := told(t, "a", 0, 1)

	again, err := store.UnpackRows(store.PackRows(rows))
	if diff := cmp.Diff(rows, again); diff != "" || err != nil {
		t.Fatal(err, diff)
	}

	s := open(t)

	for i, want := range []int{0, 4} {
		taken, err := s.Take(t.Context(), again, false)
		if (taken != store.Taken{Calls: 4, Refused: want}) || err != nil {
			t.Errorf("pass %d: %+v, %v", i, taken, err)
		}
	}

	got, err := s.RowsOf(t.Context(), "q", 0, 2)
	if diff := cmp.Diff(rows, got); diff != "" || err != nil {
		t.Error(err, diff)
	}

	// They are answers of this log now.
	p, err := s.Policy(t.Context(), "q", 1, nil)
	if err != nil {
		t.Fatal(err)
	}

	r := request("0.1", 7)
	r.Node.Tree = 1

	if all, err := p.Propose(t.Context(), r); err != nil || len(all) != 2 {
		t.Errorf("%v, %v", all, err)
	}
}

// What comes after a call that had another answer here may depend on it, and is left out: the tree
// grows on from the answers that are here.
func TestRowsOfOtherAnswers(t *testing.T) {
	t.Parallel()

	s := open(t)
	first, second := told(t, "a", 0), told(t, "b", 0)

	// Its worker died before the second call.
	if _, err := s.Take(t.Context(), first[:1], false); err != nil {
		t.Fatal(err)
	}

	taken, err := s.Take(t.Context(), second, false)
	if (taken != store.Taken{Calls: 2, Refused: 2, Torn: true}) || err != nil {
		t.Errorf("%+v, %v", taken, err)
	}

	rows, err := s.RowsOf(t.Context(), "q", 0, 1)
	if diff := cmp.Diff(first[:1], rows); diff != "" || err != nil {
		t.Error(err, diff)
	}

	// The same unit, done again.
	if taken, err := s.Take(t.Context(), first, false); taken.Torn || err != nil {
		t.Errorf("%+v, %v", taken, err)
	}

	if _, there, err := s.LoadTree(t.Context(), "q", 0); !there || err != nil {
		t.Errorf("the tree that was grown again is there: %v, %v", there, err)
	}
}

// Where trees depend on those before them, one that is grown again takes those after it away, also
// when the log of both is taken once more, as by a coordinator that was started again.
func TestTreesInTurnTravel(t *testing.T) {
	t.Parallel()

	s := open(t)
	first, second := told(t, "a", 0, 2), told(t, "a", 1)

	for _, rows := range [][]store.Row{first, second, first, second} {
		if _, err := s.Take(t.Context(), rows, true); err != nil {
			t.Fatal(err)
		}
	}

	if got, err := s.TreeIndices(t.Context(), "q"); !cmp.Equal(got, []int{0, 1}) || err != nil {
		t.Errorf("the trees are %v, %v", got, err)
	}
}

func TestRowsThatNoStoreWrote(t *testing.T) {
	t.Parallel()

	for name, row := range map[string]store.Row{
		"a call":               {Question: "q", Path: "0", N: 1, Value: "no columns"},
		"a tree":               {Question: "q", Path: "tree", Value: "no columns"},
		"a tree without nodes": {Question: "q", Path: "tree", Value: string(store.PackProposals(nil))},
	} {
		s := open(t)
		if _, err := s.Take(t.Context(), []store.Row{row}, false); err == nil {
			t.Errorf("%s is taken", name)
		}

		if n, err := s.CallCount(t.Context()); n > 0 || err != nil {
			t.Errorf("%s: %d calls, %v", name, n, err)
		}
	}
}

func FuzzUnpackRows(f *testing.F) {
	f.Add(store.PackRows([]store.Row{{Question: "q", Tree: 1, Path: "0.1", N: 2, Seed: 3, History: 4, Value: "v"}}))
	f.Add([]byte{})

	f.Fuzz(func(t *testing.T, text []byte) {
		rows, err := store.UnpackRows(text)
		if err != nil {
			return
		}

		again, err := store.UnpackRows(store.PackRows(rows))
		if diff := cmp.Diff(rows, again); diff != "" || err != nil {
			t.Error(err, diff)
		}
	})
}
