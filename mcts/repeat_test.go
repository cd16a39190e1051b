package mcts_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/envtest"
	"toolevo/mcts"
)

// script is a policy that takes the same path in every tree: one action at each depth, the last one
// ever after.
type script []envs.Action

func (s script) Propose(_ context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	action := s[min(r.History.Len(), len(s)-1)]
	return slices.Repeat([]mcts.Proposal{{Text: string(action)}}, r.N), nil
}

// along grows a tree along a path, with Config.Repeats set to repeats, and returns its deepest
// node.
func along(t *testing.T, env envs.Environment, task envs.Task, path []envs.Action, repeats int) *mcts.Node {
	t.Helper()

	c := config()
	c.Samples, c.RolloutSamples, c.Simulations, c.MaxDepth, c.Repeats = 1, 1, 1, 20, repeats

	s := &mcts.Search{Env: env, Policy: script(path), Config: c, Seed: 1}

	tree, err := s.Grow(t.Context(), task, 0, nil)
	if err != nil {
		t.Fatal(err)
	}

	check(t, tree, c)
	return tree.Nodes[len(tree.Nodes)-1]
}

// repeated says of each action on the way to a node whether it repeats a failure.
func repeated(n *mcts.Node) []bool {
	flags := make([]bool, n.Depth)
	for ; n.Parent != nil; n = n.Parent {
		flags[n.Depth-1] = n.Repeats
	}
	return flags
}

// What repeats a failure, by hand.
func TestRepeats(t *testing.T) {
	maze := envtest.NewMaze()

	for _, tt := range []struct {
		name string
		path []envs.Action
		want []bool
	}{
		{"every kind of failure", []envs.Action{"up", "fly", "left twice", "left", "\xff", "up", "fly", "left twice"},
			[]bool{false, false, false, false, false, true, true, true}},
		{"what went well is no failure", []envs.Action{"right", "left", "right", "left", "learn x", "learn x", "stop"},
			make([]bool, 7)},
		{"spaces do not matter", []envs.Action{"left  twice", "left twice ", "stop"}, []bool{false, true, false}},
		{"a tool that was learnt changes nothing", []envs.Action{"up", "learn climb", "up", "stop"},
			[]bool{false, false, true, false}},
		{"elsewhere it is another call", []envs.Action{"left", "climb", "left", "down", "left", "stop"},
			[]bool{false, false, false, false, true, false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			end := along(t, maze, envtest.MazeTask, tt.path, 100)
			if got := repeated(end); !slices.Equal(got, tt.want) {
				t.Errorf("repeats are %v, want %v", got, tt.want)
			}
		})
	}
}

// A path that is accepted is so without the turns that repeat a failure, too, and then it has none
// and nothing cuts it: all walks of six turns.
func TestAPathLosesNothingWithItsRepeats(t *testing.T) {
	maze := envtest.NewMaze()
	paths, shorter := 0, 0

	var walk func(s envs.State, path []envs.Action)
	walk = func(s envs.State, path []envs.Action) {
		for _, a := range maze.Actions() {
			next, err := maze.Step(t.Context(), s, a)
			if err != nil {
				t.Fatal(err)
			}

			path := append(slices.Clip(path), a)
			if next.Turn.Outcome == envs.Correct {
				paths++
				if withoutRepeats(t, maze, path) {
					shorter++
				}
			}

			if next.State.Status() == envs.Running && len(path) < 6 {
				walk(next.State, path)
			}
		}
	}

	first, err := maze.Reset(t.Context(), envtest.MazeTask)
	if err != nil {
		t.Fatal(err)
	}

	walk(first, nil)

	if paths < 500 || shorter < 20 {
		t.Errorf("%d accepted paths, %d with repeats: the test shows nothing", paths, shorter)
	}
}

// withoutRepeats checks an accepted path, and reports whether it has repeats.
func withoutRepeats(t *testing.T, maze *envtest.Maze, path []envs.Action) bool {
	t.Helper()

	var rest []envs.Action
	for i, repeats := range repeated(along(t, maze, envtest.MazeTask, path, 100)) {
		if !repeats {
			rest = append(rest, path[i])
		}
	}

	end := along(t, maze, envtest.MazeTask, rest, 1)
	if !end.Accepted() || slices.Contains(repeated(end), true) {
		t.Errorf("%v is accepted; without its repeats, %v, it ends with %s", path, rest, end.Turn.Outcome)
	}
	return len(rest) < len(path)
}

