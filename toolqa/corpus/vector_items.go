package corpus

import (
	"sync"

	"toolevo/envs/pytext"
)

// items are the cells of a column as items of a JSON array: a string, escaped as Python's
// json.dumps does, then a comma and a space. Those of a small table are kept joined, so that a
// run of rows is one copy; those of a large one are escaped when they are asked for.
type items struct {
	vector *Vector
	once   sync.Once
	joined []byte
	starts []uint32 // where the item of each row begins
}

// joinRows is the largest number of rows of a table that keeps its items joined.
const joinRows = 1 << 14

// ItemSize is about how many bytes the item of a row takes.
func (v *Vector) ItemSize() int {
	const sample = 64 // words, evenly spread

	size, n := 0, 0
	for i := 0; i < len(v.words); i += max(1, len(v.words)/sample) {
		size += len(v.words[i])
		n++
	}

	return size/max(1, n) + len(`"", `) + 1
}

// appendItem appends the item of a row.
func (v *Vector) appendItem(buf []byte, row int) []byte {
	word := v.Text(row)
	if !isPlain(word) {
		return append(pytext.AppendASCII(buf, word), ", "...)
	}

	buf = append(append(buf, '"'), word...)
	return append(buf, `", `...)
}

// isPlain reports whether JSON writes a text as it is.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}

	return true
}

// AppendItems appends the items of the rows from first up to, and without, end.
func (v *Vector) AppendItems(buf []byte, first, end int) []byte {
	if v.rows <= joinRows {
		v.items.once.Do(v.items.join)
		return append(buf, v.items.joined[v.items.starts[first]:v.items.starts[end]]...)
	}

	for row := first; row < end; row++ {
		buf = v.appendItem(buf, row)
	}
	return buf
}

func (t *items) join() {
	v := t.vector
	t.joined = make([]byte, 0, v.rows*v.ItemSize())

	t.starts = make([]uint32, v.rows+1)
	for row := range v.rows {
		t.starts[row] = uint32(len(t.joined))
		t.joined = v.appendItem(t.joined, row)
	}

	t.starts[v.rows] = uint32(len(t.joined))
}
