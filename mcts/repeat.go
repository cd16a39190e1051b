package mcts

import (
	"slices"

	"toolevo/envs"
)

// A turn repeats a failure if its action failed before on the path, in a state that was alike: a
// deterministic environment fails it again, so the search knows what it would pay for. Keys tell
// actions apart, so text without a call repeats only equal text. Such turns stay in the tree, as
// the policy wrote them; the search avoids continuing from them.

// noteRepeats notes on a new child of n whether it repeats a failure, and how many in a row do. A
// turn that repeats a success, in a state that was alike, tells the policy nothing new: it neither
// counts nor breaks a row.
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

// redraws reports whether more samples are drawn at n: those so far are not worth continuing from.
func (g *growth) redraws(n *Node) bool {
	return g.Config.Redraw > 0 && !n.Redrawn && len(n.Children) > 0 && g.left() > 0 &&
		!slices.ContainsFunc(n.Children, func(c *Node) bool { return isNew(c) && !g.avoids(c) })
}

// isNew reports whether a node repeats no failure.
func isNew(n *Node) bool { return !n.Repeats }

// avoids reports whether the configuration says to avoid a node because its turn failed. A
// deprecation is not a failure here: it says what to call.
func (g *growth) avoids(n *Node) bool {
	return g.Config.AvoidFailures && n.Turn.Outcome.IsInvocationError()
}

// worthwhile returns the siblings that a rollout may follow: those that repeat no failure and need
// not be avoided. A condition that no sibling meets is dropped.
func (g *growth) worthwhile(siblings []*Node) []*Node {
	siblings = preferred(siblings, isNew)
	return preferred(siblings, func(n *Node) bool { return !g.avoids(n) })
}

// preferred returns the nodes that are good, or all of them if no node is.
func preferred(nodes []*Node, good func(*Node) bool) []*Node {
	chosen := slices.DeleteFunc(slices.Clone(nodes), func(n *Node) bool { return !good(n) })
	if len(chosen) == 0 {
		return nodes
	}
	return chosen
}
