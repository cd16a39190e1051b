package export

// SFTStep is a state and the action in it: what an evaluation sends, and the answer.
const SFTStep Format = "sft-step"

func init() {
	register(form{
		format:  SFTStep,
		summary: "an action and what an evaluation sends before it",
		trained: trained{
			shape: oneReply, dataset: "toolevo_sft_step", samples: (*writer).steps,
			skipped: "leave their samples out",
			about:   "One sample is one action and what led to it, as an evaluation sends it.",
			told: map[Trainer]told{
				LlamaFactory: {
					Command: factoryCommand,
					Lines:   append(line("stage", "sft"), line("mask_history", true)...),
					Loss: "`mask_history` has the loss fall on the last message only: the replies before it are " +
						"samples of their own.",
				},
				TRL: {
					Command: "trl sft", Lines: line("completion_only_loss", true),
					Loss: "`completion_only_loss` has the loss fall on the completion only. It is TRL's default for " +
						"such samples, and works under every chat template.",
				},
			},
		},
	})
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
