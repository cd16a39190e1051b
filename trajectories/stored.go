package trajectories

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"sync"

	"toolevo/envs/durable"
	"toolevo/trajectories/internal/pq"
)

// stored is a row as a file has it: its labels are a list. Its exported fields are columns, see
// columns.yaml.
type stored struct {
	Row
	Labels []label
}

// label is a label in a list, which is in the order of the names.
type label struct{ Name, Value string }

func toStored(r *Row) stored {
	s := stored{Row: *r}
	for _, name := range slices.Sorted(maps.Keys(r.Labels)) {
		s.Labels = append(s.Labels, label{name, r.Labels[name]})
	}

	return s
}

// row returns the row of a file.
func (s *stored) row() Row {
	if len(s.Labels) > 0 {
		s.Row.Labels = map[string]string{}
	}

	for _, l := range s.Labels {
		s.Row.Labels[l.Name] = l.Value
	}

	return s.Row
}

// origin says who wrote a row, in columns that every version of the schema has.
type origin struct {
	SchemaVersion int
	Software      string
}

func (r Row) origin() origin { return origin{r.SchemaVersion, r.Software} }

var originColumns = sync.OnceValue(func() []pq.Column {
	columns := slices.DeleteFunc(slices.Clone(tables()["trajectory"]), func(c pq.Column) bool {
		return c.Name != "schema_version" && c.Name != "software"
	})

	return pq.Bind[origin](tables(), columns)
})

// read streams the rows of a file. One of another version is a [*durable.FormatError], even if it
// lacks columns of this one.
func read[T interface{ origin() origin }](path string, columns []pq.Column, version int) iter.Seq2[T, error] {
	check := func(o origin) error { return durable.CheckFormat(path, o.Software, o.SchemaVersion, version) }

	return func(yield func(T, error) bool) {
		for row, err := range pq.Read[T](path, columns) {
			if err == nil {
				err = check(row.origin())
			} else if first, firstErr := firstOrigin(path); firstErr == nil {
				err = cmp.Or(check(first), err)
			}

			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// firstOrigin says who wrote the first row of a file.
func firstOrigin(path string) (origin, error) {
	for o, err := range pq.Read[origin](path, originColumns()) {
		return o, err
	}

	return origin{}, durable.ErrDamaged
}
