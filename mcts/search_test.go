package mcts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/envs/envtest"
	"toolevo/mcts"
)

// wanderer is a policy for the maze: each sample is one of its words, drawn from the sample's seed
// alone.
type wanderer struct {
	words []envs.Action
	// asked is called before each request, if set; its error is the request's.
	asked func(mcts.Request) error
}

func (w wanderer) Propose(_ context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	if w.asked != nil {
		if err := w.asked(r); err != nil {
			return nil, err
		}
	}

	ps := make([]mcts.Proposal, r.N)
	for i := range ps {
		rng := rand.New(rand.NewPCG(r.Seed+uint64(i), 1))
		word := w.words[rng.IntN(len(w.words))]
		ps[i] = mcts.Proposal{
			Text:    string(word) + strings.Repeat(" ", rng.IntN(2)),
			LogProb: -rng.Float64(),
			Scored:  true,
		}
	}

	return ps, nil
}

func walker() wanderer { return wanderer{words: envtest.NewMaze().Actions()} }

// config is a small search in which every mechanism is at work.
func config() mcts.Config {
	return mcts.Config{
		CPUCT:          1.25,
		Samples:        4,
		RolloutSamples: 2,
		Simulations:    25,
		Trees:          1,
		MaxDepth:       5,
		ParentVisits:   mcts.OwnVisits,
		Rollouts:       mcts.OneRandom,
		Duplicates:     mcts.SameAction,
		CloseAtOnce:    true,
		Reflect:        true,
		RolloutNodes:   mcts.Cached,
	}
}

func search(c mcts.Config, p mcts.Policy) *mcts.Search {
	return &mcts.Search{Env: envtest.NewMaze(), Policy: p, Config: c, Seed: 7}
}

func grow(t testing.TB, s *mcts.Search, index int, found *mcts.Found) *mcts.Tree {
	t.Helper()

	tree, err := s.Grow(context.Background(), envtest.MazeTask, index, found)
	if err != nil {
		t.Fatal(err)
	}

	check(t, tree, s.Config)
	return tree
}

func check(t testing.TB, tree *mcts.Tree, c mcts.Config) {
	t.Helper()

	if err := tree.Check(c); err != nil {
		t.Error(err)
	}
}

// A tree is a function of its index and the run's seed: trees of one search that grow at the same
// time are those that grow one after the other, and no two are the same.
func TestGrowIsAFunction(t *testing.T) {
	const trees = 4

	together := make([]*mcts.TreeRecord, trees)
	s := search(config(), walker())

	var group sync.WaitGroup

	for i := range together {
		group.Go(func() {
			tree, err := s.Grow(context.Background(), envtest.MazeTask, i, nil)
			if err != nil {
				t.Error(err)
				return
			}

			together[i] = tree.Record()
		})
	}

	group.Wait()

	for i, record := range together {
		if diff := cmp.Diff(grow(t, search(config(), walker()), i, nil).Record(), record); diff != "" {
			t.Errorf("tree %d grew differently:\n%s", i, diff)
		}

		if i > 0 && cmp.Equal(record.Nodes, together[0].Nodes) {
			t.Errorf("trees 0 and %d are the same", i)
		}
	}

	s.Seed++
	if cmp.Equal(grow(t, s, 0, nil).Record().Nodes, together[0].Nodes) {
		t.Error("another seed grows the same tree")
	}
}

// A tree of more simulations contains the tree of fewer: growing on is the same as never having
// stopped.
func TestMoreSimulationsContinueATree(t *testing.T) {
	short, long := config(), config()
	short.Simulations, long.Simulations = 6, 20

	a, b := grow(t, search(short, walker()), 0, nil), grow(t, search(long, walker()), 0, nil)
	if len(a.Nodes) >= len(b.Nodes) {
		t.Fatalf("%d nodes after 6 simulations, %d after 20", len(a.Nodes), len(b.Nodes))
	}

	for i, n := range a.Nodes {
		if m := b.Nodes[i]; n.Path() != m.Path() || n.Key != m.Key || n.Visits > m.Visits {
			t.Errorf("node %d is %s %q, later %s %q", i, n.Path(), n.Key, m.Path(), m.Key)
		}
	}
}

func TestNoSampleIsDrawnTwice(t *testing.T) {
	seen, drawn := map[string]bool{}, map[string]int{}
	p := walker()
	p.asked = func(r mcts.Request) error {
		for i := range r.N {
			key := fmt.Sprint(r.Node, " sample ", r.First+i)
			if seen[key] {
				t.Errorf("%s was drawn twice", key)
			}

			seen[key] = true
		}

		if drawn[r.Node.Path] != r.First {
			t.Errorf("%s says that %d samples were drawn, it were %d", r.Node, r.First, drawn[r.Node.Path])
		}

		drawn[r.Node.Path] += r.N
		return nil
	}
	tree := grow(t, search(config(), p), 0, nil)
	topped := 0

	for _, n := range tree.Nodes {
		if want := drawn[n.Path()]; n.Drawn != want {
			t.Errorf("node %s counts %d samples, %d were drawn", n.Path(), n.Drawn, want)
		}

		if n.Expanded && n.Drawn != 4 {
			t.Errorf("node %s was expanded with %d samples, want k = 4", n.Path(), n.Drawn)
		}

		if n.Expanded && seen[fmt.Sprint(mcts.NodeID{Question: "maze", Path: n.Path()}, " sample 2")] {
			topped++
		}
	}

	if topped == 0 {
		t.Error("no node made in a rollout was completed to k samples: the test shows nothing")
	}
}

