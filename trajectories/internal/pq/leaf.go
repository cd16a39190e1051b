package pq

import (
	"errors"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
)

// group is one row group being read. The columns are decoded here, on the caller's goroutine, and
// not by pqarrow, which decodes on other goroutines: arrow panics on some damaged files, and only a
// panic of the caller's goroutine can be turned into an error.
type group struct {
	rows   *file.RowGroupReader
	leaves map[string]int // by path
	opened []*leaf
}

// has reports whether the file has a column at a path, or something within it.
func (g *group) has(path string) bool {
	for leaf := range g.leaves {
		if leaf == path || strings.HasPrefix(leaf, path+".") {
			return true
		}
	}

	return false
}

// finished makes sure that no leaf has more values than the rows that were read.
func (g *group) finished() error {
	for _, l := range g.opened {
		if l.at < len(l.def) || l.value < l.values {
			return fmt.Errorf("column %s has more values than rows", l.path)
		}
	}

	return nil
}

// leaf is a decoded column chunk and the place up to which it has been read.
type leaf struct {
	path     string
	maxDef   int16
	def, rep []int16 // definition and repetition levels of Parquet; empty if no value can be missing
	values   int     // decoded
	at       int     // next level
	value    int     // next value

	texts  []string
	ints   []int64
	floats []float64
	bools  []bool
}

// peek returns the levels of the next value, and false at the end.
func (l *leaf) peek() (def, rep int16, ok bool) {
	switch {
	case l.maxDef == 0:
		return 0, 0, l.value < l.values
	case l.at >= len(l.def):
		return 0, 0, false
	case l.rep == nil:
		return l.def[l.at], 0, true
	}

	return l.def[l.at], l.rep[l.at], true
}

// step passes over the next level, whose repetition level has to be rep.
func (l *leaf) step(rep int16) (def int16, err error) {
	def, got, ok := l.peek()

	switch {
	case !ok:
		return 0, fmt.Errorf("column %s ends early", l.path)
	case got != rep:
		return 0, fmt.Errorf("column %s has another number of elements than those beside it", l.path)
	}

	if l.maxDef > 0 {
		l.at++
	}
	return def, nil
}

// take returns the next value of a leaf.
func take[V any](l *leaf, values []V) (value V, err error) {
	if l.value >= len(values) {
		return value, errors.New("has another type, or ends early")
	}

	value = values[l.value]
	l.value++
	return value, nil
}

// maxBatch is how many values are decoded at once, at most.
const maxBatch = 1024

// leaf decodes the column chunk at a position.
func (g *group) leaf(at position) (*leaf, error) {
	i, ok := g.leaves[at.path]
	if !ok {
		return nil, fmt.Errorf("column %s is missing", at.path)
	}

	chunk, err := g.rows.Column(i)
	if err != nil {
		return nil, fmt.Errorf("column %s: %w", at.path, err)
	}

	d := chunk.Descriptor()

	l := &leaf{path: at.path, maxDef: d.MaxDefinitionLevel()}
	// A column that may be null has one more level, even if no value is null.
	if l.maxDef < at.def || l.maxDef > at.def+1 || d.MaxRepetitionLevel() != at.rep {
		return nil, fmt.Errorf("column %s is nested otherwise (levels %d and %d)", at.path, l.maxDef,
			d.MaxRepetitionLevel())
	}

	batch, err := g.batch(i)
	if err != nil {
		return nil, fmt.Errorf("column %s: %w", at.path, err)
	}

	def, rep := make([]int16, batch), make([]int16, batch)
	for chunk.HasNext() {
		total, n, err := l.decode(chunk, def, rep)
		if err != nil {
			return nil, fmt.Errorf("column %s %w", at.path, err)
		}

		// A damaged chunk may promise more forever, and give nothing.
		if total == 0 {
			break
		}

		if l.maxDef > 0 {
			l.def = append(l.def, def[:total]...)
		}

		if at.rep > 0 {
			l.rep = append(l.rep, rep[:total]...)
		}

		l.values += n
	}

	if err := chunk.Err(); err != nil {
		return nil, fmt.Errorf("column %s: %w", at.path, err)
	}

	// In the end finished looks whether any values are left over.
	g.opened = append(g.opened, l)
	return l, nil
}

// batch returns how many values of a column chunk are decoded at once: all of a short chunk, as
// most are.
func (g *group) batch(column int) (int64, error) {
	chunk, err := g.rows.MetaData().ColumnChunk(column)
	if err != nil {
		return 0, err
	}
	return min(max(chunk.NumValues(), 1), maxBatch), nil // a damaged file may say anything
}

// decode reads as many levels as there is room for, and their values.
func (l *leaf) decode(chunk file.ColumnChunkReader, def, rep []int16) (total int64, n int, err error) {
	batch := int64(len(def))

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