// A call that succeeds the fourth time never repeats a failure, because its count is part of the
// state.
func TestPatienceIsNoRepeat(t *testing.T) {
	end := along(t, envtest.Door{}, envtest.DoorTask, []envs.Action{"knock", "knock", "knock", "knock", "enter"}, 1)
	if !end.Accepted() || end.Depth != 5 {
		t.Errorf("cut at depth %d: %s %s", end.Depth, end.Limit, end.Turn.Observation)
	}
}

// speechless is an environment that compares no states.
type speechless struct{ envs.Environment }

// An environment that cannot compare states has no repeats, and wrappers pass on what theirs says.
func TestWhoSaysThatStatesAreAlike(t *testing.T) {
	maze := envtest.NewMaze()
	another := mcts.Retry{Attempts: 1}.Environment(maze)

	for name, tt := range map[string]struct {
		env  envs.Environment
		want int // turns
	}{
		"the environment":       {maze, 2},
		"none":                  {speechless{maze}, 8}, // the maze's own limit
		"retried":               {mcts.Retry{Attempts: 2}.Environment(maze), 2},
		"another version later": {drift.Changing([]envs.Environment{maze}, another), 3},
	} {
		t.Run(name, func(t *testing.T) {
			if end := along(t, tt.env, envtest.MazeTask, []envs.Action{"up"}, 1); end.Depth != tt.want {
				t.Errorf("it ends after %d turns, want %d", end.Depth, tt.want)
			}
		})
	}
}

// A path ends with the second repeat in a row, by a failure: nobody is asked below it.
func TestRepeatsEndAPath(t *testing.T) {
	c := config()
	c.Samples, c.RolloutSamples, c.Repeats = 1, 1, 2

	calls := 0
	p := wanderer{words: []envs.Action{"up"}, asked: func(mcts.Request) error { calls++; return nil }}
	tree := grow(t, search(c, p), 0, nil)

	// root, up, up (a repeat), up (the second in a row)
	end := tree.Nodes[len(tree.Nodes)-1]
	if calls != 3 || len(tree.Nodes) != 4 || end.Status != envs.Truncated || end.Limit != mcts.LimitRepeat ||
		end.Reward != -1 {
		t.Errorf("%d calls, %d nodes, the last is %s by %q with reward %v", calls, len(tree.Nodes), end.Status,
			end.Limit, end.Reward)
	}
}

// What was done before and is done again breaks no row, what is new does.
func TestRows(t *testing.T) {
	for _, tt := range []struct {
		path []envs.Action
		want int // turns until the second repeat in a row
	}{
		{[]envs.Action{"up", "learn a", "up", "learn a", "up", "stop"}, 5},
		{[]envs.Action{"up", "learn a", "up", "learn b", "up", "stop"}, 6},
		{[]envs.Action{"up", "right", "left", "up", "right", "left", "up", "stop"}, 7},
	} {
		if end := along(t, envtest.NewMaze(), envtest.MazeTask, tt.path, 2); end.Depth != tt.want {
			t.Errorf("%v ends after %d turns, want %d", tt.path, end.Depth, tt.want)
		}
	}
}

// Selection descends to a repeat when nothing else beside it is open.
func TestSelectionAvoidsRepeats(t *testing.T) {
	c := config()
	c.Samples, c.RolloutSamples, c.Simulations, c.MaxDepth, c.Repeats, c.Rollouts = 2, 2, 12, 4, 9, mcts.Every

	p := policyFunc(func(r mcts.Request) []mcts.Proposal { return []mcts.Proposal{{Text: "up"}, {Text: "fly"}} })
	tree := grow(t, search(c, p), 0, nil)

	for _, n := range tree.Nodes {
		for _, repeat := range n.Children {
			beside := slices.ContainsFunc(n.Children, func(m *mcts.Node) bool { return !m.Repeats && m.Open() })
			if repeat.Repeats && repeat.Expanded && beside {
				t.Errorf("%s repeats and was expanded, though a sibling is open", repeat.Path())
			}
		}
	}
}

// Repeats of a prefix do not count, but what failed in it is known.
func TestPrefixAndRepeats(t *testing.T) {
	c := config()
	c.Samples, c.RolloutSamples, c.Repeats = 1, 1, 2

	s := search(c, script{"up"})
	s.Prefix = []envs.Action{"up", "up"}

	end := grow(t, s, 0, nil).Nodes
	if got := repeated(end[len(end)-1]); !slices.Equal(got, []bool{false, false, true, true}) {
		t.Errorf("repeats are %v", got)
	}
}