// Samples of one node are spaced by one, and no two nodes share a seed.
func TestSeedsDoNotOverlap(t *testing.T) {
	seeds := map[uint64]string{}
	p := walker()

	p.asked = func(r mcts.Request) error {
		for i := range r.N {
			s := r.Seed + uint64(i)
			if other, ok := seeds[s]; ok {
				t.Errorf("%s and %s share the seed %d", r.Node, other, s)
			}

			seeds[s] = r.Node.String()
		}
		return nil
	}
	for i := range 3 {
		grow(t, search(config(), p), i, nil)
	}
}

// failing is a maze that breaks at a step.
type failing struct {
	*envtest.Maze
	step func() error // asked before each
}

func (f failing) Step(ctx context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	if err := f.step(); err != nil {
		return envs.Transition{}, err
	}
	return f.Maze.Step(ctx, s, a)
}

// Whatever call fails, the policy's or the environment's, the error says whose it was, the tree is
// whole, and the simulation that was struck left no trace in visits and values.
func TestAFailureIsNeverAReward(t *testing.T) {
	broken := errors.New("gone")

	for _, stage := range []envs.Stage{envs.StagePolicy, envs.StageEnvironment} {
		struck := 0

		for last := range 60 {
			calls := 0
			breaks := func(s envs.Stage) error {
				if s == stage {
					calls++
				}

				if calls > last {
					return broken
				}
				return nil
			}
			p := walker()
			p.asked = func(mcts.Request) error { return breaks(envs.StagePolicy) }
			s := search(config(), p)
			s.Env = failing{envtest.NewMaze(), func() error { return breaks(envs.StageEnvironment) }}

			tree, err := s.Grow(context.Background(), envtest.MazeTask, 0, nil)
			if err == nil {
				break
			}

			struck++

			if got, ok := envs.FailedStage(err); !ok || got != stage || !errors.Is(err, broken) {
				t.Fatalf("%s, call %d: error is %v", stage, last, err)
			}

			check(t, tree, s.Config)
			sameFigures(t, tree)
		}

		if struck < 20 {
			t.Errorf("%s: %d calls failed: the test shows little", stage, struck)
		}
	}
}

// sameFigures makes sure that a tree has the visits and values of its whole simulations.
func sameFigures(t *testing.T, tree *mcts.Tree) {
	t.Helper()

	if tree.Simulations == 0 {
		if tree.Root.Visits != 0 || tree.Root.Expanded {
			t.Errorf("the root has %d visits before any simulation is through", tree.Root.Visits)
		}
		return
	}

	whole := config()
	whole.Simulations = tree.Simulations

	for i, n := range grow(t, search(whole, walker()), 0, nil).Nodes {
		m := tree.Nodes[i]
		if m.Visits != n.Visits || m.TotalValue != n.TotalValue || m.Expanded != n.Expanded {
			t.Errorf("simulation %d fails: node %s has N=%d W=%v, want N=%d W=%v", tree.Simulations,
				n.Path(), m.Visits, m.TotalValue, n.Visits, n.TotalValue)
		}
	}
}

func TestReflection(t *testing.T) {
	with, without := config(), config()
	without.Reflect = false
	count := func(tree *mcts.Tree, of func(envs.Outcome) bool) (n int) {
		for _, node := range tree.Nodes {
			if node.Parent != nil && of(node.Turn.Outcome) && len(node.Children) > 0 {
				n++
			}
		}

		return n
	}
	deprecated := func(o envs.Outcome) bool { return o == envs.Deprecated }

	a, b := grow(t, search(with, walker()), 0, nil), grow(t, search(without, walker()), 0, nil)
	if count(a, envs.Outcome.IsInvocationError) == 0 {
		t.Error("with reflection, nothing was tried after an invocation error")
	}

	if n := count(b, envs.Outcome.IsInvocationError); n != 0 {
		t.Errorf("without reflection, %d invocation errors have children", n)
	}

	if count(b, deprecated) == 0 {
		t.Error("without reflection, nothing was tried after a deprecation: the ablation keeps those open")
	}

	for _, n := range b.Nodes {
		if n.Turn.Outcome.IsInvocationError() && (n.Limit != mcts.LimitReflection || n.Reward != -1) {
			t.Errorf("node %s: stopped by %q with reward %v", n.Path(), n.Limit, n.Reward)
		}
	}
}

