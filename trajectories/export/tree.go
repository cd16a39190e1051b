package export

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"toolevo/trajectories"
)

// tree is what the trajectories of a question say of the search trees that they are paths of:
// actions by their node, the actions at each node in the order of the rows, and what became of
// every action in every state.
type tree struct {
	actions  map[node]*branch
	siblings map[node][]*branch // by the node of their state

	// of a trajectory that did not fail: it is chosen, or right but not chosen, or we do not know
	unfailed map[move]bool
}

// node names a node of a search tree.
type node struct {
	runID string
	tree  int
	path  string // ordinals from the root: "0.1"
}

// move is an action in a state, in whatever tree of whatever run.
type move struct {
	state string // of statesOf
	key   string // of the action
}

// branch is an action at a node.
type branch struct {
	row  *trajectories.Row // the first trajectory through it
	turn int               // which of its turns, from 0
	move move
}

// nodeOf returns the node that turn i, from 0, of a trajectory led to. -1 is the root.
func nodeOf(row *trajectories.Row, i int) node {
	path := row.NodePath
	for range len(row.Turns) - 1 - i {
		path = path[:strings.LastIndexByte(path, '.')]
	}
	return node{row.RunID, row.Tree, path}
}

// statesOf returns the state before each turn of a trajectory. Where the same calls met the same
// observations the state is the same, whatever was thought and under whatever API version.
func statesOf(row *trajectories.Row) []string {
	states := make([]string, len(row.Turns))
	state := ""

	for i, t := range row.Turns {
		states[i] = state
		sum := sha256.Sum256(fmt.Appendf(nil, "%s%d:%s%s", state, len(t.Key), t.Key, t.Observation))
		state = string(sum[:])
	}

	return states
}

func growTree(q *question) *tree {
	t := &tree{map[node]*branch{}, map[node][]*branch{}, map[move]bool{}}

	for _, row := range q.all {
		for i, state := range statesOf(row) {
			m := move{state, row.Turns[i].Key}
			t.unfailed[m] = t.unfailed[m] || !isFailed(row)

			if at := nodeOf(row, i); t.actions[at] == nil {
				a := &branch{row: row, turn: i, move: m}
				t.actions[at] = a

				parent := nodeOf(row, i-1)
				t.siblings[parent] = append(t.siblings[parent], a)
			}
		}
	}

	return t
}

// badSiblings returns the bad actions beside one. None of them does the same as a chosen one, which
// is not bad in their state.
func (t *tree) badSiblings(at node) []*branch {
	a := t.actions[at]
	return slices.DeleteFunc(slices.Clone(t.siblings[nodeOf(a.row, a.turn-1)]), func(b *branch) bool {
		return t.unfailed[b.move]
	})
}

// badEnds returns the trajectories that ended with a bad action, and so failed.
func (t *tree) badEnds(all []*trajectories.Row) (bad []*trajectories.Row) {
	for _, row := range all {
		last := len(row.Turns) - 1
		if last >= 0 && !t.unfailed[t.actions[nodeOf(row, last)].move] {
			bad = append(bad, row)
		}
	}

	return bad
}

func (a *branch) at() *trajectories.Turn { return &a.row.Turns[a.turn] }

// worst returns the action of which it is known best that it is bad: the one with the most visits,
// of those the one of the lowest value.
func worst(bad []*branch) *branch {
	return slices.MinFunc(bad, func(a, b *branch) int {
		return cmp.Or(cmp.Compare(b.at().Visits, a.at().Visits), cmp.Compare(a.at().Value, b.at().Value))
	})
}