// Where all samples repeat a failure more are drawn, once, of the next seeds; not where one of them
// is new.
func TestRedraw(t *testing.T) {
	c := config()
	c.Samples, c.RolloutSamples, c.Simulations, c.MaxDepth, c.Redraw = 2, 2, 1, 2, 3

	var asked []string
	var seeds []uint64
	p := policyOf(func(r mcts.Request) string {
		asked, seeds = append(asked, fmt.Sprintf("%s first %d n %d", r.Node.Path, r.First, r.N)), append(seeds, r.Seed)
		if r.First == 0 {
			return "up"
		}
		return "climb"
	})
	tree := grow(t, search(c, p), 0, nil)

	want := []string{"0 first 0 n 2", "0.0 first 0 n 2", "0.0 first 2 n 3", "0.0.1 first 0 n 2"}
	if diff := cmp.Diff(want, asked); diff != "" || seeds[2] != seeds[1]+2 {
		t.Errorf("asked with seeds %d (-want +got):\n%s", seeds, diff)
	}

	again := tree.Nodes[1]
	if !again.Redrawn || again.Drawn != 5 || len(again.Children) != 2 || tree.Calls != 4 || tree.Samples != 9 {
		t.Errorf("%d samples drawn, %d children, %d calls and %d samples in the tree", again.Drawn,
			len(again.Children), tree.Calls, tree.Samples)
	}
}

// policyOf is a policy of which all samples of a request are one text.
func policyOf(write func(r mcts.Request) string) mcts.Policy {
	return policyFunc(func(r mcts.Request) []mcts.Proposal {
		return slices.Repeat([]mcts.Proposal{{Text: write(r)}}, r.N)
	})
}

// menu is a policy that proposes the actions of each depth in turn, at the last depth ever after.
type menu [][]envs.Action

func (m menu) Propose(_ context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	choice := m[min(r.History.Len(), len(m)-1)]

	var all []mcts.Proposal
	for i := range r.N {
		all = append(all, mcts.Proposal{Text: string(choice[(r.First+i)%len(choice)])})
	}
	return all, nil
}

// passedBy counts the nodes of a tree that were visited and failed although a sibling did not.
func passedBy(tree *mcts.Tree) int {
	went := func(n *mcts.Node) bool { return !n.Turn.Outcome.IsInvocationError() }

	count := 0
	for _, n := range tree.Nodes[1:] {
		if n.Visits > 0 && !went(n) && slices.ContainsFunc(n.Parent.Children, went) {
			count++
		}
	}

	return count
}

// A rollout follows a turn that failed only where all its siblings did; a deprecation is no
// failure.
func TestRolloutsAvoidFailures(t *testing.T) {
	policy := menu{{"left twice", "right"}, {"fly", "up"}, {"left twice", "fly"}, {"left twice", "left"}, {"stop"}}
	c := config()
	c.Samples, c.RolloutSamples, c.Simulations, c.RolloutNodes = 2, 2, 1, mcts.Visible

	blind := 0
	for seed := range uint64(20) {
		for _, c.AvoidFailures = range []bool{true, false} {
			s := &mcts.Search{Env: envtest.NewMaze(), Policy: policy, Config: c, Seed: seed}

			tree, err := s.Grow(t.Context(), envtest.MazeTask, 0, nil)
			if err != nil {
				t.Fatal(err)
			}

			switch followed := passedBy(tree); {
			case !c.AvoidFailures:
				blind += followed
			case followed > 0 || tree.Nodes[len(tree.Nodes)-1].Depth != len(policy):
				t.Errorf("seed %d: %d failed turns were followed, in %d nodes", seed, followed, len(tree.Nodes))
			}
		}
	}

	if blind == 0 {
		t.Error("nothing failed beside a turn that did not: the test shows nothing")
	}
}

// Where all samples fail, more are drawn once; where one went well, or met a deprecation, none are.
func TestAFailureIsDrawnAgain(t *testing.T) {
	policy := menu{{"left twice", "right"}, {"up", "fly"}, {"left twice", "fly", "left twice", "left"}, {"stop"}}
	c := config()
	c.Samples, c.RolloutSamples, c.Simulations, c.RolloutNodes = 2, 2, 1, mcts.Visible
	c.Redraw, c.AvoidFailures = 2, true

	s := &mcts.Search{Env: envtest.NewMaze(), Policy: policy, Config: c, Seed: 1}

	tree, err := s.Grow(t.Context(), envtest.MazeTask, 0, nil)
	if err != nil {
		t.Fatal(err)
	}

	check(t, tree, c)

	drawn := map[int]int{}
	for _, n := range tree.Nodes {
		if n.Drawn > 0 {
			drawn[n.Depth] = n.Drawn
		}
	}

	if want := map[int]int{0: 2, 1: 2, 2: 4, 3: 2}; !maps.Equal(drawn, want) {
		t.Errorf("samples at each depth: %v, want %v", drawn, want)
	}
}
