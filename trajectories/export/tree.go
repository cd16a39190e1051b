package export

import (
	"cmp"
	"slices"
	"strings"

	"toolevo/trajectories"
)

// tree is what the trajectories of a question say of the search trees that they are paths of: actions by their node,
// and the actions in each state in the order of the rows.
type tree struct {
	actions  map[node]*branch
	siblings map[node][]*branch // by the state's node
}

// node names a node of a search tree.
type node struct {
	runID string
	tree  int
	path  string // ordinals from the root: "0.1"
}

// branch is an action in a state, and what became of the trajectories through it.
type branch struct {
	row  *trajectories.Row // the first of them
	turn int               // which of its turns, from 0

	failed bool // one failed
	other  bool // one did not fail: it is chosen, or right but not chosen, or we do not know
}

// nodeOf returns the node that turn i, from 0, of a trajectory led to. -1 is the root.
func nodeOf(row *trajectories.Row, i int) node {
	path := row.NodePath
	for range len(row.Turns) - 1 - i {
		path = path[:strings.LastIndexByte(path, '.')]
	}

	return node{row.RunID, row.Tree, path}
}

func growTree(q *question) *tree {
	t := &tree{actions: map[node]*branch{}, siblings: map[node][]*branch{}}

	for _, row := range q.all {
		for i := range row.Turns {
			at := nodeOf(row, i)

			a := t.actions[at]
			if a == nil {
				a = &branch{row: row, turn: i}
				t.actions[at] = a

				state := nodeOf(row, i-1)
				t.siblings[state] = append(t.siblings[state], a)
			}

			a.failed = a.failed || isFailed(row)
			a.other = a.other || !isFailed(row)
		}
	}

	return t
}

// badSiblings returns the bad actions beside one, but for those that do the same.
func (t *tree) badSiblings(at node) []*branch {
	a := t.actions[at]

	return slices.DeleteFunc(slices.Clone(t.siblings[nodeOf(a.row, a.turn-1)]), func(b *branch) bool {
		return !b.failed || b.other || b.at().Key == a.at().Key
	})
}

func (a *branch) at() *trajectories.Turn { return &a.row.Turns[a.turn] }

// worst returns the action of which it is known best that it is bad: the one with the most visits, of those the one of
// the lowest value.
func worst(bad []*branch) *branch {
	return slices.MinFunc(bad, func(a, b *branch) int {
		return cmp.Or(cmp.Compare(b.at().Visits, a.at().Visits), cmp.Compare(a.at().Value, b.at().Value))
	})
}
