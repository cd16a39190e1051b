package table

import (
	"fmt"
	"math/bits"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// View is a selection of the rows of a table. It is immutable and implements [toolqa.View].
type View struct {
	table *corpus.Table
	n     int // the number of rows selected

	// At most one of bits and rows is set; neither means all rows.
	bits []uint64 // bit i%64 of bits[i/64] stands for row i
	rows []uint32 // row numbers, ascending
}

// NewView returns the selection of all rows of a table.
func NewView(t *corpus.Table) *View { return &View{table: t, n: t.Rows()} }

// Dataset returns the dataset whose table this is.
func (v *View) Dataset() toolqa.Dataset { return v.table.Dataset() }

// Len returns the number of rows selected.
func (v *View) Len() int { return v.n }

// rowsPerBit is how many bits one row number takes: a selection of fewer rows than one in so many is a list.
const rowsPerBit = 32

// narrow returns the selection of those rows of v whose code in col is in [lo, hi).
func (v *View) narrow(col *corpus.Vector, lo, hi int) *View {
	next := &View{table: v.table}
	if v.rows != nil {
		next.rows = make([]uint32, 0, len(v.rows))
		for _, row := range v.rows {
			if col.In(int(row), lo, hi) {
				next.rows = append(next.rows, row)
			}
		}
		next.n = len(next.rows)
		return next
	}
	set := make([]uint64, (v.table.Rows()+63)/64)
	next.n = col.Match(set, lo, hi)
	if v.bits != nil {
		next.n = 0
		for i, word := range v.bits {
			set[i] &= word
			next.n += bits.OnesCount64(set[i])
		}
	}
	if next.n > v.table.Rows()/rowsPerBit {
		next.bits = set
		return next
	}
	next.rows = make([]uint32, 0, next.n)
	for row := range (&View{table: v.table, bits: set}).each {
		next.rows = append(next.rows, uint32(row))
	}
	return next
}

// each yields the number of every selected row, ascending.
func (v *View) each(yield func(row int) bool) {
	switch {
	case v.rows != nil:
		for _, row := range v.rows {
			if !yield(int(row)) {
				return
			}
		}
	case v.bits != nil:
		for i, word := range v.bits {
			for ; word != 0; word &= word - 1 {
				if !yield(i*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	default:
		for row := range v.table.Rows() {
			if !yield(row) {
				return
			}
		}
	}
}

// viewOf returns the session's view, or nil when no table is loaded.
func viewOf(s toolqa.Session) (*View, error) {
	if s.Table == nil {
		return nil, nil
	}
	v, ok := s.Table.(*View)
	if !ok {
		return nil, fmt.Errorf("table: the session holds a %T, not a *table.View", s.Table)
	}
	return v, nil
}
