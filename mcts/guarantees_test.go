package mcts_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/envtest"
	"toolevo/mcts"
)

// forest makes trees of paths at random: few keys and fewer names, so that trajectories and
// sequences of tools are often the same, and some that are cut, wrong, or right for the official
// matcher alone.
func forest(rng *rand.Rand) []*mcts.TreeRecord {
	trees := make([]*mcts.TreeRecord, 1+rng.IntN(6))
	for i := range trees {
		root := mcts.Record{Parent: mcts.NoParent}
		t := &mcts.TreeRecord{Tree: i, Samples: rng.IntN(5), Nodes: []mcts.Record{root}}
		for range rng.IntN(6) {
			branch(rng, t)
		}

		trees[i] = t
	}
	return trees
}

// branch adds one path from the root.
func branch(rng *rand.Rand, t *mcts.TreeRecord) {
	parent, depth := 0, 1+rng.IntN(2)
	for d := 1; d <= depth; d++ {
		n := mcts.Record{ID: len(t.Nodes), Parent: parent, Depth: d}
		n.Name = string("ab"[rng.IntN(2)])
		n.Key = n.Name + string("xyz"[rng.IntN(3)])
		n.Action, n.Cut = n.Key, rng.IntN(12) == 0

		if d == depth {
			n.Outcome = []envs.Outcome{envs.Correct, envs.Correct, envs.Incorrect}[rng.IntN(3)]
			n.Official = n.Outcome == envs.Correct
			n.Strict = n.Official && rng.IntN(5) > 0
		}

		t.Nodes, parent = append(t.Nodes, n), n.ID
	}
}

// naive reads Config's comments word by word: what a question's trees found, and whether it needs
// no further one.
type naive struct {
	picky               bool // training does not take what begins with a call of x
	trajectories, tools map[string]bool
	barren, drawn       int
}

func (f *naive) takes(keys []string) bool { return !f.picky || !strings.HasSuffix(keys[0], "x") }

// accept is what a question's trees are asked for by f.
func (f *naive) accept(h envs.History) bool { return f.takes([]string{string(h.Turns()[0].Action)}) }

func (f *naive) add(t *mcts.TreeRecord) {
	before := len(f.tools)

	for id, n := range t.Nodes {
		if n.Outcome != envs.Correct || !n.Official || !n.Strict {
			continue
		}

		var keys, names []string
		cut := false
		for _, at := range t.Path(id)[1:] {
			keys, names = append(keys, t.Nodes[at].Key), append(names, t.Nodes[at].Name)
			cut = cut || t.Nodes[at].Cut
		}

		if !cut && f.takes(keys) {
			f.trajectories[strings.Join(keys, " ")] = true
			f.tools[strings.Join(names, " ")] = true
		}
	}

	f.drawn += t.Samples
	f.barren++
	if len(f.tools) > before {
		f.barren = 0
	}
}

func (f *naive) done(c mcts.Config) bool {
	half := (c.Enough + 1) / 2
	enough := c.Enough > 0 && (len(f.tools) >= c.Enough || len(f.trajectories) >= c.Enough+half)
	barren := c.Barren > 0 && f.barren >= c.Barren+len(f.tools)
	spent := c.Completions > 0 && f.drawn >= c.Completions
	return enough || barren || spent
}

// A question ends when as many trajectories as wanted call different tools, or half as many again
// exist, when too many trees in a row were in vain, or when its completions are used up: by a naive
// reading of random trees.
func TestDoneNaively(t *testing.T) {
	reasons := map[string]int{}

	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 0))
		f := &naive{picky: seed%2 == 0, trajectories: map[string]bool{}, tools: map[string]bool{}}
		found := mcts.NewFound(envtest.MazeTask, f.accept)

		if !f.picky {
			found = mcts.NewFound(envtest.MazeTask, nil)
		}

		for _, tree := range forest(rng) {
			found.Add(tree)
			f.add(tree)

			if found.Len() != len(f.trajectories) {
				t.Fatalf("seed %d: %d trajectories, want %v", seed, found.Len(), f.trajectories)
			}

			for _, c := range []mcts.Config{
				{Enough: 1 + rng.IntN(4)}, {Barren: 1 + rng.IntN(3)}, {Completions: 1 + rng.IntN(12)}, {},
			} {
				if found.Done(c) != f.done(c) {
					t.Fatalf("seed %d: done is %t with %+v by %+v", seed, found.Done(c), c, f)
				}

				if f.done(c) {
					reasons[fmt.Sprint(c.Enough > 0, c.Barren > 0, c.Completions > 0)]++
				}
			}
		}
	}

	if len(reasons) != 3 {
		t.Errorf("questions ended for %v: the test shows little", reasons)
	}
}

// A rollout that ends for want of completions has no reward and no visit, one that has enough of
// them does: the way to the goal takes four, one a turn.
func TestCompletionsEndARollout(t *testing.T) {
	for completions := 1; completions <= 5; completions++ {
		c := config()
		c.Samples, c.RolloutSamples, c.Simulations, c.Completions = 1, 1, 1, completions

		tree := grow(t, search(c, script(envtest.MazeSolutions()[0])), 0, nil)
		if visits := max(0, min(completions-3, 1)); tree.Root.Visits != visits ||
			tree.Samples != min(completions, 4) {
			t.Errorf("%d completions: %d visits, %d samples", completions, tree.Root.Visits, tree.Samples)
		}
	}
}

// A simulation that fails leaves no node expanded: growing on is the same as if it had not been
// begun, whatever call failed.
func TestAFailureExpandsNothing(t *testing.T) {
	broken := errors.New("the server is gone")
	seen := 0

	for _, failing := range []int{1, 2, 3, 5, 8, 9, 10, 11, 12, 13, 14, 15, 20} {
		calls := 0
		p := walker()
		p.asked = func(mcts.Request) error {
			if calls++; calls > failing {
				return broken
			}
			return nil
		}
		s := search(config(), p)

		tree, err := s.Grow(context.Background(), envtest.MazeTask, 0, nil)
		if err == nil {
			continue
		}

		expanded := 0
		for _, n := range tree.Nodes {
			if n.Expanded {
				expanded++
			}
		}

		// Each simulation that is through, and was not idle, expanded one node.
		if want := tree.Simulations - tree.Idle; expanded != want {
			t.Errorf("call %d fails: %d nodes are expanded after %d simulations", failing+1, expanded, want)
		}

		seen++
	}

	if seen < 5 {
		t.Errorf("%d searches failed: the test shows little", seen)
	}
}

// A mean log-probability above 0, which some servers give by rounding, is a prior of 1.
func TestPositiveLogProbability(t *testing.T) {
	for _, duplicates := range []mcts.Duplicates{mcts.SameText, mcts.SameAction} {
		c := config()
		c.Duplicates = duplicates
		tree := grow(t, search(c, policyFunc(func(r mcts.Request) []mcts.Proposal {
			return []mcts.Proposal{
				{Text: "right", LogProb: 0.25, Scored: true},
				{Text: "climb", LogProb: -0.25, Scored: true},
			}
		})), 0, nil)

		for _, n := range tree.Nodes {
			if n.Turn.Action == "right" && n.Prior != 1 {
				t.Errorf("%s: the prior of %q is %v", duplicates, n.Turn.Action, n.Prior)
			}
		}
	}
}
