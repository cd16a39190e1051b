package mcts_test

import (
	"context"
	"slices"
	"testing"

	"toolevo/envs"
	"toolevo/envs/envtest"
	"toolevo/mcts"
)

// after returns what is found after trees of the maze.
func after(accept mcts.Accept, trees ...*mcts.Tree) *mcts.Found {
	found := mcts.NewFound(envtest.MazeTask, accept)
	for _, tree := range trees {
		found.Add(tree.Record())
	}
	return found
}

func solver() wanderer { return wanderer{words: []envs.Action{"right", "climb", "up", "stop", "left"}} }

// A tree ends with the simulation in which there is enough, counting what the trees before it
// found, and what itself did.
func TestEnoughEndsATree(t *testing.T) {
	c := config()

	c.Simulations = 200
	if whole := after(nil, grow(t, search(c, solver()), 0, nil)); whole.Len() < 3 {
		t.Fatalf("the whole tree has %d distinct trajectories, want at least 3", whole.Len())
	}

	ended := 0

	for i := range 60 {
		c.Enough = 3 + i%3

		stopped := grow(t, search(c, solver()), i, nil)
		if stopped.Root.Closed {
			continue // it was exhausted before
		}
		ended++

		found := after(nil, stopped)
		if !found.Done(c) {
			t.Errorf("enough is %d: it ended with %d trajectories", c.Enough, found.Len())
		}

		if again := grow(t, search(c, solver()), i+1, found); again.Simulations != 0 {
			t.Errorf("enough is %d: %d simulations though enough was found before", c.Enough, again.Simulations)
		}

		shorter := c
		if shorter.Simulations = stopped.Simulations - 1; shorter.Simulations > 0 {
			if before := after(nil, grow(t, search(shorter, solver()), i, nil)); before.Done(c) {
				t.Errorf("enough is %d: there was enough after %d simulations, the tree has %d", c.Enough,
					shorter.Simulations, stopped.Simulations)
			}
		}
	}

	if ended < 3 {
		t.Errorf("%d trees ended because there was enough: the test shows little", ended)
	}
}

// What was found before counts in a tree: it needs to find the rest only.
func TestEnoughCountsEarlierTrees(t *testing.T) {
	c := config()
	c.Simulations, c.Enough = 200, 4
	ended := 0

	for i := range 60 {
		found := after(nil, grow(t, search(c, solver()), i, nil))
		if found.Done(c) || found.Len() == 0 {
			continue
		}

		second := grow(t, search(c, solver()), i+1, found)
		if second.Root.Closed {
			continue
		}
		ended++

		if alone := after(nil, second); alone.Done(c) {
			t.Errorf("the second tree found %d by itself, want what is missing", alone.Len())
		}

		if found.Add(second.Record()); !found.Done(c) {
			t.Errorf("%d trajectories after both, want enough", found.Len())
		}
	}

	if ended == 0 {
		t.Error("no tree completed what one before began: the test shows nothing")
	}
}

// What training does not take does not count: neither in a tree that grows nor in one that is
// stored.
func TestFoundIsWhatTrainingTakes(t *testing.T) {
	c := config()
	c.Simulations = 200
	asked := 0
	accept := func(h envs.History) bool {
		asked++

		last, _ := h.Last()
		if h.Task().Question != envtest.MazeTask.Question || last.Outcome != envs.Correct || last.Observation == "" ||
			last.Action == "" {
			t.Errorf("asked about %v, which ends with %+v", h.Task(), last)
		}

		return h.Len() != len(envtest.MazeSolutions()[0])+1
	}

	tree := grow(t, search(c, solver()), 0, nil)
	if all, taken := after(nil, tree).Len(), after(accept, tree).Len(); taken >= all || asked == 0 {
		t.Errorf("%d of %d trajectories are taken: the test shows nothing", taken, all)
	}

	c.Enough = 1
	for i := range 30 {
		tree := grow(t, search(c, solver()), i, after(accept))
		if ended := !tree.Root.Closed && tree.Simulations < c.Simulations; ended != after(accept, tree).Done(c) {
			t.Errorf("tree %d ended: %v, with %d trajectories that are taken", i, ended, after(accept, tree).Len())
		}
	}
}

// lenient is a maze whose official matcher takes an answer that is wrong.
type lenient struct{ *envtest.Maze }

func (m lenient) Step(ctx context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	next, err := m.Maze.Step(ctx, s, a)
	if next.Turn.Outcome == envs.Correct {
		next.Grade.Official, next.Grade.Strict = true, false
	}
	return next, err
}

// An answer that the official matcher alone takes is rewarded, and not accepted.
func TestOfficialAloneIsNotAccepted(t *testing.T) {
	s := search(config(), solver())
	s.Config.Simulations = 200
	s.Env = lenient{envtest.NewMaze()}
	tree := grow(t, s, 0, nil)
	rewarded := 0

	for _, n := range tree.Nodes {
		if n.Reward > 0 {
			rewarded++
		}

		if n.Accepted() || tree.Record().Nodes[n.ID].Accepted() {
			t.Errorf("node %s is accepted with %+v", n.Path(), n.Grade)
		}
	}

	if found := after(nil, tree); found.Len() != 0 || rewarded == 0 {
		t.Errorf("%d trajectories found, %d answers rewarded", found.Len(), rewarded)
	}
}

