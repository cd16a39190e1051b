package trajectories

import (
	"fmt"
	"maps"
	"slices"

	"toolevo/envs"
)

// The versions of the columns of rows and of episodes that have the columns labels and makers.
const (
	rowLabelsSince     = 4
	episodeLabelsSince = 2
)

// repeatsSince is the version of the columns of episodes that tells repeats apart and counts tokens.
const repeatsSince = 3

// stored is a row as a file has it. What earlier programs had columns for stands in those, too.
type stored struct {
	Row
	labels []label
	old    oldColumns
}

// label is a label in a list, which is in the order of the names.
type label struct{ name, value string }

// oldColumns are the columns that earlier programs had for some labels and makers.
type oldColumns struct {
	dataset, difficulty, template string
	python                        Python
}

func toStored(r *Row) stored {
	s := stored{Row: *r, old: oldOf(r)}
	for _, name := range slices.Sorted(maps.Keys(r.Labels)) {
		s.labels = append(s.labels, label{name, r.Labels[name]})
	}

	return s
}

func oldOf(r *Row) oldColumns {
	return oldColumns{
		dataset:    r.Labels[envs.LabelDataset],
		difficulty: r.Labels[envs.LabelDifficulty],
		template:   r.Labels[envs.LabelTemplate],
		python:     PythonOf(r.Makers),
	}
}

// row returns the row of a file, which has labels and makers since a version and the old columns before. One of the
// version before that says no less, and reads as one of that version.
func (s *stored) row(since int) (Row, error) {
	if s.SchemaVersion < since {
		s.Makers = s.old.python.Makers()
		s.Labels = validLabels(map[string]string{
			envs.LabelDataset:    s.old.dataset,
			envs.LabelDifficulty: s.old.difficulty,
			envs.LabelTemplate:   s.old.template,
		})

		if s.SchemaVersion == since-1 {
			s.SchemaVersion = since
		}

		return s.Row, nil
	}

	if len(s.labels) > 0 {
		s.Labels = map[string]string{}
	}

	for _, l := range s.labels {
		s.Labels[l.name] = l.value
	}

	if oldOf(&s.Row) != s.old {
		return s.Row, fmt.Errorf("%w: the row of %s says one thing in labels and makers, and another in the columns "+
			"filled from them", ErrDamaged, s.Name())
	}

	return s.Row, nil
}
