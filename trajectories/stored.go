package trajectories

import (
	"cmp"
	"iter"
	"slices"
	"sync"

	"toolevo/envs/disk"
	"toolevo/trajectories/internal/pq"
)

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

// read streams the rows of a file. A file of another version gives a [*disk.FormatError], even if
// it lacks columns of this one.
func read[T interface{ origin() origin }](path string, columns []pq.Column, version int) iter.Seq2[T, error] {
	check := func(o origin) error { return disk.CheckFormat(path, o.Software, o.SchemaVersion, version) }
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
	return origin{}, disk.ErrDamaged
}
