package mcts

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"toolevo/envs"
)

// Search grows trees. It has no state of its own: one value serves any number of trees at the same
// time.
type Search struct {
	Env    envs.Environment
	Policy Policy
	Config Config
	Seed   uint64 // the run's seed

	// Prefix is what was done before a tree begins: its first nodes, each the only child of the one
	// before it. A simulation begins below them.
	Prefix []envs.Action
}

// Grow grows tree number index of a task until its simulations are spent, nothing is left to
// expand, or, when Config.Enough is set, enough is found in this tree and in those before it, or
// the question's completions are used up. found is what the trees before found; nil is nothing. No
// other tree of the question that shares found may grow at the same time.
//
// On an error (the policy's, the environment's, or ctx's) the tree so far is returned with it:
// whole, checked, and without a trace of the simulation that failed in its visits and values.
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
	for t.Simulations < s.Config.Simulations && !t.Root.Closed && !g.found.enough(s.Config) && g.left() > 0 {
		if err := ctx.Err(); err != nil {
			return t, err
		}

		if err := g.simulate(ctx); err != nil {
			return t, fmt.Errorf("mcts: question %s, tree %d, simulation %d: %w", task.ID, index, t.Simulations, err)
		}
	}
	return t, nil
}

// newTree returns a tree with only its root, s_0 = {D, P_c} (Algorithm 1, line 1), and the prefix.
func (s *Search) newTree(ctx context.Context, task envs.Task, index int) (*Tree, error) {
	state, err := s.Env.Reset(ctx, task)
	if err != nil {
		return nil, fmt.Errorf("mcts: question %s, tree %d: %w", task.ID, index, err)
	}

	t := &Tree{Task: task, Index: index, Seed: TreeSeed(s.Seed, task.ID, index)}
	t.Root = t.add(&Node{State: state, Record: Record{Prior: 1, Status: state.Status()}})

	if err := s.addPrefix(ctx, t); err != nil {
		return nil, fmt.Errorf("mcts: question %s, tree %d: %w", task.ID, index, err)
	}
	return t, nil
}

// addPrefix adds the nodes of the prefix. A task that ends there is an error, and so is a prefix
// that leaves no depth to act at.
func (s *Search) addPrefix(ctx context.Context, t *Tree) error {
	if deepest := s.Config.DeepestActing(); len(s.Prefix) > deepest {
		return fmt.Errorf("a prefix of %d steps, where none may act deeper than %d: raise max_depth",
			len(s.Prefix), deepest)
	}

	n := t.Root

	for i, a := range s.Prefix {
		op := fmt.Sprintf("step %d of the prefix", i+1)

		next, err := s.Env.Step(ctx, n.State, a)
		if err != nil {
			return envs.Fail(envs.StageEnvironment, op, err)
		}

		if next.State.Status() != envs.Running {
			return envs.Fail(envs.StageEnvironment, op, errors.New("the task ends there"))
		}

		n.Expanded, n.Drawn = true, 1
		n = t.add(&Node{
			Parent: n, State: next.State, Turn: next.Turn,
			Record: Record{Prior: 1, Draws: 1, Key: Canonical(s.Env, a)},
		})
	}

	return nil
}

// growth is the growing of one tree.
type growth struct {
	*Search
	tree  *Tree
	found *Found // in this tree and those before it
}

// left is how many samples the question may still draw.
func (g *growth) left() int { return g.found.left(g.Config, g.tree.Samples) }

// simulate is one pass of lines 4-20 of Algorithm 1. A pass that fails does not count as a
// simulation.
func (g *growth) simulate(ctx context.Context) error {
	rng := simulationRand(g.tree.Seed, g.tree.Simulations)

	// Finding nothing to expand spends the simulation, as in the published code.
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

	// Only when all rollouts are through: a failed simulation leaves no trace in visits and values.
	// Rollouts look at neither, so this equals backing up each before the next.
	for _, r := range results {
		g.settle(r)
	}

	if g.Config.CloseAtOnce {
		closeExhausted(leaf)
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
