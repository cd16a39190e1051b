package export

// DPO is a state and two actions in it, a good one and a bad one.
const DPO Format = "dpo"

func init() {
	const loss = "The loss compares the two replies, and falls on nothing that comes before them."

	register(form{
		format:  DPO,
		summary: "a state, an action that led on to the right answer, and one that did not",
		trained: trained{
			shape: replyPair, dataset: "toolevo_dpo", samples: (*writer).pairs, failures: true,
			about: "One sample is one state of a search tree and two actions in it: the chosen one lies on a " +
				"trajectory that ended with the right answer, every trajectory that does the rejected one in that " +
				"state failed.",
			told: map[Trainer]told{
				LlamaFactory: {Command: factoryCommand, Lines: line("stage", "dpo"), Loss: loss},
				TRL:          {Command: "trl dpo", Loss: loss},
			},
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
				System: sample.System, Conversations: sample.state(good.turn),
				Chosen: sample.reply(good.turn), Rejected: other.reply(good.turn),
			},
			row: good.row, step: good.turn + 1, rejected: worst.row,
		})

		return nil
	})

	return all, err
}
