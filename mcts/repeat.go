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

// redraws reports whether more samples are drawn at n: none of those before is worth going on from.
func (g *growth) redraws(n *Node) bool {
	return g.Config.Redraw > 0 && !n.Redrawn && len(n.Children) > 0 && g.left() > 0 &&
		!slices.ContainsFunc(n.Children, func(c *Node) bool { return isNew(c) && !g.avoids(c) })
}

// isNew reports whether a node repeats no failure.
func isNew(n *Node) bool { return !n.Repeats }

// avoids reports whether the configuration says to avoid a node, since its turn failed. A
// deprecation is no failure here: it says what to call.
func (g *growth) avoids(n *Node) bool {
	return g.Config.AvoidFailures && n.Turn.Outcome.IsInvocationError()
}

// worthwhile returns those of siblings that a rollout may follow: the ones that repeat no failure,
// of these the ones that are not to be avoided, or all where none is left.
func (g *growth) worthwhile(siblings []*Node) []*Node {
	siblings = rather(siblings, isNew)
	return rather(siblings, func(n *Node) bool { return !g.avoids(n) })
}

// rather returns the nodes that are good, or all if none is.
func rather(nodes []*Node, good func(*Node) bool) []*Node {
	chosen := slices.DeleteFunc(slices.Clone(nodes), func(n *Node) bool { return !good(n) })
	if len(chosen) == 0 {
		return nodes
	}
	return chosen
}