// UpdateTool changes what the policy is shown below it, and nowhere else.
func TestLearnedToolsBelongToTheSubtree(t *testing.T) {
	p := walker()
	p.words = append(p.words, "learn climb goes up")
	tree := grow(t, search(config(), p), 0, nil)
	lessons := 0

	for _, n := range tree.Nodes {
		want := 0

		for m := n; m.Parent != nil; m = m.Parent {
			if strings.HasPrefix(m.Key, "learn ") && m.Turn.Outcome == envs.OK {
				want++
			}
		}

		if got := len(n.State.History().Learned()); got != want {
			t.Errorf("node %s knows %d learned tools, its path taught %d", n.Path(), got, want)
		}

		lessons += want
	}

	if lessons == 0 {
		t.Error("nothing was learned: the test shows nothing")
	}
}

func TestDuplicates(t *testing.T) {
	p := wanderer{words: []envs.Action{"right", " right", "right ", "up"}}
	c := config()
	c.Samples, c.RolloutSamples = 12, 12
	c.Duplicates = mcts.SameText
	byText := grow(t, search(c, p), 0, nil)
	c.Duplicates = mcts.SameAction

	s, steps := search(c, p), 0
	s.Env = failing{envtest.NewMaze(), func() error {
		steps++
		return nil
	}}

	byAction := grow(t, s, 0, nil)
	if steps != len(byAction.Nodes)-1 {
		t.Errorf("%d steps were taken for %d actions that are distinct", steps, len(byAction.Nodes)-1)
	}

	if a, b := len(byText.Root.Children), len(byAction.Root.Children); a <= 2 || b != 2 {
		t.Errorf("%d children by text and %d by action, want more than 2 and 2", a, b)
	}
}

func TestSilence(t *testing.T) {
	c := config()
	silent := policyFunc(func(r mcts.Request) []mcts.Proposal {
		if r.History.Len() == 1 {
			return []mcts.Proposal{{Text: " \n"}, {Text: ""}}
		}
		return []mcts.Proposal{{Text: "right"}, {Text: "down"}}
	})

	tree := grow(t, search(c, silent), 0, nil)
	if tree.Root.Visits != 0 || tree.Root.TotalValue != 0 {
		t.Errorf("silence was backed up: N=%d W=%v", tree.Root.Visits, tree.Root.TotalValue)
	}

	if !tree.Root.Closed {
		t.Error("a tree with nothing but silence is not exhausted")
	}

	for _, n := range tree.Root.Children {
		if n.Limit != mcts.LimitSilence && n.Limit != mcts.LimitNone {
			t.Errorf("node %s is stopped by %q", n.Path(), n.Limit)
		}
	}
}

// A prompt beyond the context window ends its node with a limit of its own, in rollouts and in
// expansions, and nothing is backed up. Where the policy wrote nothing for another reason, too, it
// is silence.
func TestContextWindow(t *testing.T) {
	tooLong := mcts.Proposal{Finish: mcts.FinishTooLong}
	for _, tt := range []struct {
		name      string
		proposals []mcts.Proposal
		want      mcts.Limit
	}{
		{"one for all samples", []mcts.Proposal{tooLong}, mcts.LimitContext},
		{"each sample", []mcts.Proposal{tooLong, tooLong}, mcts.LimitContext},
		{"beside an empty one", []mcts.Proposal{tooLong, {}}, mcts.LimitSilence},
		{"none at all", nil, mcts.LimitSilence},
	} {
		for depth := range 3 {
			policy := policyFunc(func(r mcts.Request) []mcts.Proposal {
				if r.History.Len() == depth {
					return tt.proposals
				}
				return []mcts.Proposal{{Text: "right"}, {Text: "down"}}
			})
			tree := grow(t, search(config(), policy), 0, nil)
			ended := 0

			for _, n := range tree.Nodes {
				if n.Depth == depth && n.Status != envs.Running {
					ended++

					if n.Limit != tt.want || n.Reward != 0 || n.Visits != 0 || n.Expanded {
						t.Errorf("%s, depth %d: node %s is stopped by %q with r=%v N=%d", tt.name, depth, n.Path(),
							n.Limit, n.Reward, n.Visits)
					}
				}
			}

			if ended == 0 || !tree.Root.Closed || tree.Root.Visits != 0 || tree.Idle != 0 {
				t.Errorf("%s, depth %d: %d nodes ended, root closed: %v, N=%d, %d idle simulations", tt.name,
					depth, ended, tree.Root.Closed, tree.Root.Visits, tree.Idle)
			}
		}
	}
}

// unread is a maze that reads nothing in words it does not know, as a benchmark does with half an
// action.
type unread struct{ *envtest.Maze }

func (m unread) Step(ctx context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	next, err := m.Maze.Step(ctx, s, a)
	if next.Turn.Outcome == envs.InvalidAction {
		next.Turn.Outcome, next.Turn.Call = envs.Malformed, envs.Call{}
	}
	return next, err
}

