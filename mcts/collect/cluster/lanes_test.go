package cluster_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"

	"toolevo/envs"
	"toolevo/envs/envtest"
	"toolevo/mcts"
	"toolevo/mcts/collect"
	"toolevo/mcts/collect/cluster"
	"toolevo/mcts/store"
)

// walker walks the shortest way through the maze.
type walker struct{}

func (walker) Propose(_ context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	way := envtest.MazeSolutions()[0]
	all := make([]mcts.Proposal, r.N)

	for i := range all {
		all[i].Text = string(way[min(r.History.Len(), len(way)-1)])
	}
	return all, nil
}

// brokenMaze is the maze on a machine that cannot run its tools.
type brokenMaze struct {
	*envtest.Maze
	steps atomic.Int64
}

func (m *brokenMaze) Step(context.Context, envs.State, envs.Action) (envs.Transition, error) {
	m.steps.Add(1)
	return envs.Transition{}, envs.Fail(envs.StageTool, "step", errors.New("no sandbox"))
}

// A tree that fails on a machine whose tools are broken grows on another, from the calls that were
// made: nothing is missing.
func TestTreesOfABrokenMachine(t *testing.T) {
	t.Parallel()

	r := newRun(t)
	c := r.coordinate()

	search := mcts.Config{CPUCT: 1, Samples: 2, RolloutSamples: 1, Simulations: 2, Trees: 2, MaxDepth: 5,
		ParentVisits: mcts.OwnVisits, Rollouts: mcts.OneRandom, Duplicates: mcts.SameText, RolloutNodes: mcts.Cached,
		CloseAtOnce: true}
	o := collect.Options{
		Questions: []collect.Question{{Task: envtest.MazeTask}}, Env: envtest.NewMaze(), Policy: walker{},
		Search: search, Seed: 1, Workers: 4, Retry: mcts.Retry{Attempts: 1},
	}

	broken := &brokenMaze{Maze: envtest.NewMaze()}

	join := func(name string, env envs.Environment) *member {
		m := r.join(name, 1, 0, new(atomic.Int64))
		o := o
		o.Env = env
		m.grows = func(ctx context.Context, a *cluster.Assignment) ([]byte, error) {
			s, err := store.Open(ctx, filepath.Join(t.TempDir(), "unit.db"))
			if err != nil {
				return nil, err
			}
			defer s.Close()

			o := o
			o.Store = s
			return cluster.GrowLane(ctx, a, o)
		}
		return m
	}

	whole := join("whole", envtest.NewMaze())
	defer whole.Close()
	go func() { _ = whole.serveAfter(t, &broken.steps) }()

	waitFor(t, func() bool { return len(c.Workers()) == 1 })

	first := join("broken", broken)
	defer first.Close()
	go func() { _ = first.serve(t.Context()) }()

	o.Store, o.Elsewhere = r.store, c.Grow

	got, err := collect.Run(t.Context(), o)
	if err != nil {
		t.Errorf("the collection ends with %v", err)
	}

	// Also those of the worker that left the unit.
	var asked, samples int

	for i := range search.Trees {
		tree, _, err := r.store.LoadTree(t.Context(), envtest.MazeTask.ID, i)
		if err != nil {
			t.Fatal(err)
		}

		asked += tree.Calls
		samples += tree.Samples
	}

	if got.Asked != int64(asked) || got.Samples != int64(samples) {
		t.Errorf("%d calls and %d samples are counted, want %d and %d", got.Asked, got.Samples,
			asked, samples)
	}

	if got := c.Counts(); got.Again != 0 || got.Begun != got.Ended+1 {
		t.Errorf("counted %+v: want one unit more begun than ended, and none that was lost", got)
	}

	if err := c.Close(t.Context(), true); err != nil {
		t.Error(err)
	}
}
