package mcts

// backup is line 18 of Algorithm 1 and equation 4: from the rolled-out child to the root, one more
// visit and the reward. Summing the rewards and dividing by the visits is the running mean of the
// equation.
func backup(child *Node, reward float64) {
	for n := child; n != nil; n = n.Parent {
		n.Visits++
		n.TotalValue += reward
	}
}

// closeExhausted closes the leaf and its ancestors up to the first that still has something to
// expand below it.
func closeExhausted(leaf *Node) {
	for n := leaf; n != nil; n = n.Parent {
		if !n.Closed {
			if !n.Expanded {
				return
			}

			for _, child := range n.Children {
				if child.Open() {
					return
				}
			}

			n.Closed = true
		}
	}
}
