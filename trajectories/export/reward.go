package export

import "toolevo/trajectories"

// Reward is a question and two transcripts, of a chosen and a failed trajectory.
const Reward Format = "reward"

func init() {
	register(form{
		format: Reward,
		trained: trained{
			shape: replyPair, dataset: "toolevo_reward", samples: (*writer).transcriptPairs, failures: true,
			transcripts: true,
		},
	})
}

// transcriptPairs returns for each chosen trajectory the failed one of its run that goes along with
// it longest, each once.
func (w *writer) transcriptPairs(q *question) ([]candidate, error) {
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
				System: good.System, Tools: good.Tools, Conversations: good.state(0),
				Chosen: good.transcript(), Rejected: other.transcript(),
			},
			broken: broken, row: row, rejected: failed,
		})
	}

	return all, nil
}

// nearest returns the bad trajectory of the same run whose actions are those of a row for longest,
// nil if there is none that is not used.
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
