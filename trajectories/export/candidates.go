package export

import (
	"crypto/sha256"

	"toolevo/trajectories"
)

// question is what an export knows about one question.
type question struct {
	chosen []*trajectories.Row // selected, in canonical order
	all    []*trajectories.Row // that ended: the chosen ones, failed ones and others
}

// candidate is a sample that has not been checked yet, and where it comes from.
type candidate struct {
	sample Sample
	broken int // messages in which control tokens were broken

	row      *trajectories.Row // the trajectory that it is made of; for a pair the chosen one
	step     int               // which of its actions, from 1; 0 for all of them
	rejected *trajectories.Row // the other trajectory of a pair
	count    int               // how often the trees have the sample
}

// distinct returns each sample once, at its first place, with how often it came. Trees of a
// question often begin alike.
func distinct(all []candidate) []candidate {
	var once []candidate

	at := map[[sha256.Size]byte]int{}

	for _, c := range all {
		sum := c.sample.sum()
		if i, ok := at[sum]; ok {
			once[i].count++
			continue
		}

		at[sum] = len(once)
		c.count = 1
		once = append(once, c)
	}
	return once
}

// alternatives visits each chosen action once, with its bad siblings. It leaves out actions that no
// model should learn.
func (w *writer) alternatives(q *question, visit func(good *branch, bad []*branch) error) error {
	tree := growTree(q, w.manifest.Selection.isBlind)
	seen := map[node]bool{}

	for _, row := range q.chosen {
		unwanted := faulty(row)

		for i := range row.Turns {
			at := nodeOf(row, i)
			if seen[at] || unwanted[i] {
				continue
			}

			seen[at] = true

			if err := visit(&branch{row: row, index: i}, tree.badSiblings(at)); err != nil {
				return err
			}
		}
	}

	return nil
}

// isFailed reports whether a trajectory failed by what the model did: no matcher takes its answer,
// and no turn was cut, so that each is as the model wrote it.
func isFailed(row *trajectories.Row) bool {
	return !row.IsCorrect() && !row.Official && !row.Strict && row.Cuts == 0
}
