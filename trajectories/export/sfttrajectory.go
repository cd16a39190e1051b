package export

// SFTTrajectory samples are whole trajectories, of which every action is trained.
const SFTTrajectory Format = "sft-trajectory"

func init() {
	register(form{
		format: SFTTrajectory,
		trained: trained{
			shape: wholeTrajectory, dataset: "toolevo_sft", samples: (*writer).trajectories,
		},
	})
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
