package mcts

import (
	"slices"

	"toolevo/envs"
)

// A turn repeats a failure if its action failed before on the path, in a state that was alike: an
// environment that is deterministic fails it again, and the search knows what it would pay for.
// Keys tell actions apart, so text that is no call repeats only equal text. Such turns stay in the
// tree, as the policy wrote them; the search avoids to go on there.

// noteRepeats says of a new child of n whether it repeats a failure, and of how many in a row it is
// the last. A turn that does what was done before, in a state that was alike, tells the policy
// nothing new: it neither counts nor breaks a row.
func (g *growth) noteRepeats(n, child *Node) {
	if !g.Config.seesRepeats() {
		return
	}

	failed := child.Turn.Outcome.IsError()

	for m := n; m.Parent != nil; m = m.Parent {
		before := m.Parent.State
		if m.Key == child.Key && m.Turn.Outcome.IsError() == failed && envs.Alike(g.Env, before, n.State) {
			child.Repeats, child.Streak = failed, n.Streak
			if failed {
				child.Streak++
			}

			return
		}
	}
}

// redraws reports whether more samples are drawn at n: all of those before repeat a failure.
func (g *growth) redraws(n *Node) bool {
	return g.Config.Redraw > 0 && !n.Redrawn && len(n.Children) > 0 && g.left() > 0 &&
		!slices.ContainsFunc(n.Children, isNew)
}

// isNew reports whether a node repeats no failure.
func isNew(n *Node) bool { return !n.Repeats }

// worthwhile returns those of siblings that a rollout may follow: the ones that repeat no failure, and
// of these the ones that did not fail for another reason than a deprecation, if the configuration says
// so; or all where none is left.
func (g *growth) worthwhile(siblings []*Node) []*Node {
	siblings = rather(siblings, isNew)
	if g.Config.AvoidFailures {
		siblings = rather(siblings, func(n *Node) bool { return !n.Turn.Outcome.IsInvocationError() })
	}

	return siblings
}

// rather returns the nodes that are good, or all if none is.
func rather(nodes []*Node, good func(*Node) bool) []*Node {
	bad := func(n *Node) bool { return !good(n) }
	if !slices.ContainsFunc(nodes, good) || !slices.ContainsFunc(nodes, bad) {
		return nodes
	}

	return slices.DeleteFunc(slices.Clone(nodes), bad)
}
