package mcts

import (
	"math"
	"math/rand/v2"
	"slices"
)

// descend is line 4 of Algorithm 1: from the root, follow the child with the highest PUCT value
// until a node is not expanded. It returns nil when it ends at a node with nothing left to expand,
// which it then closes.
func (g *growth) descend(rng *rand.Rand) *Node {
	n := g.tree.Root
	for n.Expanded {
		next := g.best(n, rng)
		if next == nil {
			n.Closed = true
			return nil
		}

		n = next
	}

	if !n.Open() {
		n.Closed = true
		return nil
	}
	return n
}

// best returns the open child with the highest PUCT value, ties broken uniformly, or nil when no
// child is open. One that repeats a failure waits until no other is open.
func (g *growth) best(n *Node, rng *rand.Rand) *Node {
	visits := g.parentVisits(n)
	var best *Node
	highest, ties := math.Inf(-1), 0
	fresh := slices.ContainsFunc(n.Children, func(c *Node) bool { return c.Open() && isNew(c) })

	for _, child := range n.Children {
		if !child.Open() || fresh && child.Repeats {
			continue
		}

		value := puct(g.Config.CPUCT, g.expected(child), child.Prior, visits, child.Visits)
		switch {
		case value > highest:
			best, highest, ties = child, value, 1
		case value == highest:
			if ties++; rng.IntN(ties) == 0 {
				best = child
			}
		}
	}

	return best
}

// expected is Q(s,a), and −1 for a child that no visible rollout followed: the policy drew its
// sibling instead, so it waits while a subtree beside it has had any success.
func (g *growth) expected(child *Node) float64 {
	if child.Visits == 0 && g.Config.RolloutNodes == Visible {
		return -1
	}
	return child.Q()
}

// parentVisits is N(s) of equation 2 as the configuration reads it.
func (g *growth) parentVisits(n *Node) int {
	if g.Config.ParentVisits == OwnVisits {
		return n.Visits
	}

	sum := 0
	for _, child := range n.Children {
		sum += child.Visits
	}
	return sum
}

// puct is equation 2: Q(s,a) + c P(s,a) sqrt(N(s)) / (1 + N(s,a)).
func puct(c, q, prior float64, parentVisits, visits int) float64 {
	return q + c*prior*math.Sqrt(float64(parentVisits))/float64(1+visits)
}