// A trajectory in which a completion was cut short is not found, however it ended.
func TestCutTrajectoriesAreNotFound(t *testing.T) {
	way := envtest.MazeSolutions()[0]

	for _, cut := range []bool{false, true} {
		policy := policyFunc(func(r mcts.Request) []mcts.Proposal {
			turns := r.History.Turns()

			at := len(turns)
			if at == 1 {
				p := mcts.Proposal{Text: "upp"}
				if cut {
					p.Finish = mcts.FinishLength
				}
				return []mcts.Proposal{p}
			}

			if at > 1 {
				at-- // a word that was lost
			}
			return []mcts.Proposal{{Text: string(way[at])}}
		})
		c := config()
		c.MaxDepth = 20
		s := search(c, policy)
		s.Env = unread{envtest.NewMaze()}
		tree := grow(t, s, 0, nil)

		// Neither in a tree that grows: it goes on where one trajectory is enough.
		s.Config.Enough = 1
		if ended := grow(t, s, 0, nil).Simulations == 1; ended == cut {
			t.Errorf("cut: %v: one simulation is enough: %v", cut, ended)
		}

		solved := slices.ContainsFunc(tree.Nodes, (*mcts.Node).Accepted)
		if want := map[bool]int{false: 1, true: 0}[cut]; after(nil, tree).Len() != want || !solved {
			t.Errorf("cut: %v: %d trajectories found, want %d; solved: %v", cut, after(nil, tree).Len(), want, solved)
		}
	}
}

// No more samples are drawn than trajectories are wanted, and some more after a tree that found
// nothing.
func TestSamplesFollowWhatIsFound(t *testing.T) {
	lost := func() *mcts.Tree { return grow(t, search(config(), wanderer{words: []envs.Action{"left"}}), 0, nil) }
	solved := func() *mcts.Tree {
		c := config()
		c.Samples, c.RolloutSamples = 1, 1
		return grow(t, search(c, script(envtest.MazeSolutions()[0])), 0, nil)
	}
	c := config()
	c.Samples, c.RolloutSamples, c.RolloutNodes = 3, 0, mcts.Visible

	for _, test := range []struct {
		name          string
		enough, widen int
		found         *mcts.Found
		want          int
	}{
		{"without enough", 0, 0, after(nil, lost()), 3},
		{"much is wanted", 4, 1, after(nil), 3},
		{"one is wanted", 1, 1, after(nil), 1},
		{"all but one are there", 3, 1, after(nil, solved()), 2},
		{"one is wanted after a tree in vain", 1, 1, after(nil, lost()), 2},
		{"much is wanted after trees in vain", 4, 2, after(nil, lost(), lost()), 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			c.Enough, c.Widen = test.enough, test.widen
			drawn := 0
			p := wanderer{words: []envs.Action{"left"}}

			p.asked = func(r mcts.Request) error {
				if drawn++; r.N != test.want {
					t.Errorf("%d samples at %s, want %d", r.N, r.Node, test.want)
				}
				return nil
			}
			if grow(t, search(c, p), 7, test.found); drawn == 0 {
				t.Error("nothing was drawn")
			}
		})
	}
}

// Visible: a rollout's nodes have their visits at once, and each further simulation goes where
// nothing was drawn yet.
func TestVisibleRollouts(t *testing.T) {
	c := config()
	c.RolloutSamples, c.RolloutNodes = 0, mcts.Visible
	c.Simulations = 1
	first := grow(t, search(c, walker()), 0, nil)
	visited := 0

	for _, n := range first.Nodes {
		if n.Visits > 0 {
			visited++
		}

		if n.Expanded != (len(n.Children) > 0) || n.Visits > 1 {
			t.Errorf("node %s has %d children and N=%d, expanded: %v", n.Path(), len(n.Children), n.Visits, n.Expanded)
		}
	}

	if visited != first.Calls+1 || first.Calls < 3 {
		t.Errorf("%d nodes visited in a rollout of %d requests, want its nodes and its end", visited, first.Calls)
	}

	for c.Simulations = 2; c.Simulations < 12; c.Simulations++ {
		short, long := c, c
		short.Simulations--

		a, b := grow(t, search(short, walker()), 0, nil), grow(t, search(long, walker()), 0, nil)
		if b.Calls <= a.Calls && !a.Root.Closed {
			t.Errorf("simulation %d asked for nothing", c.Simulations)
		}
	}
}

// A subtree with nothing left to expand is closed at once, or, as in the published code, one level
// per simulation, each of which is idle and counted. By hand: the root and its child are expanded,
// which takes two simulations; the third closes the child and the fourth the root.
func TestIdleSimulations(t *testing.T) {
	for atOnce, want := range map[bool][2]int{true: {2, 0}, false: {4, 2}} {
		c := config()
		c.Samples, c.RolloutSamples, c.MaxDepth, c.CloseAtOnce = 1, 1, 1, atOnce

		tree := grow(t, search(c, wanderer{words: []envs.Action{"right"}}), 0, nil)
		if got := [2]int{tree.Simulations, tree.Idle}; got != want || !tree.Root.Closed {
			t.Errorf("close at once: %v: %d simulations, %d idle, want %v; closed: %v", atOnce, got[0], got[1], want,
				tree.Root.Closed)
		}

		c.Samples, c.RolloutSamples, c.MaxDepth, c.Simulations = 3, 3, 2, 500
		tree = grow(t, search(c, walker()), 0, nil)
		expanded := 0

		for _, n := range tree.Nodes {
			if n.Expanded {
				expanded++
			}
		}

		if !tree.Root.Closed || tree.Simulations-tree.Idle != expanded || atOnce != (tree.Idle == 0) {
			t.Errorf("close at once: %v: %d nodes expanded in %d simulations, %d of them idle", atOnce, expanded,
				tree.Simulations, tree.Idle)
		}
	}
}
