package corpus

import (
	"math/bits"
	"slices"
	"sort"
	"strings"

	"toolevo/envs/pytext"
	"toolevo/toolqa"
)

// Table is a dataset's table in memory, every cell as text. It is immutable and safe for concurrent use.
type Table struct {
	dataset toolqa.Dataset
	columns []*Vector
	byName  map[string]*Vector
	rows    int
}

// Dataset returns the dataset whose table this is.
func (t *Table) Dataset() toolqa.Dataset { return t.dataset }

// Rows returns the number of rows.
func (t *Table) Rows() int { return t.rows }

// Columns returns the column names in order, in a new slice.
func (t *Table) Columns() []string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	return names
}

// Column returns the column called name, or nil when there is none. Names are case sensitive.
func (t *Table) Column(name string) *Vector { return t.byName[name] }

// Vector is one column: a sorted dictionary of its distinct words, and a code, the word's index, for every row.
type Vector struct {
	name  string
	words []string
	codes []uint32
	items []string // the words as items of a JSON array

	itemSize int

	// Of a small table, the items of all rows one after the other, and where each row's begins: a run of rows is one copy.
	joined string
	starts []uint32
}

// joinRows is up to how many rows a table keeps its items joined.
const joinRows = 1 << 16

// newVector makes a column of the given cells.
func newVector(name string, cells []string) *Vector {
	words := slices.Clone(cells)
	slices.Sort(words)
	words = slices.Clip(slices.Compact(words))
	v := &Vector{name: name, words: words, codes: make([]uint32, len(cells)), items: make([]string, len(words))}
	code := make(map[string]uint32, len(words))
	var buf []byte
	size := 0
	for i, w := range words {
		code[w] = uint32(i)
		buf = append(pytext.AppendASCII(buf[:0], w), ", "...)
		v.items[i] = string(buf)
		size += len(buf)
	}
	v.itemSize = (size + len(words)) / max(1, len(words))
	for row, c := range cells {
		v.codes[row] = code[c]
	}
	if len(cells) <= joinRows {
		v.join()
	}
	return v
}

func (v *Vector) join() {
	var b strings.Builder
	v.starts = make([]uint32, len(v.codes)+1)
	for row := range v.codes {
		v.starts[row] = uint32(b.Len())
		b.WriteString(v.Item(row))
	}
	v.starts[len(v.codes)] = uint32(b.Len())
	v.joined = b.String()
}

// AppendItems appends the items of the rows from first up to, and without, end.
func (v *Vector) AppendItems(buf []byte, first, end int) []byte {
	if v.starts != nil {
		return append(buf, v.joined[v.starts[first]:v.starts[end]]...)
	}
	for row := first; row < end; row++ {
		buf = append(buf, v.Item(row)...)
	}
	return buf
}

// Name returns the column's name.
func (v *Vector) Name() string { return v.name }

// Text returns the cell of a row.
func (v *Vector) Text(row int) string { return v.words[v.codes[row]] }

// Item returns the cell of a row as an item of a JSON array: a string, escaped as Python's json.dumps does, then a comma
// and a space.
func (v *Vector) Item(row int) string { return v.items[v.codes[row]] }

// ItemSize is the mean length of the column's items, rounded up.
func (v *Vector) ItemSize() int { return v.itemSize }

// Words returns the number of distinct words. Codes run from 0 to Words()-1, in the order of the words.
func (v *Vector) Words() int { return len(v.words) }

// Word returns the word of a code.
func (v *Vector) Word(code int) string { return v.words[code] }

// Bounds returns the codes [lo, hi) of the words equal to s: lo is the number of smaller words, and hi is lo when no
// cell is equal to s. Strings are ordered by their UTF-8 bytes, which is the order of their code points.
func (v *Vector) Bounds(s string) (lo, hi int) {
	lo, found := sort.Find(len(v.words), func(i int) int {
		switch w := v.words[i]; {
		case s < w:
			return -1
		case s > w:
			return 1
		}
		return 0
	})
	if found {
		return lo, lo + 1
	}
	return lo, lo
}

// Match sets the bits of the rows whose code is in [lo, hi), clears the others, and returns how many are set. Bit i%64
// of dst[i/64] stands for row i; dst holds at least one bit for every row.
func (v *Vector) Match(dst []uint64, lo, hi int) int {
	n := 0
	from, span := uint32(lo), uint32(hi-lo)
	for w, codes := 0, v.codes; len(codes) > 0; w++ {
		chunk := codes[:min(64, len(codes))]
		codes = codes[len(chunk):]
		var word uint64
		for i, c := range chunk {
			var bit uint64
			if c-from < span { // c < from wraps around to a large number
				bit = 1
			}
			word |= bit << i
		}
		dst[w] = word
		n += bits.OnesCount64(word)
	}
	return n
}

// In reports whether the code of a row is in [lo, hi).
func (v *Vector) In(row, lo, hi int) bool { return v.codes[row]-uint32(lo) < uint32(hi-lo) }
