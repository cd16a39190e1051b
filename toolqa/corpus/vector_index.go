package corpus

// postings is the inverted index of a column: the rows of code c are rows[starts[c]:starts[c+1]],
// ascending.
type postings struct {
	starts []uint32
	rows   []uint32
}

// RowsOf returns the rows whose cell is the word of a code, ascending. The slice is shared: it must
// not be changed. The first call builds an index of four bytes a row.
func (v *Vector) RowsOf(code int) []uint32 {
	p := v.index()
	lo, hi := p.starts[code], p.starts[code+1]
	return p.rows[lo:hi:hi]
}

// invert builds the index by counting.
func (v *Vector) invert() *postings {
	switch {
	case v.codes8 != nil:
		return invert(v.codes8, len(v.words))
	case v.codes16 != nil:
		return invert(v.codes16, len(v.words))
	default:
		return invert(v.codes32, len(v.words))
	}
}

func invert[C code](codes []C, words int) *postings {
	starts := make([]uint32, words+1)
	for _, c := range codes {
		starts[c]++
	}

	end := uint32(0)
	for c, n := range starts { // starts[c] becomes where the rows of c end
		end += n
		starts[c] = end
	}

	rows := make([]uint32, len(codes))
	// From the last row on, so that starts[c] ends as where the rows of c begin.
	for row := len(codes) - 1; row >= 0; row-- {
		c := codes[row]
		starts[c]--
		rows[starts[c]] = uint32(row)
	}

	return &postings{starts, rows}
}