// A completion that was cut is used as it is: as the action that was whole before, or as the
// mistake that half an action is. Only the second is marked, in the tree and in its record.
func TestCutCompletion(t *testing.T) {
	policy := policyFunc(func(mcts.Request) []mcts.Proposal {
		return []mcts.Proposal{
			{Text: "right", Finish: mcts.FinishLength}, {Text: "dow", Finish: mcts.FinishLength}, {Text: "upp"},
		}
	})
	s := search(config(), policy)
	s.Env = unread{envtest.NewMaze()}

	tree := grow(t, s, 0, nil)
	if n := len(tree.Root.Children); n != 3 || tree.Root.Children[1].Turn.Outcome == envs.OK {
		t.Errorf("%d children, want the whole action and the cut ones as mistakes", n)
	}

	for i, want := range []bool{false, true, false} {
		child := tree.Root.Children[i]
		if child.Cut != want || tree.Record().Nodes[child.ID].Cut != want {
			t.Errorf("child %d is cut: %v, want %v", i, child.Cut, want)
		}
	}
}

// A child knows how many samples chose it, those drawn in a rollout and those an expansion added.
func TestDraws(t *testing.T) {
	samples := []string{"right", "down", "right ", "right", "climb", "down"}
	policy := policyFunc(func(r mcts.Request) (ps []mcts.Proposal) {
		for i := range r.N {
			ps = append(ps, mcts.Proposal{Text: samples[r.First+i]})
		}
		return ps
	})

	for duplicates, want := range map[mcts.Duplicates][]int{
		mcts.SameAction: {3, 2, 1}, mcts.SameText: {2, 2, 1, 1},
	} {
		c := config()
		c.Samples, c.Duplicates = len(samples), duplicates
		tree := grow(t, search(c, policy), 0, nil)
		expanded := 0

		for _, n := range tree.Nodes {
			var got, recorded []int
			for _, child := range n.Children {
				got = append(got, child.Draws)
				recorded = append(recorded, tree.Record().Nodes[child.ID].Draws)
			}

			if !n.Expanded {
				continue
			}

			if expanded++; !slices.Equal(got, want) || !slices.Equal(recorded, want) {
				t.Errorf("%s: draws below %s are %v, recorded %v, want %v", duplicates, n.Path(), got, recorded, want)
			}
		}

		if expanded < 2 {
			t.Errorf("%s: %d nodes were expanded: the test shows nothing", duplicates, expanded)
		}
	}
}

// A proposal reads back as it was written, its end too; one without says nothing of it, like those
// of older logs.
func TestProposalIsStoredWhole(t *testing.T) {
	for _, p := range []mcts.Proposal{
		{Text: "a", LogProb: -0.5, Scored: true, Tokens: 3}, {Text: "a", Finish: mcts.FinishLength},
		{Finish: mcts.FinishTooLong},
	} {
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}

		var back mcts.Proposal
		if err := json.Unmarshal(text, &back); err != nil || back != p ||
			strings.Contains(string(text), "finish") != (p.Finish != "") {
			t.Errorf("%+v is stored as %s and read as %+v, error %v", p, text, back, err)
		}
	}
}

type policyFunc func(r mcts.Request) []mcts.Proposal

func (f policyFunc) Propose(_ context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	proposals := f(r)
	return proposals[:min(len(proposals), r.N)], nil
}

func TestPriors(t *testing.T) {
	c := config()
	scores := []mcts.Proposal{
		{Text: "right", LogProb: math.Log(0.25), Scored: true}, {Text: "up", LogProb: 3, Scored: true}, {Text: "down"},
	}

	tree := grow(t, search(c, policyFunc(func(r mcts.Request) []mcts.Proposal { return scores })), 0, nil)
	for i, want := range []float64{0.25, 1, 0.25} { // the last is 1/k
		if got := tree.Root.Children[i].Prior; math.Abs(got-want) > 1e-12 {
			t.Errorf("prior %d is %v, want %v", i, got, want)
		}
	}
}

// Rollouts are draws of the policy: of an action that four of five samples chose there are four
// times as many. Where siblings are texts, an action said in one text counts once, as in the
// published code.
func TestRolloutsAreDrawsOfThePolicy(t *testing.T) {
	samples := []string{"right", "right", "down", "right", "right"}
	policy := policyFunc(func(r mcts.Request) (ps []mcts.Proposal) {
		for i := range r.N {
			ps = append(ps, mcts.Proposal{
				Text:    samples[(r.First+i)%len(samples)],
				LogProb: math.Log(0.2),
				Scored:  true,
			})
		}

		return ps
	})

	for duplicates, want := range map[mcts.Duplicates]float64{mcts.SameAction: 0.8, mcts.SameText: 0.5} {
		c := config()
		c.Samples, c.RolloutSamples, c.Simulations, c.Duplicates = len(samples), 0, 1, duplicates
		const trees = 400
		first, second := 0, 0

		for i := range trees {
			tree := grow(t, search(c, policy), i, nil)
			first += tree.Root.Children[0].Visits

			// The second step of the rollout is a draw, too: what it went through has children.
			for _, n := range tree.Root.Children {
				if n.Visits > 0 && len(n.Children) > 0 && len(n.Children[0].Children) > 0 {
					second++
				}
			}
		}

		for step, got := range []int{first, second} {
			if share := float64(got) / trees; math.Abs(share-want) > 0.08 {
				t.Errorf("%s: step %d of the rollout chose the likelier action in %.2f of the trees, want %.2f",
					duplicates, step+1, share, want)
			}
		}
	}
}

