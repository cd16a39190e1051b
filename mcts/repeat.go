package mcts

import (
	"slices"

	"toolevo/envs"
)

// A turn repeats a failure if its action failed before on the path, in a state that was alike: an environment that is
// deterministic fails it again, and the search knows what it would pay for. Keys tell actions apart, so text that is no
// call repeats only equal text. Such turns stay in the tree, as the policy wrote them; the search avoids to go on there.

// repeats reports whether a new child of n repeats a failure.
func (g *growth) repeats(n, child *Node) bool {
	if !g.Config.seesRepeats() || !child.Turn.Outcome.IsError() {
		return false
	}

	for m := n; m.Parent != nil; m = m.Parent {
		if m.Key == child.Key && m.Turn.Outcome.IsError() && envs.Alike(g.Env, m.Parent.State, n.State) {
			return true
		}
	}

	return false
}

// redraws reports whether more samples are drawn at n: all of those before repeat a failure.
func (g *growth) redraws(n *Node) bool {
	return g.Config.Redraw > 0 && !n.Redrawn && len(n.Children) > 0 && g.left() > 0 &&
		!slices.ContainsFunc(n.Children, isNew)
}

// isNew reports whether a node repeats no failure.
func isNew(n *Node) bool { return n.Repeats == 0 }

// worthwhile returns those of siblings that a rollout may follow: the ones that repeat no failure, or all if every one
// does.
func worthwhile(siblings []*Node) []*Node {
	if !slices.ContainsFunc(siblings, isNew) || !slices.ContainsFunc(siblings, func(n *Node) bool { return !isNew(n) }) {
		return siblings
	}

	return slices.DeleteFunc(slices.Clone(siblings), func(n *Node) bool { return !isNew(n) })
}
