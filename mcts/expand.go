package mcts

import (
	"context"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/exact"
)

// expand is lines 8-15 of Algorithm 1: it makes the children of a leaf visible to selection, using
// what a rollout cached and drawing what is missing to k samples. An error state is expanded like
// any other: the same policy, shown the error, writes the reflective action (equation 5).
func (g *growth) expand(ctx context.Context, leaf *Node) error {
	if missing := g.found.samples(g.Config, g.Config.Samples) - leaf.Drawn; missing > 0 {
		if err := g.generate(ctx, leaf, min(missing, g.left())); err != nil {
			return err
		}
	}

	leaf.Expanded = len(leaf.Children) > 0
	return nil
}

// endSilently ends a node at which the policy wrote nothing: because it had nothing to say, or,
// when every proposal says so, because the prompt did not fit its context window. It has no reward:
// silence is more often the server's fault than the model's, and a wrong −1 would turn the search
// away from a good path.
func endSilently(n *Node, proposals []Proposal) {
	n.Status, n.Limit, n.Closed = envs.Truncated, LimitSilence, true

	fits := func(p Proposal) bool { return p.Finish != FinishTooLong }
	if len(proposals) > 0 && !slices.ContainsFunc(proposals, fits) {
		n.Limit = LimitContext
	}
}

// generate draws k samples at n, and more, once, if all of those repeat a failure. A node without
// children ends in silence.
func (g *growth) generate(ctx context.Context, n *Node, k int) error {
	proposals, err := g.draw(ctx, n, k)
	if err == nil && g.redraws(n) {
		n.Redrawn = true
		_, err = g.draw(ctx, n, min(g.Config.Redraw, g.left()))
	}

	if err == nil && len(n.Children) == 0 {
		endSilently(n, proposals)
	}
	return err
}

// draw draws k samples at n, runs each distinct action, and adds the children. Either all of it
// happens or nothing.
func (g *growth) draw(ctx context.Context, n *Node, k int) ([]Proposal, error) {
	path := n.Path()

	proposals, err := g.Policy.Propose(ctx, Request{
		Node:    NodeID{Question: g.tree.Task.ID, Tree: g.tree.Index, Path: path},
		History: n.State.History(),
		First:   n.Drawn,
		N:       k,
		Seed:    sampleSeed(g.tree.Seed, path) + uint64(n.Drawn),
	})
	if err != nil {
		return nil, envs.Fail(envs.StagePolicy, "propose at "+path, err)
	}

	// Copies of what n has: no node changes before every action has run without an error.
	had := len(n.Children)
	children := slices.Grow(slices.Clone(n.Children), len(proposals))
	draws := make([]int, had, had+len(proposals))
	priors := make([]float64, had, had+len(proposals))

	for _, p := range proposals {
		p.Text = strings.ToValidUTF8(p.Text, "\uFFFD") // nothing else can be stored and exported
		if strings.TrimSpace(p.Text) == "" {
			continue
		}

		var child *Node
		key := Canonical(g.Env, envs.Action(p.Text))

		sibling := g.indexOfSame(children, p.Text, key)
		if sibling < 0 {
			var err error
			if child, err = g.act(ctx, n, p, key); err != nil {
				return nil, envs.Fail(envs.StageEnvironment, "step at "+path, err)
			}

			// The environment may take less than the model wrote.
			sibling = g.indexOfSame(children, string(child.Turn.Action), key)
		}

		if sibling >= 0 {
			draws[sibling]++
			priors[sibling] += g.prior(p)
			continue
		}

		children, draws, priors = append(children, child), append(draws, 1), append(priors, 0)
	}

	for _, child := range children[had:] {
		g.tree.add(child)
		g.found.addNode(child)
	}

	// One action in several wordings has the probability of all of them.
	for i, child := range children {
		child.Draws += draws[i]
		if g.Config.Duplicates == SameAction {
			child.Prior = min(child.Prior+priors[i], 1)
		}
	}

	// k, even if the server gave fewer: what it would not give is not asked for again.
	n.Drawn += k
	g.tree.Calls++
	g.tree.Samples += len(proposals)
	return proposals, nil
}

// act runs one action from n's state: s_{t+1} = Cat(s_t, a_t). UpdateTool's change of P_c (lines
// 14-15) is part of the state the environment returns.
func (g *growth) act(ctx context.Context, n *Node, p Proposal, key string) (*Node, error) {
	next, err := g.Env.Step(ctx, n.State, envs.Action(p.Text))
	if err != nil {
		return nil, err
	}

	child := &Node{
		Parent: n, State: next.State, Turn: next.Turn,
		Record: Record{
			Prior: g.prior(p), Key: key,
			Status: next.State.Status(), Reward: next.Reward, Grade: next.Grade,
			Cut: p.Finish == FinishLength && next.Turn.Call.Name == "",
		},
	}
	g.noteRepeats(n, child)
	g.limit(child, n.Depth+1)

	return child, nil
}

// limit truncates a child that may not act. Stopping short of an answer is a failure: equation 1
// gives it −1.
func (g *growth) limit(child *Node, depth int) {
	switch {
	case child.Status == envs.Truncated:
		child.Limit = LimitEnvironment
	case child.Status == envs.Terminated:
	case !g.Config.Reflect && child.Turn.Outcome.IsInvocationError():
		child.Status, child.Limit, child.Reward = envs.Truncated, LimitReflection, -1
	case g.Config.Repeats > 0 && child.Streak >= g.Config.Repeats:
		child.Status, child.Limit, child.Reward = envs.Truncated, LimitRepeat, -1
	case depth > g.Config.DeepestActing():
		child.Status, child.Limit, child.Reward = envs.Truncated, LimitDepth, -1
	}
}

// prior is P(s,a): the geometric mean of the token probabilities, or 1/k when the server gave none.
func (g *growth) prior(p Proposal) float64 {
	if !p.Scored {
		return 1 / float64(g.Config.Samples)
	}
	return exact.Exp(min(p.LogProb, 0))
}

// indexOfSame returns which of the siblings chose the same action, or -1.
func (g *growth) indexOfSame(siblings []*Node, text, key string) int {
	return slices.IndexFunc(siblings, func(s *Node) bool {
		return g.Config.Duplicates == SameAction && s.Key == key || string(s.Turn.Action) == text
	})
}
