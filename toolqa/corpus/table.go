package corpus

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
)

// Table is a dataset's table, every cell as the table tools print it. A column is read when it is
// first asked for, and stays in memory. A Table is immutable and safe for concurrent use.
type Table struct {
	dataset toolqa.Dataset
	names   []string
	rows    int
	columns map[string]func() (*Vector, error)
	stored  map[string]func() (*Vector, error) // only of columns that differ from what the tools print
}

// newTable returns a table whose columns load reads. stored names the columns that the published
// file holds in another form than the tools print; load gets stored true when it is to return that
// form.
func newTable(ds toolqa.Dataset, names, stored []string, rows int,
	load func(name string, stored bool) (*Vector, error)) *Table {
	t := &Table{
		dataset: ds,
		names:   names,
		rows:    rows,
		columns: map[string]func() (*Vector, error){},
		stored:  map[string]func() (*Vector, error){},
	}

	checked := func(name string, stored bool) (*Vector, error) {
		v, err := load(name, stored)
		if err == nil && v.Len() != rows {
			return nil, fmt.Errorf("corpus: %s: column %q has %d rows of %d", ds, name, v.Len(), rows)
		}
		return v, err
	}
	for _, name := range names {
		t.columns[name] = untilRead(func() (*Vector, error) { return checked(name, false) })
	}

	for _, name := range stored {
		t.stored[name] = untilRead(func() (*Vector, error) { return checked(name, true) })
	}
	return t
}

// untilRead is sync.OnceValues of what can be tried again: an error is not remembered, as a disk
// may fail once in a night.
func untilRead(read func() (*Vector, error)) func() (*Vector, error) {
	var (
		mu sync.Mutex
		v  atomic.Pointer[Vector] // calls that find it there do not wait for each other
	)
	return func() (*Vector, error) {
		if there := v.Load(); there != nil {
			return there, nil
		}

		mu.Lock()
		defer mu.Unlock()

		if there := v.Load(); there != nil {
			return there, nil
		}

		now, err := read()
		if err == nil {
			v.Store(now)
		}
		return now, err
	}
}

// NewTable returns a table in memory of the given rows, whose cells are as the tools print them. It
// is meant for tests. It panics when a row has another number of cells than there are columns.
func NewTable(ds toolqa.Dataset, columns []string, rows [][]string) *Table {
	vectors := make(map[string]*Vector, len(columns))
	for i, name := range columns {
		cells := make([]string, len(rows))
		for n, row := range rows {
			if len(row) != len(columns) {
				panic(fmt.Sprintf("corpus: NewTable: row %d has %d cells for %d columns", n, len(row), len(columns)))
			}

			cells[n] = row[i]
		}

		vectors[name] = vectorOf(name, cells)
	}
	return newTable(ds, slices.Clone(columns), nil, len(rows),
		func(name string, _ bool) (*Vector, error) { return vectors[name], nil })
}

// Dataset returns the dataset whose table this is.
func (t *Table) Dataset() toolqa.Dataset { return t.dataset }

// Rows returns the number of rows.
func (t *Table) Rows() int { return t.rows }

// Columns returns the column names in order, in a new slice.
func (t *Table) Columns() []string { return slices.Clone(t.names) }

// Has reports whether there is a column called name. Names are case sensitive.
func (t *Table) Has(name string) bool { return t.columns[name] != nil }

// Column returns the column called name, or nil. Names are case sensitive. The error is one of the
// file.
func (t *Table) Column(name string) (*Vector, error) {
	if c := t.columns[name]; c != nil {
		return c()
	}
	return nil, nil
}

// Stored returns the column called name as the published file has it, which differs from Column for
// times of day only: "9:00 AM". It is nil when there is no such column.
func (t *Table) Stored(name string) (*Vector, error) {
	if c := t.stored[name]; c != nil {
		return c()
	}
	return t.Column(name)
}

// ClockText returns a time of day, "9:00 AM" or "2 PM", as columns of the kind [Clock] print it:
// "09:00:00". Other text is returned as it is.
func ClockText(s string) string { return layout.ClockText(s) }
