package export

// KTO samples are a state, an action in it, and whether that is good or bad.
const KTO Format = "kto"

func init() {
	register(form{
		format: KTO,
		trained: trained{
			shape: judgedReply, dataset: "toolevo_kto", samples: (*writer).judged, failures: true,
		},
	})
}

// judged returns each chosen action and each of its bad siblings.
func (w *writer) judged(q *question) ([]candidate, error) {
	var all []candidate

	judge := func(a *branch, good bool) error {
		sample, _, err := w.sample(a.row)
		if err != nil {
			return err
		}

		step := sample.step(a.index)
		step.Good = good
		all = append(all, candidate{sample: step, row: a.row, step: a.index + 1})
		return nil
	}

	// Good actions of one state share their bad siblings: each of those is one sample.
	done := map[*branch]bool{}

	err := w.alternatives(q, func(good *branch, bad []*branch) error {
		if err := judge(good, true); err != nil {
			return err
		}

		for _, b := range bad {
			if done[b] {
				continue
			}

			done[b] = true

			if err := judge(b, false); err != nil {
				return err
			}
		}
		return nil
	})
	return all, err
}
