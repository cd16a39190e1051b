package mcts

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"toolevo/envs"
)

// Trajectory identifies the sequence of actions from the root to the node. Trajectories with equal
// keys call the same tools with the same arguments in the same order, whatever their thoughts.
func (n *Node) Trajectory() string {
	keys := make([]string, n.Depth)
	for m := n; m.Parent != nil; m = m.Parent {
		keys[m.Depth-1] = m.Key
	}
	return TrajectoryKey(keys)
}

// TrajectoryKey identifies a sequence of actions by their canonical forms: SHA-256, in hexadecimal,
// of each after its length, so that no action can pretend to be two. Thoughts, observations and the
// question play no part.
func TrajectoryKey(actions []string) string {
	h := sha256.New()
	for _, a := range actions {
		fmt.Fprintf(h, "%d:%s", len(a), a)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Accepted reports whether the node ends an accepted trajectory: the answer is right by the
// benchmark's matcher and by the strict one. The official matcher alone takes 1.5 for 15, and such
// a trajectory would teach a wrong answer.
func (r *Record) Accepted() bool {
	return r.Outcome == envs.Correct && r.Grade.Official && r.Grade.Strict
}

// Correct counts the trajectories of the tree that ended with the right answer.
func (t *TreeRecord) Correct() (n int) {
	for i := range t.Nodes {
		if t.Nodes[i].Outcome == envs.Correct {
			n++
		}
	}

	return n
}

// Trajectory is Node.Trajectory for a stored node.
func (t *TreeRecord) Trajectory(id int) string {
	path := t.Path(id)

	keys := make([]string, 0, len(path))
	for _, i := range path[1:] {
		keys = append(keys, t.Nodes[i].Key)
	}
	return TrajectoryKey(keys)
}
