package export

// DPO samples are a state and two actions in it, a good one and a bad one.
const DPO Format = "dpo"

func init() {
	register(form{
		format: DPO,
		trained: trained{
			shape: replyPair, dataset: "toolevo_dpo", samples: (*writer).pairs, failures: true,
		},
	})
}

// pairs returns a pair for each chosen action that has a bad sibling.
func (w *writer) pairs(q *question) ([]candidate, error) {
	var all []candidate

	err := w.alternatives(q, func(good *branch, bad []*branch) error {
		if len(bad) == 0 {
			return nil
		}

		// One pair per action: a state with many bad actions must not outweigh the others.
		worst := worst(bad)

		sample, _, err := w.sample(good.row)
		if err != nil {
			return err
		}

		other, _, err := w.sample(worst.row)
		if err != nil {
			return err
		}

		// Siblings share the state before them, so the chosen trajectory's is that of both.
		all = append(all, candidate{
			sample: Sample{
				System: sample.System, Tools: sample.toolsAt(good.index),
				Conversations: sample.state(good.index),
				Chosen:        sample.reply(good.index), Rejected: other.reply(good.index),
			},
			row: good.row, step: good.index + 1, rejected: worst.row,
		})

		return nil
	})
	return all, err
}
