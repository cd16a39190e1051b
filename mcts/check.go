package mcts

import (
	"errors"
	"fmt"
	"math"

	"toolevo/envs"
)

// Check verifies the tree's invariants and returns every violation, joined. It is product code:
// `toolevo check` runs it on every stored tree, and the tests run it on every tree they grow.
//
//  1. Nodes are linked both ways, parents precede children, and a node's history has as many turns
//     as its depth.
//  2. A child is visible or cached: below a node that is not expanded nothing has a visit or a
//     value.
//  3. A node's visits are its children's, plus one when it was rolled out itself; the root never
//     is. So with values, up to one reward. Nothing is visited more often than there were
//     simulations that expanded something.
//  4. Priors lie in 0..1, |W| is at most N, and rewards belong to nodes where the task has ended.
//  5. A node that has ended has no children, a closed node no open ones, and siblings are distinct.
//  6. A path ends by LimitRepeat where as many turns in a row repeat a failure as may, and no
//     later.
//  7. Each child was drawn, together they were drawn no more often than samples were, and what was
//     cut is not a call.
func (t *Tree) Check(c Config) error {
	var errs []error
	report := func(n *Node, format string, args ...any) {
		errs = append(errs, fmt.Errorf("mcts: node %s: "+format, append([]any{n.Path()}, args...)...))
	}

	if t.Root == nil || len(t.Nodes) == 0 {
		return errors.New("mcts: the tree has no root")
	}

	for id, n := range t.Nodes {
		t.checkLinks(id, n, report)
		checkVisits(n, report)
		checkValues(n, report)
		checkEnds(n, c, report)
	}

	if working := t.Simulations - t.Idle; c.Rollouts == OneRandom && t.Root.Visits > working {
		report(t.Root, "%d visits in %d working simulations", t.Root.Visits, working)
	}
	return errors.Join(errs...)
}

type reporter func(n *Node, format string, args ...any)

func (t *Tree) checkLinks(id int, n *Node, report reporter) {
	if n.ID != id {
		report(n, "ID is %d at place %d", n.ID, id)
	}

	if n.Parent == nil && n != t.Root {
		report(n, "has no parent")
	}

	if n.Parent != nil {
		if n.Parent.ID >= n.ID {
			report(n, "comes before its parent")
		}

		if n.Depth != n.Parent.Depth+1 {
			report(n, "depth %d below depth %d", n.Depth, n.Parent.Depth)
		}

		if n.Ordinal >= len(n.Parent.Children) || n.Parent.Children[n.Ordinal] != n {
			report(n, "is not child %d of its parent", n.Ordinal)
		}
	}

	if turns := n.State.History().Len(); turns != n.Depth {
		report(n, "%d turns at depth %d", turns, n.Depth)
	}
}

func checkVisits(n *Node, report reporter) {
	children := 0
	for _, child := range n.Children {
		children += child.Visits
	}

	switch own := n.Visits - children; {
	case own < 0 || own > 1:
		report(n, "%d visits, its children %d", n.Visits, children)
	case own == 1 && n.Parent == nil:
		report(n, "the root was rolled out")
	}

	if n.Parent != nil && !n.Parent.Expanded && (n.Visits != 0 || n.TotalValue != 0 || n.Expanded) {
		report(n, "is cached, yet has %d visits, value %v", n.Visits, n.TotalValue)
	}
}

func checkValues(n *Node, report reporter) {
	if !(n.Prior >= 0 && n.Prior <= 1) {
		report(n, "prior is %v", n.Prior)
	}

	if !(math.Abs(n.TotalValue) <= float64(n.Visits)) {
		report(n, "|W| = %v with %d visits", math.Abs(n.TotalValue), n.Visits)
	}

	sum := 0.0
	for _, child := range n.Children {
		sum += child.TotalValue
	}

	if own := n.TotalValue - sum; math.Abs(own) > 1 {
		report(n, "value %v, its children %v", n.TotalValue, sum)
	}

	if n.Reward != 0 && n.Status == envs.Running {
		report(n, "reward %v while the task goes on", n.Reward)
	}
}

// continues reports whether a node's streak follows from its parent's: a repeated failure adds one,
// another repeated action keeps it, anything else ends it.
func continues(n *Node) bool {
	if n.Repeats {
		return n.Streak == n.Parent.Streak+1
	}
	return n.Streak == 0 || n.Streak == n.Parent.Streak
}

func checkRepeats(n *Node, c Config, report reporter) {
	if n.Repeats && !n.Turn.Outcome.IsError() {
		report(n, "repeats a failure, yet its outcome is %s", n.Turn.Outcome)
	}

	if n.Parent != nil && !continues(n) {
		report(n, "is repeat %d in a row, its parent %d", n.Streak, n.Parent.Streak)
	}

	tooMany := c.Repeats > 0 && n.Streak >= c.Repeats
	if tooMany && n.Status == envs.Running || n.Limit == LimitRepeat && !tooMany {
		report(n, "is repeat %d in a row and %s, where %d may be", n.Streak, n.Status, c.Repeats)
	}
}

func checkDraws(n *Node, report reporter) {
	draws := 0

	for _, child := range n.Children {
		if child.Draws < 1 {
			report(child, "was drawn %d times", child.Draws)
		}

		draws += child.Draws
	}

	if draws > n.Drawn {
		report(n, "its children were drawn %d times in %d samples", draws, n.Drawn)
	}

	if n.Parent == nil && n.Draws != 0 {
		report(n, "the root was drawn %d times", n.Draws)
	}
}

func checkEnds(n *Node, c Config, report reporter) {
	if n.Status != envs.Running && len(n.Children) > 0 {
		report(n, "has ended and has %d children", len(n.Children))
	}

	if n.Status == envs.Running && n.Depth > c.DeepestActing() {
		report(n, "may act at depth %d, deeper than %d", n.Depth, c.DeepestActing())
	}

	// A tree after one that found nothing widens, and what repeats may be drawn again.
	if k := c.Samples + c.Widen + c.Redraw; n.Drawn > k {
		report(n, "%d samples drawn, more than %d", n.Drawn, k)
	}

	checkRepeats(n, c, report)

	// Text cut off behind a whole call loses nothing, so act never marks it as cut.
	if n.Cut && n.Turn.Call.Name != "" {
		report(n, "is cut, yet calls %s", n.Turn.Call.Name)
	}

	checkDraws(n, report)

	seen := make(map[string]bool, len(n.Children))
	for _, child := range n.Children {
		if n.Closed && child.Open() {
			report(n, "is closed, child %d is open", child.Ordinal)
		}

		// What the environment took, which may be less than the model wrote: see draw.
		key := string(child.Turn.Action)
		if c.Duplicates == SameAction {
			key = child.Key
		}

		if seen[key] {
			report(child, "repeats a sibling")
		}

		seen[key] = true
	}
}