// trimming is an environment that takes a text only up to its first semicolon.
type trimming struct{ envs.Environment }

func (e trimming) Step(ctx context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	text, _, _ := strings.Cut(string(a), ";")
	return e.Environment.Step(ctx, s, envs.Action(text))
}

// Texts of which the environment takes the same are one child.
func TestWhatTheEnvironmentTakesIsOneChild(t *testing.T) {
	policy := policyFunc(func(r mcts.Request) (ps []mcts.Proposal) {
		all := []mcts.Proposal{{Text: "right; so"}, {Text: "right; or so"}, {Text: "climb"}, {Text: "right"}}
		return all[r.First : r.First+r.N]
	})

	for _, duplicates := range []mcts.Duplicates{mcts.SameAction, mcts.SameText} {
		c := config()
		c.Duplicates = duplicates

		s := search(c, policy)
		s.Env = trimming{s.Env}

		root := grow(t, s, 0, nil).Root
		if len(root.Children) != 2 || root.Children[0].Draws != 3 || root.Children[0].Turn.Action != "right" {
			t.Errorf("%s: %d children, the first drawn %d times for %q", duplicates, len(root.Children),
				root.Children[0].Draws, root.Children[0].Turn.Action)
		}
	}
}

// The prior of actions that were merged is theirs together, whichever request drew them, and no
// more than certainty.
func TestPriorsArePooled(t *testing.T) {
	policy := policyFunc(func(r mcts.Request) (ps []mcts.Proposal) {
		all := []mcts.Proposal{
			{Text: "right", LogProb: math.Log(0.25), Scored: true},
			{Text: "climb", LogProb: math.Log(0.5), Scored: true},
			{Text: "right ", LogProb: math.Log(0.125), Scored: true},
			{Text: " climb", LogProb: math.Log(0.75), Scored: true},
		}

		return all[r.First : r.First+r.N]
	})

	for duplicates, want := range map[mcts.Duplicates][]float64{
		mcts.SameAction: {0.375, 1}, mcts.SameText: {0.25, 0.5, 0.125, 0.75},
	} {
		c := config()
		c.Duplicates = duplicates

		tree := grow(t, search(c, policy), 0, nil)
		for _, n := range tree.Nodes {
			if !n.Expanded {
				continue
			}

			for i, child := range n.Children {
				if math.Abs(child.Prior-want[i]) > 1e-12 {
					t.Errorf("%s: node %s has prior %v, want %v", duplicates, child.Path(), child.Prior, want[i])
				}
			}
		}
	}
}

func TestDepth(t *testing.T) {
	for slack := range 3 {
		c := config()
		c.MaxDepth, c.DepthSlack = 2, slack
		tree := grow(t, search(c, wanderer{words: []envs.Action{"left", "right"}}), 0, nil)

		deepest := 0
		for _, n := range tree.Nodes {
			deepest = max(deepest, n.Depth)
			if n.Depth == 3+slack && (n.Limit != mcts.LimitDepth || n.Reward != -1) {
				t.Errorf("slack %d: node %s is stopped by %q with reward %v", slack, n.Path(), n.Limit, n.Reward)
			}
		}

		if deepest != 3+slack {
			t.Errorf("slack %d: the deepest node has %d turns, want %d", slack, deepest, 3+slack)
		}
	}
}

func TestCancelledContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()

	if _, err := search(config(), walker()).Grow(ctx, envtest.MazeTask, 0, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

func TestUnknownTask(t *testing.T) {
	if _, err := search(config(), walker()).Grow(context.Background(), envs.Task{ID: "nowhere"}, 0, nil); err == nil {
		t.Error("a task that the environment does not know grew a tree")
	}
}

func TestRecordPathsAndTrajectories(t *testing.T) {
	tree := grow(t, search(config(), walker()), 0, nil)
	record := tree.Record()
	accepted := 0

	for _, n := range tree.Nodes {
		if n.Accepted() != record.Nodes[n.ID].Accepted() {
			t.Errorf("node %s is accepted: %v, in the record %v", n.Path(), n.Accepted(), !n.Accepted())
		}

		if n.Accepted() {
			accepted++
		}

		if n.Trajectory() != record.Trajectory(n.ID) {
			t.Errorf("node %s has another trajectory key in the record", n.Path())
		}

		path := record.Path(n.ID)
		if path[0] != 0 || path[len(path)-1] != n.ID || len(path) != n.Depth+1 {
			t.Errorf("path of node %s is %v", n.Path(), path)
		}
	}

	if accepted == 0 {
		t.Error("nothing is accepted: the test shows nothing")
	}
}

// The invariants hold whatever the configuration and the policy.
func TestInvariants(t *testing.T) {
	words := append(envtest.NewMaze().Actions(), "learn something", "", "\xff")

	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 6).Draw(t, "k")

		c := mcts.Config{
			CPUCT:          rapid.Float64Range(0, 5).Draw(t, "c"),
			Samples:        k,
			RolloutSamples: rapid.IntRange(0, k).Draw(t, "rollout samples"),
			Simulations:    rapid.IntRange(1, 60).Draw(t, "simulations"),
			Trees:          1,
			MaxDepth:       rapid.IntRange(1, 9).Draw(t, "depth"),
			DepthSlack:     rapid.IntRange(0, 1).Draw(t, "slack"),
			ParentVisits:   rapid.SampledFrom([]mcts.ParentVisits{mcts.OwnVisits, mcts.ChildVisits}).Draw(t, "visits"),
			Rollouts:       rapid.SampledFrom([]mcts.Rollouts{mcts.OneRandom, mcts.Every}).Draw(t, "rollouts"),
			Duplicates:     rapid.SampledFrom([]mcts.Duplicates{mcts.SameText, mcts.SameAction}).Draw(t, "duplicates"),
			RolloutNodes:   rapid.SampledFrom([]mcts.RolloutNodes{mcts.Cached, mcts.Visible}).Draw(t, "rollout nodes"),
			CloseAtOnce:    rapid.Bool().Draw(t, "close at once"),
			Reflect:        rapid.Bool().Draw(t, "reflect"),
			Enough:         rapid.IntRange(0, 3).Draw(t, "enough"),
			Completions:    rapid.SampledFrom([]int{0, 0, 1, 7, 40}).Draw(t, "completions"),
			Redraw:         rapid.IntRange(0, 2).Draw(t, "redraw"),
			Repeats:        rapid.IntRange(0, 3).Draw(t, "repeats"),
		}
		if c.Enough > 0 {
			c.Barren, c.Widen = rapid.IntRange(0, 2).Draw(t, "barren"), rapid.IntRange(0, 2).Draw(t, "widen")
		}

		s := &mcts.Search{
			Env: envtest.NewMaze(), Config: c, Seed: rapid.Uint64().Draw(t, "seed"),
			Policy: wanderer{
				words: rapid.SliceOfN(rapid.SampledFrom(words), 1, 8).Draw(t, "words"),
				asked: func(r mcts.Request) error {
					if r.N < 1 {
						t.Errorf("%d samples are asked for at %s", r.N, r.Node)
					}
					return nil
				},
			},
			Prefix: rapid.SliceOfN(rapid.SampledFrom([]envs.Action{"right", "learn something", "fly"}), 0,
				min(3, c.DeepestActing())).Draw(t, "prefix"),
		}

		found, drawn := mcts.NewFound(envtest.MazeTask, nil), 0
		for index := range 2 {
			tree, err := s.Grow(context.Background(), envtest.MazeTask, index, found)
			if err != nil {
				t.Fatal(err)
			}

			if err := tree.Check(c); err != nil {
				t.Fatal(err)
			}

			if drawn += tree.Samples; c.Completions > 0 && drawn > c.Completions {
				t.Fatalf("%d samples drawn where %d may", drawn, c.Completions)
			}

			if !tree.Root.Closed && tree.Simulations != c.Simulations && c.Enough == 0 &&
				(c.Completions == 0 || drawn < c.Completions) {
				t.Fatalf("stopped after %d of %d simulations with work left", tree.Simulations, c.Simulations)
			}

			found.Add(tree.Record())
		}
	})
}

// A tree with a prefix begins with its steps, one below the other, about which nobody is asked;
// below them it is a tree like any other.
func TestPrefix(t *testing.T) {
	for _, nodes := range []mcts.RolloutNodes{mcts.Cached, mcts.Visible} {
		c := config()
		c.RolloutNodes = nodes

		p := walker()
		p.asked = func(r mcts.Request) error {
			if r.History.Len() < 2 || !strings.HasPrefix(r.Node.Path, "0.0.0") {
				return fmt.Errorf("asked at %s", r.Node.Path)
			}
			return nil
		}

		s := search(c, p)
		s.Prefix = []envs.Action{"fly", "right"}
		tree := grow(t, s, 0, nil)

		for i, a := range s.Prefix {
			if n := tree.Nodes[i+1]; n.Turn.Action != a || n.Depth != i+1 || n.Visits != tree.Root.Visits {
				t.Errorf("step %d is %+v", i+1, n)
			}
		}

		if got := tree.Nodes[2]; len(tree.Nodes) < 10 || tree.Root.Visits == 0 || len(got.Children) < 2 {
			t.Errorf("%d nodes, %d of them below the prefix", len(tree.Nodes), len(got.Children))
		}
	}
}

