package export

// SFTStep samples are a state and the action in it: what an evaluation sends, and the answer.
const SFTStep Format = "sft-step"

func init() {
	register(form{
		format: SFTStep,
		trained: trained{
			shape: oneReply, dataset: "toolevo_sft_step", samples: (*writer).steps,
			skipped: "leave their samples out",
		},
	})
}

// steps returns a sample of each action. Where trajectories begin alike, their common actions give
// one sample each.
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

			// A whole trajectory has to show unreadable turns; here each is a sample, and never one
			// to train on. Other faulty turns are left out only on request.
			switch {
			case seen[at]:
				continue
			case row.Turns[i].Unreadable(), bad[i] && w.opt.Selection.SkipFaulty:
				w.manifest.Selected.SkippedSteps++
			default:
				c := candidate{sample: whole.step(i), row: row, step: i + 1}

				found, err := w.addIDs(&c)
				if err != nil {
					return nil, err
				}

				if found {
					all = append(all, c)
				} else {
					w.manifest.Selected.WithoutIDs++
				}
			}

			seen[at] = true
		}
	}
	return all, nil
}

// addIDs adds the token ids to the sample of an action. found is false if they are wanted but not
// known.
func (w *writer) addIDs(c *candidate) (found bool, err error) {
	if w.opt.TokenIDs == nil {
		return true, nil
	}

	c.sample.IDs, found, err = w.opt.TokenIDs(c.row, c.step-1)
	return found, err
}
