package mcts

import (
	"context"
	"fmt"
	"strings"

	"toolevo/envs"
)

// Search grows trees. It has no state of its own: one value serves any number of trees at the same time.
type Search struct {
	Env    envs.Environment
	Policy Policy
	Config Config
	Seed   uint64 // the run's seed
}

// Grow grows tree number index of a task until its simulations are spent, nothing is left to expand, or, when
// Config.Enough is set, enough is found in this tree and in those before it. found is what they found; nil is nothing.
// No other tree of the question grows with it at the same time.
//
// On an error (the policy's, the environment's, or ctx's) the tree so far is returned with it: whole, checked, and
// without a trace of the simulation that failed in its visits and values.
func (s *Search) Grow(ctx context.Context, task envs.Task, index int, found *Found) (*Tree, error) {
	if err := s.Config.Validate(); err != nil {
		return nil, err
	}

	t, err := s.newTree(ctx, task, index)
	if err != nil {
		return nil, err
	}

	if found == nil {
		found = NewFound(task, nil)
	}

	g := &growth{Search: s, tree: t, found: found.clone()}
	for t.Simulations < s.Config.Simulations && !t.Root.Closed && !g.found.enough(s.Config) {
		if err := ctx.Err(); err != nil {
			return t, err
		}

		if err := g.simulate(ctx); err != nil {
			return t, fmt.Errorf("mcts: question %s, tree %d, simulation %d: %w", task.ID, index, t.Simulations, err)
		}
	}

	return t, nil
}

// newTree returns a tree with only its root, s_0 = {D, P_c} (Algorithm 1, line 1).
func (s *Search) newTree(ctx context.Context, task envs.Task, index int) (*Tree, error) {
	state, err := s.Env.Reset(ctx, task)
	if err != nil {
		return nil, fmt.Errorf("mcts: question %s, tree %d: %w", task.ID, index, err)
	}

	t := &Tree{Task: task, Index: index, Seed: TreeSeed(s.Seed, task.ID, index)}
	t.Root = t.add(&Node{Prior: 1, State: state, Status: state.Status()})

	return t, nil
}

// growth is the growing of one tree.
type growth struct {
	*Search
	tree  *Tree
	found *Found // in this tree and those before it
}

// simulate is one pass of lines 4-20 of Algorithm 1. It counts once it is through: one that fails is not a simulation.
func (g *growth) simulate(ctx context.Context) error {
	rng := simulationRand(g.tree.Seed, g.tree.Simulations)

	leaf := g.descend(rng)
	if leaf == nil {
		g.tree.Idle++
		g.tree.Simulations++
		return nil
	}

	if err := g.expand(ctx, leaf); err != nil {
		return err
	}

	results, err := g.rolloutNew(ctx, leaf, rng)
	if err != nil {
		leaf.Expanded = false // its children stay as a cache; the next attempt uses them
		return err
	}

	for _, r := range results {
		g.settle(r)
	}

	if g.Config.CloseAtOnce {
		closeUpwards(leaf)
	}
	g.tree.Simulations++

	return nil
}

// Canonical is the key by which actions are the same in an environment.
func Canonical(env envs.Environment, a envs.Action) string {
	if c, ok := env.(envs.Canonicalizer); ok {
		return c.Canonical(a)
	}

	return strings.TrimSpace(string(a))
}
