package export

// DPO is a state and two actions in it, a good one and a bad one.
const DPO Format = "dpo"

func init() {
	register(form{
		format: DPO,
		trained: trained{
			shape: replyPair, dataset: "toolevo_dpo", samples: (*writer).pairs, failures: true,
		},
	})
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
				System: sample.System, Tools: sample.toolsAt(good.turn),
				Conversations: sample.state(good.turn),
				Chosen:        sample.reply(good.turn), Rejected: other.reply(good.turn),
			},
			row: good.row, step: good.turn + 1, rejected: worst.row,
		})

		return nil
	})
	return all, err
}
