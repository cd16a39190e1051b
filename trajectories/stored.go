package trajectories

import (
	"fmt"
	"maps"
	"slices"

	"toolevo/envs"
	"toolevo/envs/durable"
)

// The versions of the columns of rows and of episodes that have the columns labels and makers.
const (
	rowLabelsSince     = 4
	episodeLabelsSince = 2
)

// repeatsSince is the version of the columns of episodes that tells repeats apart and counts tokens.
const repeatsSince = 3

// stored is a row as a file has it. What earlier programs had columns for stands in those, too. Its exported fields are
// columns, see columns.yaml.
type stored struct {
	Row
	Labels []label
	oldColumns
}

// label is a label in a list, which is in the order of the names.
type label struct{ Name, Value string }

// oldColumns are the columns that earlier programs had for some labels and makers.
type oldColumns struct {
	Dataset, Difficulty, Template                                           string
	PythonEngine, PythonVersion, PythonModules, PythonWithout, PythonLimits string
}

func toStored(r *Row) stored {
	s := stored{Row: *r, oldColumns: oldOf(r)}
	for _, name := range slices.Sorted(maps.Keys(r.Labels)) {
		s.Labels = append(s.Labels, label{name, r.Labels[name]})
	}

	return s
}

func oldOf(r *Row) oldColumns {
	python := PythonOf(r.Makers)

	return oldColumns{
		Dataset:       r.Labels[envs.LabelDataset],
		Difficulty:    r.Labels[envs.LabelDifficulty],
		Template:      r.Labels[envs.LabelTemplate],
		PythonEngine:  python.Engine,
		PythonVersion: python.Version,
		PythonModules: python.Modules,
		PythonWithout: python.Without,
		PythonLimits:  python.Limits,
	}
}

// python is what the old columns say of the makers that run Python.
func (o oldColumns) python() Python {
	return Python{o.PythonEngine, o.PythonVersion, o.PythonModules, o.PythonWithout, o.PythonLimits}
}

// row returns the row of a file, which has labels and makers since a version and the old columns before. One of the
// version before that says no less, and reads as one of that version.
func (s *stored) row(since int) (Row, error) {
	if s.SchemaVersion < since {
		s.Makers = s.python().Makers()
		s.Row.Labels = validLabels(map[string]string{
			envs.LabelDataset:    s.Dataset,
			envs.LabelDifficulty: s.Difficulty,
			envs.LabelTemplate:   s.Template,
		})

		if s.SchemaVersion == since-1 {
			s.SchemaVersion = since
		}

		return s.Row, nil
	}

	if len(s.Labels) > 0 {
		s.Row.Labels = map[string]string{}
	}

	for _, l := range s.Labels {
		s.Row.Labels[l.Name] = l.Value
	}

	if oldOf(&s.Row) != s.oldColumns {
		return s.Row, fmt.Errorf("%w: the row of %s says one thing in labels and makers, and another in the columns "+
			"filled from them", durable.ErrDamaged, s.Name())
	}

	return s.Row, nil
}
