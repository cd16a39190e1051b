package export

import (
	"crypto/sha256"

	"toolevo/trajectories"
)

// question is what an export knows of one question.
type question struct {
	chosen []*trajectories.Row // selected, in canonical order
	all    []*trajectories.Row // that ended: the chosen ones, failed ones and others
}

// candidate is a sample that is not checked yet, and where it comes from.
type candidate struct {
	sample Sample
	broken int // messages in which control tokens were broken

	row      *trajectories.Row // the trajectory that it is of; of a pair the chosen one
	step     int               // which of its actions, from 1; 0 for all of them
	rejected *trajectories.Row // of a pair the trajectory that goes the other way
	count    int               // how often the trees have the sample
}

// distinct returns each sample once, where it came first, with how often it came. Trees of a
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

// alternatives goes through the chosen actions, each once and those left out that no model should
// learn, and tells their bad siblings.
func (w *writer) alternatives(q *question, tell func(good *branch, bad []*branch) error) error {
	tree := growTree(q)
	seen := map[node]bool{}

	for _, row := range q.chosen {
		unwanted := faulty(row)

		for i := range row.Turns {
			at := nodeOf(row, i)
			if seen[at] || unwanted[i] {
				continue
			}

			seen[at] = true

			if err := tell(&branch{row: row, turn: i}, tree.badSiblings(at)); err != nil {
				return err
			}
		}
	}

	return nil
}

// isFailed reports whether a trajectory failed by what the model did: no matcher takes its answer,
// and every turn is as the model wrote it, none of them cut.
func isFailed(row *trajectories.Row) bool {
	return !row.IsCorrect() && !row.Official && !row.Strict && row.Cuts == 0
}
