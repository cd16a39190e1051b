package export

import "toolevo/trajectories"

// Reward samples are a question and two transcripts, of a chosen and of a failed trajectory.
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

// transcriptPairs pairs each chosen trajectory with the failed one of its run that shares the
// longest beginning with it. No failed one is used twice.
func (w *writer) transcriptPairs(q *question) ([]candidate, error) {
	var all []candidate

	// One failure that begins like many right trajectories must not fill all the pairs.
	used := map[*trajectories.Row]bool{}
	bad := growTree(q, w.manifest.Selection.isBlind).badEnds(q.all)

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

		// The question is all that the two are sure to share: what follows is in the transcripts.
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

// nearest returns the unused bad trajectory of the same run that shares the longest beginning with
// a row, or nil.
func nearest(row *trajectories.Row, bad []*trajectories.Row, used map[*trajectories.Row]bool) *trajectories.Row {
	var best *trajectories.Row

	longest := -1

	for _, r := range bad {
		if used[r] || r.RunID != row.RunID || r.PromptAPI != row.PromptAPI {
			continue
		}

		if n := commonBeginning(row.Turns, r.Turns); n > longest {
			best, longest = r, n
		}
	}
	return best
}

// commonBeginning counts the actions that two trajectories share before they part.
func commonBeginning(a, b []trajectories.Turn) (n int) {
	for n < len(a) && n < len(b) && a[n].Key == b[n].Key {
		n++
	}
	return n
}