// A prefix that leaves nothing to do is refused.
func TestPrefixTooFar(t *testing.T) {
	for _, test := range []struct {
		prefix []envs.Action
		want   string
	}{
		{[]envs.Action{"right", "stop"}, "step 2 of the prefix: the task ends there"},
		{slices.Repeat([]envs.Action{"fly"}, 6), "raise max_depth"},
	} {
		s := search(config(), walker())
		s.Prefix = test.prefix

		_, err := s.Grow(t.Context(), envtest.MazeTask, 0, nil)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.prefix, err, test.want)
		}
	}
}

// lifting is a maze with a version of its own.
type lifting struct{ *envtest.Maze }

func (lifting) Lift(so envs.History, c envs.Call) (envs.Call, error) {
	return envs.Call{Name: fmt.Sprint(c.Name, " after ", so.Len())}, nil
}

// An environment without self-reflection still says how its version is called.
func TestWithoutReflectionLifts(t *testing.T) {
	so := envs.NewHistory(envtest.MazeTask)

	c, err := envs.Lift(mcts.WithoutReflection(lifting{envtest.NewMaze()}), so, envs.Call{Name: "up"})
	if err != nil || c.Name != "up after 0" {
		t.Errorf("%+v, %v", c, err)
	}

	if c, err := envs.Lift(mcts.WithoutReflection(envtest.NewMaze()), so, envs.Call{}); err == nil {
		t.Errorf("an environment without versions says %+v", c)
	}
}

// Without self-reflection an environment ends a task at an invocation error, and keeps what an
// environment promises.
func TestWithoutReflection(t *testing.T) {
	m := envtest.NewMaze()
	envtest.Run(t, func() envs.Environment { return mcts.WithoutReflection(envtest.NewMaze()) },
		[]envs.Task{envtest.MazeTask}, append(m.Actions(), "", "left  twice", "learn", "stop now"))

	for _, a := range m.Actions() {
		state, err := m.Reset(t.Context(), envtest.MazeTask)
		if err != nil {
			t.Fatal(err)
		}

		want, err := m.Step(t.Context(), state, a)
		if err != nil {
			t.Fatal(err)
		}

		got, err := mcts.WithoutReflection(m).Step(t.Context(), state, a)
		if err != nil {
			t.Fatal(err)
		}

		status, reward := want.State.Status(), want.Reward
		if want.Turn.Outcome.IsInvocationError() {
			status, reward = envs.Truncated, -1
		}

		if got.State.Status() != status || got.Reward != reward || got.Turn.Observation != want.Turn.Observation {
			t.Errorf("%q: %s with reward %v, want %s with %v", a, got.State.Status(), got.Reward, status, reward)
		}
	}
}

// checked is a small search for trees that are damaged: repeats count in it, too.
func checked() mcts.Config {
	c := config()
	c.Repeats, c.Redraw = 2, 1
	return c
}

