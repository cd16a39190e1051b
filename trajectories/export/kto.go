package export

// KTO is a state and an action in it, and whether that is good or bad.
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
