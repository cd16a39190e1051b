package table

import (
	"math/bits"
	"slices"

	"toolevo/toolqa/corpus"
)

// selection is a set of the rows of a table. It is immutable. A compressed bitmap would have to be
// built for every filter, which takes hundreds of times as long as sharing the rows of a column's
// index.
type selection struct {
	n int // the number of rows selected

	// At most one of bits and rows is set; neither means all rows.
	bits   []uint64 // bit i%64 of bits[i/64] is that of row i
	rows   []uint32 // row numbers, ascending
	shared bool     // rows are those of a column's index, and take no space of their own
}

const (
	// rowsPerBit is how many bits one row number takes: a selection of fewer rows than one in that
	// many is a list.
	rowsPerBit = 32

	// fewWords is the largest number of words of a column that is searched from end to end for one
	// of them. For a column with more, an index pays.
	fewWords = 64
)

// size is how many bytes the selection holds.
func (s *selection) size() int {
	if s.shared {
		return 0
	}
	return 8*len(s.bits) + 4*len(s.rows)
}

// narrow returns the selection of those rows of s, of a table of total rows, that satisfy p.
func (s *selection) narrow(p predicate, total int) *selection {
	switch {
	case s.rows != nil:
		return listed(s.rows, p.holds)
	case p.set == nil && p.hi-p.lo == 1 && p.column.Words() > fewWords:
		return s.among(p.column.RowsOf(p.lo), total)
	}

	matched := make([]uint64, (total+63)/64)
	return packed(matched, s.and(matched, p.match(matched)), total)
}

// among returns the selection of those rows of s that are in the index's list. s is not a list
// itself.
func (s *selection) among(rows []uint32, total int) *selection {
	if len(rows) <= total/rowsPerBit {
		if s.bits == nil {
			return &selection{n: len(rows), rows: rows, shared: true}
		}
		return listed(rows, func(row int) bool { return s.bits[row>>6]>>(row&63)&1 == 1 })
	}

	matched := make([]uint64, (total+63)/64)
	for _, row := range rows {
		matched[row>>6] |= 1 << (row & 63)
	}
	return packed(matched, s.and(matched, len(rows)), total)
}

// and clears those of the n bits set in matched whose rows are not in s, and returns how many stay.
// s is not a list.
func (s *selection) and(matched []uint64, n int) int {
	if s.bits == nil {
		return n
	}

	n = 0

	for i, word := range s.bits {
		matched[i] &= word
		n += bits.OnesCount64(matched[i])
	}
	return n
}

// listed returns the selection of those of the given rows that keep holds for.
func listed(rows []uint32, keep func(row int) bool) *selection {
	kept := []uint32{} // not nil, which means all rows

	for _, row := range rows {
		if keep(int(row)) {
			kept = append(kept, row)
		}
	}

	return &selection{n: len(kept), rows: slices.Clone(kept)} // without the room that append made
}

// packed returns the selection of the n rows whose bits are set.
func packed(set []uint64, n, total int) *selection {
	if n > total/rowsPerBit {
		return &selection{n: n, bits: set}
	}

	rows := make([]uint32, 0, n)

	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			rows = append(rows, uint32(i*64+bits.TrailingZeros64(word)))
		}
	}

	return &selection{n: n, rows: rows}
}

// runs yields the selected rows, ascending, as runs [first, end) of neighbours. A list is yielded
// row by row.
func (s *selection) runs(yield func(first, end int) bool) {
	switch {
	case s.rows != nil:
		for _, row := range s.rows {
			if !yield(int(row), int(row)+1) {
				return
			}
		}
	case s.bits != nil:
		for i, word := range s.bits {
			for word != 0 {
				first := bits.TrailingZeros64(word)

				// A run ends with its word at the latest, and the next one may continue it.
				length := bits.TrailingZeros64(^(word >> first))
				if !yield(i*64+first, i*64+first+length) {
					return
				}

				word &^= (1<<length - 1) << first
			}
		}
	default:
		// In pieces, because between them the caller can stop.
		const run = 1 << 8
		for first := 0; first < s.n; first += run {
			if !yield(first, min(first+run, s.n)) {
				return
			}
		}
	}
}

// predicate is a comparison of a column, as the codes of the words that satisfy it: those in set,
// or where set is nil those in [lo, hi).
type predicate struct {
	column *corpus.Vector
	lo, hi int
	set    corpus.Set
}

func (p predicate) holds(row int) bool {
	if p.set != nil {
		return p.set.Has(p.column.Code(row))
	}
	return p.column.In(row, p.lo, p.hi)
}

func (p predicate) match(dst []uint64) int {
	if p.set != nil {
		return p.column.MatchSet(dst, p.set)
	}
	return p.column.Match(dst, p.lo, p.hi)
}
