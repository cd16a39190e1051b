package pq

import (
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
)

// Levels of a leaf below a list of structs in which everything is optional, as Parquet numbers them.
const (
	listMax    = 4 // definition level of a value
	structHere = 3 // from here on the element is not null
	listFilled = 2 // from here on the list has an element
)

// group is one row group being read. The columns are decoded here, on the caller's goroutine, and not by pqarrow, which
// decodes on goroutines of its own: v15 panics on some damaged files, and only a panic of our goroutine can be turned
// into an error.
type group struct {
	rows   *file.RowGroupReader
	leaves map[string]int // by path
}

// leaf is a decoded column chunk and the place up to which it has been read.
type leaf struct {
	maxDef   int16
	def, rep []int16
	values   int // decoded
	at       int // next level
	value    int // next value

	texts  []string
	ints   []int64
	floats []float64
	bools  []bool
}

// take reads the value a leaf stands at.
func take[V any](l *leaf, values []V, to *V) error {
	if l.value >= len(values) {
		return errors.New("has another type, or ends early")
	}

	*to = values[l.value]
	l.value++

	return nil
}

// batch is how many values are decoded at once.
const batch = 1024

// leaf decodes the column chunk at a path.
func (g *group) leaf(path string, nested bool) (*leaf, error) {
	i, ok := g.leaves[path]
	if !ok {
		return nil, errors.New("is missing")
	}

	chunk, err := g.rows.Column(i)
	if err != nil {
		return nil, err
	}

	d := chunk.Descriptor()

	l := &leaf{maxDef: d.MaxDefinitionLevel()}
	if nested && (l.maxDef != listMax || d.MaxRepetitionLevel() != 1) ||
		!nested && (l.maxDef > 1 || d.MaxRepetitionLevel() != 0) {
		return nil, fmt.Errorf("is nested otherwise (levels %d and %d)", l.maxDef, d.MaxRepetitionLevel())
	}

	def, rep := make([]int16, batch), make([]int16, batch)
	for chunk.HasNext() {
		total, n, err := l.decode(chunk, def, rep)
		if err != nil {
			return nil, err
		}

		if total == 0 {
			break
		}

		if l.maxDef > 0 {
			l.def = append(l.def, def[:total]...)
		}

		if nested {
			l.rep = append(l.rep, rep[:total]...)
		}

		l.values += n
	}

	return l, chunk.Err()
}

// decode reads up to one batch of levels and their values.
func (l *leaf) decode(chunk file.ColumnChunkReader, def, rep []int16) (total int64, n int, err error) {
	switch r := chunk.(type) {
	case *file.ByteArrayColumnChunkReader:
		buf := make([]parquet.ByteArray, batch)

		total, n, err = r.ReadBatch(batch, buf, def, rep)
		for _, b := range buf[:n] {
			l.texts = append(l.texts, string(b))
		}
	case *file.Int64ColumnChunkReader:
		buf := make([]int64, batch)
		total, n, err = r.ReadBatch(batch, buf, def, rep)
		l.ints = append(l.ints, buf[:n]...)
	case *file.Float64ColumnChunkReader:
		buf := make([]float64, batch)
		total, n, err = r.ReadBatch(batch, buf, def, rep)
		l.floats = append(l.floats, buf[:n]...)
	case *file.BooleanColumnChunkReader:
		buf := make([]bool, batch)
		total, n, err = r.ReadBatch(batch, buf, def, rep)
		l.bools = append(l.bools, buf[:n]...)
	default:
		err = fmt.Errorf("has type %s", chunk.Type())
	}

	return total, n, err
}

// open decodes a column of the group and returns what reads its rows.
func open[T any](g *group, c Column[T]) (filler[T], error) {
	if c.list != nil {
		return c.list(g, c.Name)
	}

	l, err := g.leaf(c.Name, false)
	if err != nil {
		return nil, fmt.Errorf("column %s %w", c.Name, err)
	}

	return func(v *T) error { return fillOne(c, l, v) }, nil
}

// fillOne reads the value of one level of a leaf.
func fillOne[T any](c Column[T], l *leaf, v *T) error {
	null := false

	if l.maxDef > 0 {
		if l.at >= len(l.def) {
			return fmt.Errorf("column %s ends early", c.Name)
		}

		null = l.def[l.at] < l.maxDef
		l.at++
	}

	if null && c.Optional {
		return nil
	}

	if null {
		return fmt.Errorf("column %s is null", c.Name)
	}

	if err := c.get(l, v); err != nil {
		return fmt.Errorf("column %s: %w", c.Name, err)
	}

	return nil
}

// openList decodes the leaves of a list of structs; each call of the function reads one row's list.
func openList[E any](g *group, path string, elem []Column[E]) (func() ([]E, error), error) {
	leaves := make([]*leaf, len(elem))
	for i, c := range elem {
		var err error
		if leaves[i], err = g.leaf(path+".list.element."+c.Name, true); err != nil {
			return nil, fmt.Errorf("column %s.%s %w", path, c.Name, err)
		}
	}

	return func() ([]E, error) {
		n, err := elements(leaves)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", path, err)
		}

		if n == 0 {
			return nil, nil
		}

		items := make([]E, n)
		for j := range items {
			for i, c := range elem {
				if err := fillOne(c, leaves[i], &items[j]); err != nil {
					return nil, fmt.Errorf("column %s, element %d: %w", path, j, err)
				}
			}
		}

		return items, nil
	}, nil
}

// elements returns how many elements the next list has; all its leaves must agree. The level of an empty list is read.
func elements(leaves []*leaf) (n int, err error) {
	for i, l := range leaves {
		here, err := l.elements()
		if err != nil {
			return 0, err
		}

		if i > 0 && here != n {
			return 0, fmt.Errorf("its fields have %d and %d elements", n, here)
		}

		n = here
	}

	return n, nil
}

func (l *leaf) elements() (int, error) {
	if l.at >= len(l.def) || l.rep[l.at] != 0 {
		return 0, errors.New("ends early")
	}

	if l.def[l.at] < listFilled {
		l.at++
		return 0, nil
	}

	end := l.at + 1
	for end < len(l.rep) && l.rep[end] == 1 {
		end++
	}

	for _, d := range l.def[l.at:end] {
		if d < structHere {
			return 0, errors.New("an element is null")
		}
	}

	return end - l.at, nil
}
