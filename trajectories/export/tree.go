package export

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"toolevo/trajectories"
)

// tree is what the trajectories of a question tell about the search trees that they are paths of:
// the action that led to each node, the actions at each node in the order of the rows, and what
// became of every action in every state.
type tree struct {
	actions  map[node]*branch
	siblings map[node][]*branch // by the node of their state

	// unfailed has the moves of trajectories that are not known to have failed by what the model
	// did, chosen or not.
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
	row   *trajectories.Row // the first trajectory through it
	index int               // which of its turns, from 0
	move  move
}

// nodeOf returns the node that turn i, from 0, of a trajectory led to. -1 is the root.
func nodeOf(row *trajectories.Row, i int) node {
	path := row.NodePath
	if path == "" { // of no tree, as an episode: a path of its own
		path = "0" + strings.Repeat(".0", len(row.Turns))
	}

	for range len(row.Turns) - 1 - i {
		path = path[:strings.LastIndexByte(path, '.')]
	}
	return node{row.RunID, row.Tree, path}
}

// statesOf returns the state before each turn of a trajectory. The same calls with the same
// observations lead to the same state, whatever was thought and under whatever API version.
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

// growTree returns the trees of a question. Of a blind trajectory nobody knows whether it failed by
// what the model did: the value that it was given may be what made it wrong.
func growTree(q *question, isBlind func(*trajectories.Row) bool) *tree {
	t := &tree{map[node]*branch{}, map[node][]*branch{}, map[move]bool{}}

	for _, row := range q.all {
		failed := isFailed(row) && !isBlind(row)

		for i, state := range statesOf(row) {
			m := move{state, row.Turns[i].Key}
			t.unfailed[m] = t.unfailed[m] || !failed

			if at := nodeOf(row, i); t.actions[at] == nil {
				a := &branch{row: row, index: i, move: m}
				t.actions[at] = a

				parent := nodeOf(row, i-1)
				t.siblings[parent] = append(t.siblings[parent], a)
			}
		}
	}

	return t
}

// badSiblings returns the bad siblings of the action at a node. None of them makes the same call as
// a chosen one, because that is not bad in their state.
func (t *tree) badSiblings(at node) []*branch {
	a := t.actions[at]
	return slices.DeleteFunc(slices.Clone(t.siblings[nodeOf(a.row, a.index-1)]), func(b *branch) bool {
		return t.unfailed[b.move]
	})
}

// badEnds returns the trajectories that ended with a bad action, and therefore failed.
func (t *tree) badEnds(all []*trajectories.Row) (bad []*trajectories.Row) {
	for _, row := range all {
		last := len(row.Turns) - 1
		if last >= 0 && !t.unfailed[t.actions[nodeOf(row, last)].move] {
			bad = append(bad, row)
		}
	}

	return bad
}

// turn returns the turn that took the action.
func (a *branch) turn() *trajectories.Turn { return &a.row.Turns[a.index] }

// worst returns the action that is most surely bad: the one with the most visits, and among those
// the one with the lowest value.
func worst(bad []*branch) *branch {
	return slices.MinFunc(bad, func(a, b *branch) int {
		return cmp.Or(cmp.Compare(b.turn().Visits, a.turn().Visits), cmp.Compare(a.turn().Value, b.turn().Value))
	})
}
