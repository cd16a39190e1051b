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

// distinct returns each sample once, where it came first, with how often it came. Trees of a question
// often begin alike.
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

// trajectories returns a sample of each trajectory.
func (w *writer) trajectories(q *question) ([]candidate, error) {
	all := make([]candidate, 0, len(q.chosen))

	for _, row := range q.chosen {
		sample, broken, err := w.sample(row)
		if err != nil {
			return nil, err
		}

		all = append(all, candidate{sample: sample, broken: broken, row: row})
	}

	return all, nil
}

// steps returns a sample of each action, once where trajectories begin alike.
func (w *writer) steps(q *question) ([]candidate, error) {
	var all []candidate

	seen := map[node]bool{}

	for _, row := range q.chosen {
		whole, _, err := w.sample(row)
		if err != nil {
			return nil, err
		}

		bad := faulty(row)

		for i := range row.Turns {
			at := nodeOf(row, i)

			switch {
			case seen[at]:
				continue
			case row.Turns[i].Unreadable(), bad[i] && w.opt.Selection.SkipFaulty:
				w.manifest.Selected.SkippedSteps++
			default:
				all = append(all, candidate{sample: whole.step(i), row: row, step: i + 1})
			}

			seen[at] = true
		}
	}

	return all, nil
}

// pairs returns, for each chosen action that has a bad sibling, both.
func (w *writer) pairs(q *question) ([]candidate, error) {
	var all []candidate

	err := w.alternatives(q, func(good *branch, bad []*branch) error {
		if len(bad) == 0 {
			return nil
		}

		worst := worst(bad)

		sample, _, err := w.sample(good.row)
		if err != nil {
			return err
		}

		other, _, err := w.sample(worst.row)
		if err != nil {
			return err
		}

		all = append(all, candidate{
			sample: Sample{
				System: sample.System, Conversations: sample.state(good.turn),
				Chosen: sample.reply(good.turn), Rejected: other.reply(good.turn),
			},
			row: good.row, step: good.turn + 1, rejected: worst.row,
		})

		return nil
	})

	return all, err
}

// judged returns each chosen action and each of its bad siblings.
func (w *writer) judged(q *question) ([]candidate, error) {
	var all []candidate

	judge := func(a *branch, good bool) error {
		sample, _, err := w.sample(a.row)
		if err != nil {
			return err
		}

		step := sample.step(a.turn)
		step.Good = good
		all = append(all, candidate{sample: step, row: a.row, step: a.turn + 1})

		return nil
	}
	told := map[*branch]bool{}

	err := w.alternatives(q, func(good *branch, bad []*branch) error {
		if err := judge(good, true); err != nil {
			return err
		}

		for _, b := range bad {
			if told[b] {
				continue
			}

			told[b] = true

			if err := judge(b, false); err != nil {
				return err
			}
		}

		return nil
	})

	return all, err
}

// alternatives goes through the chosen actions, each once and those left out that no model should learn, and tells
// their bad siblings.
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

// transcripts returns for each chosen trajectory the failed one of its run that goes along with it longest, each once.
func (w *writer) transcripts(q *question) ([]candidate, error) {
	var all []candidate

	used := map[*trajectories.Row]bool{}
	bad := growTree(q).badEnds(q.all)

	for _, row := range q.chosen {
		failed := nearest(row, bad, used)
		if failed == nil {
			continue
		}

		used[failed] = true

		good, broken, err := w.sample(row)
		if err != nil {
			return nil, err
		}

		other, _, err := w.sample(failed)
		if err != nil {
			return nil, err
		}

		all = append(all, candidate{
			sample: Sample{
				System: good.System, Conversations: good.state(0),
				Chosen: good.transcript(), Rejected: other.transcript(),
			},
			broken: broken, row: row, rejected: failed,
		})
	}

	return all, nil
}

// nearest returns the bad trajectory of the same run whose actions are those of a row for longest, nil if there is
// none that is not used.
func nearest(row *trajectories.Row, bad []*trajectories.Row, used map[*trajectories.Row]bool) *trajectories.Row {
	var best *trajectories.Row

	longest := -1

	for _, r := range bad {
		if used[r] || r.RunID != row.RunID || r.PromptAPI != row.PromptAPI {
			continue
		}

		if n := alike(row.Turns, r.Turns); n > longest {
			best, longest = r, n
		}
	}

	return best
}

// alike counts the actions with which two trajectories begin alike.
func alike(a, b []trajectories.Turn) (n int) {
	for n < len(a) && n < len(b) && a[n].Key == b[n].Key {
		n++
	}

	return n
}

// isFailed reports whether a trajectory failed by what the model did: no matcher takes its answer, and
// every turn is as the model wrote it, none of them cut.
func isFailed(row *trajectories.Row) bool {
	return !row.IsCorrect() && !row.Official && !row.Strict && row.Cuts == 0
}
