package trajectories

import "toolevo/envs"

// stored is a row as a file has it, some of whose columns say again what others say, as earlier programs wrote it.
type stored struct {
	Row
	old oldColumns
}

// oldColumns are the columns that earlier programs had for labels.
type oldColumns struct{ dataset, difficulty, template string }

func toStored(r *Row) stored {
	return stored{*r, oldColumns{
		dataset:    r.Labels[envs.LabelDataset],
		difficulty: r.Labels[envs.LabelDifficulty],
		template:   r.Labels[envs.LabelTemplate],
	}}
}

// row returns the row of a file, whose labels an earlier program wrote into the old columns.
func (s *stored) row() Row {
	s.Labels = validLabels(map[string]string{
		envs.LabelDataset:    s.old.dataset,
		envs.LabelDifficulty: s.old.difficulty,
		envs.LabelTemplate:   s.old.template,
	})

	return s.Row
}