// A check that cannot fail checks nothing: each of these damages is found.
func TestCheckFindsDamage(t *testing.T) {
	damages := map[string]func(*mcts.Tree){
		"a visit too many":  func(t *mcts.Tree) { t.Root.Visits++ },
		"a root rolled out": func(t *mcts.Tree) { t.Root.Visits++; t.Simulations += 9 },
		"a visit too few":   func(t *mcts.Tree) { t.Root.Visits -= 2 },
		"two rollouts of one": func(t *mcts.Tree) {
			for n := leaf(t); n != nil; n = n.Parent {
				n.Visits++
			}
			t.Simulations += 9
		},
		"a value too high":        func(t *mcts.Tree) { t.Root.TotalValue = float64(t.Root.Visits) + 1 },
		"a value out of nowhere":  func(t *mcts.Tree) { t.Root.TotalValue += 2 },
		"a value that is none":    func(t *mcts.Tree) { leaf(t).TotalValue = math.NaN() },
		"a cached node visited":   func(t *mcts.Tree) { cached(t).Visits++ },
		"a cached node valued":    func(t *mcts.Tree) { cached(t).TotalValue = 0.5 },
		"a cached node expanded":  func(t *mcts.Tree) { cached(t).Expanded = true },
		"a prior above one":       func(t *mcts.Tree) { t.Nodes[1].Prior = 1.5 },
		"a prior below zero":      func(t *mcts.Tree) { t.Nodes[1].Prior = -0.5 },
		"a prior that is none":    func(t *mcts.Tree) { t.Nodes[1].Prior = math.NaN() },
		"a wrong ID":              func(t *mcts.Tree) { t.Nodes[1].ID = 9 },
		"a wrong depth":           func(t *mcts.Tree) { t.Nodes[1].Depth = 3 },
		"a turn too few":          func(t *mcts.Tree) { t.Nodes[1].State = t.Root.State },
		"a lost child":            func(t *mcts.Tree) { t.Root.Children = t.Root.Children[1:] },
		"a lost parent":           func(t *mcts.Tree) { t.Nodes[1].Parent = nil },
		"a place that is not its": func(t *mcts.Tree) { t.Root.Children[0].Ordinal = 1 },
		"a place beyond all":      func(t *mcts.Tree) { t.Root.Children[0].Ordinal = 9 },
		"a child before its parent": func(t *mcts.Tree) {
			child := cached(t)
			t.Nodes[child.ID], t.Nodes[child.Parent.ID] = child.Parent, child
			child.ID, child.Parent.ID = child.Parent.ID, child.ID
		},
		"a repeated action": func(t *mcts.Tree) {
			t.Root.Children[0].Key = t.Root.Children[1].Key
		},
		"a closed node with an open child": func(t *mcts.Tree) {
			t.Root.Closed = true
			t.Root.Children[0].Closed, t.Root.Children[0].Status = false, envs.Running
		},
		"children after the end":       func(t *mcts.Tree) { t.Root.Status = envs.Terminated },
		"a reward while it goes on":    func(t *mcts.Tree) { t.Root.Reward = 1 },
		"a task that goes on too deep": func(t *mcts.Tree) { deepest(t).Status = envs.Running },
		"samples beyond k":             func(t *mcts.Tree) { t.Root.Drawn = 6 },
		"a child nobody drew":          func(t *mcts.Tree) { t.Nodes[1].Draws = 0 },
		"draws beyond the samples":     func(t *mcts.Tree) { t.Nodes[1].Draws += t.Root.Drawn },
		"a root that was drawn":        func(t *mcts.Tree) { t.Root.Draws = 1 },
		"a call that was cut":          func(t *mcts.Tree) { t.Nodes[1].Cut = true },
		"more visits than simulations": func(t *mcts.Tree) { t.Simulations = 1 },
		"visits in idle simulations":   func(t *mcts.Tree) { t.Idle = t.Simulations },
		"a success that repeats":       func(t *mcts.Tree) { first(t, envs.OK).Repeats = true },
		"a row out of nowhere":         func(t *mcts.Tree) { first(t, envs.OK).Streak = 1 },
		"a row that is too short": func(t *mcts.Tree) {
			n := first(t, envs.ToolError)
			n.Repeats, n.Streak = true, 0
		},
		"a row that ends no path": func(t *mcts.Tree) {
			n := first(t, envs.ToolError)
			n.Parent.Streak, n.Repeats, n.Streak = 1, true, 2
		},
		"a path that no row ended": func(t *mcts.Tree) { deepest(t).Limit = mcts.LimitRepeat },
		"no root":                  func(t *mcts.Tree) { t.Nodes = nil },
		"a root that is not there": func(t *mcts.Tree) { t.Root = nil },
		"another root":             func(t *mcts.Tree) { t.Root = t.Nodes[1] },
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			tree := grow(t, search(checked(), walker()), 0, nil)
			damage(tree)

			if tree.Check(checked()) == nil {
				t.Error("was not found")
			}
		})
	}

	// Siblings that are texts may be the same action, and not the same text.
	c := config()
	c.Duplicates = mcts.SameText

	tree := grow(t, search(c, walker()), 0, nil)
	if tree.Root.Children[1].Turn.Action = tree.Root.Children[0].Turn.Action; tree.Check(c) == nil {
		t.Error("a repeated text was not found")
	}
}

// What is at its bound is whole.
func TestCheckAllowsBounds(t *testing.T) {
	tree := grow(t, search(checked(), walker()), 0, nil)
	tree.Nodes[1].Prior, tree.Nodes[2].Prior = 0, 1
	tree.Root.Drawn = 5 // k and what may be drawn again

	n := first(tree, envs.ToolError)
	n.Repeats, n.Streak = true, 1

	for _, child := range n.Children {
		child.Streak = 1
	}

	n = leaf(tree)
	n.Status, n.Reward, n.Visits = envs.Truncated, -1, 1
	check(t, tree, checked())
}

func cached(t *mcts.Tree) *mcts.Node {
	i := slices.IndexFunc(t.Nodes, func(n *mcts.Node) bool { return n.Parent != nil && !n.Parent.Expanded })
	return t.Nodes[i]
}

// leaf returns a node without children that was rolled out.
func leaf(t *mcts.Tree) *mcts.Node {
	i := slices.IndexFunc(t.Nodes, func(n *mcts.Node) bool { return len(n.Children) == 0 && n.Visits == 1 })
	return t.Nodes[i]
}

func deepest(t *mcts.Tree) *mcts.Node {
	return slices.MaxFunc(t.Nodes, func(a, b *mcts.Node) int { return a.Depth - b.Depth })
}

// first returns a node below another one with an outcome and no repeat near it.
func first(t *mcts.Tree, o envs.Outcome) *mcts.Node {
	i := slices.IndexFunc(t.Nodes, func(n *mcts.Node) bool {
		return n.Depth > 1 && n.Turn.Outcome == o && n.Streak == 0 && n.Status == envs.Running &&
			n.Parent.Streak == 0
	})
	return t.Nodes[i]
}

func BenchmarkGrow(b *testing.B) {
	s := search(config(), walker())

	b.ReportAllocs()

	for i := range b.N {
		if _, err := s.Grow(context.Background(), envtest.MazeTask, i, nil); err != nil {
			b.Fatal(err)
		}
	}
}
