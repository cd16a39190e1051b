package corpus

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"
	"sync"

	"toolevo/envs/pytext"
	"toolevo/toolqa/corpus/internal/layout"
)

// Vector is one column: a sorted dictionary of its distinct words, and a code, the word's index,
// for every row. Codes take one, two or four bytes a row, as few as the dictionary allows. What is
// derived from them (numbers, an index of the rows of each word) is made at first use. A Vector is
// immutable and safe for concurrent use.
type Vector struct {
	name  string
	words []string
	rows  int

	// One of these, by the width of a code.
	codes8  []uint8
	codes16 []uint16
	codes32 []uint32

	items   items
	numbers func() []float64 // of the words; NaN for what is not a finite number
	index   func() *postings
}

// newVector makes a column of a dictionary and of the codes of its rows, each width bytes,
// little-endian. It keeps words and may keep codes. The words must be distinct and sorted by their
// bytes, and every code one of a word.
func newVector(name string, words []string, codes []byte, width int) (*Vector, error) {
	if width != 1 && width != 2 && width != 4 {
		return nil, fmt.Errorf("corpus: column %q: codes of %d bytes; expected 1, 2 or 4", name, width)
	}

	if len(codes)%width != 0 {
		return nil, fmt.Errorf("corpus: column %q: %d bytes do not divide into codes of %d", name, len(codes), width)
	}

	// Bounds searches the words by halving: if they were unsorted, it would miss some without a
	// sign.
	for i := 1; i < len(words); i++ {
		if words[i-1] >= words[i] {
			return nil, fmt.Errorf("corpus: column %q: word %d, %q, does not sort after the one before it", name, i,
				words[i])
		}
	}

	v := &Vector{name: name, words: words, rows: len(codes) / width}
	largest := -1

	// Each width has a slice of its own, so that match compares codes without decoding them.
	switch width {
	case 1:
		v.codes8 = codes
		largest = maxCode(v.codes8)
	case 2:
		v.codes16 = make([]uint16, v.rows)
		for i := range v.codes16 {
			v.codes16[i] = binary.LittleEndian.Uint16(codes[2*i:])
		}

		largest = maxCode(v.codes16)
	default:
		v.codes32 = make([]uint32, v.rows)
		for i := range v.codes32 {
			v.codes32[i] = binary.LittleEndian.Uint32(codes[4*i:])
		}

		largest = maxCode(v.codes32)
	}

	// Without this check a damaged column would panic later, in the middle of a tool's call.
	if largest >= len(words) {
		return nil, fmt.Errorf("corpus: column %q: code %d of %d words", name, largest, len(words))
	}

	v.items.vector = v
	v.numbers = sync.OnceValue(v.parseWords)
	v.index = sync.OnceValue(v.invert)
	return v, nil
}

// vectorOf makes a column of the given cells.
func vectorOf(name string, cells []string) *Vector {
	words := slices.Clone(cells)
	slices.Sort(words)
	words = slices.Clip(slices.Compact(words))

	code := make(map[string]uint32, len(words))
	for i, w := range words {
		code[w] = uint32(i)
	}

	width := layout.CodeWidth(len(words))

	codes := make([]byte, 0, width*len(cells))
	for _, cell := range cells {
		codes = layout.AppendCode(codes, code[cell], width)
	}

	v, err := newVector(name, words, codes, width)
	if err != nil {
		panic(err) // the words are sorted and every code is one of them
	}
	return v
}

// code is the type of a column's codes.
type code interface{ uint8 | uint16 | uint32 }

// maxCode returns the largest code, or -1 if there are no codes.
func maxCode[C code](codes []C) int {
	if len(codes) == 0 {
		return -1
	}
	return int(slices.Max(codes))
}

// Name returns the column's name.
func (v *Vector) Name() string { return v.name }

// Len returns the number of rows.
func (v *Vector) Len() int { return v.rows }

// Text returns the cell of a row.
func (v *Vector) Text(row int) string { return v.words[v.Code(row)] }

// Code returns the code of a row.
func (v *Vector) Code(row int) int {
	switch {
	case v.codes8 != nil:
		return int(v.codes8[row])
	case v.codes16 != nil:
		return int(v.codes16[row])
	default:
		return int(v.codes32[row])
	}
}

// Words returns the number of distinct words. Codes run from 0 to Words()-1, in the order of the
// words.
func (v *Vector) Words() int { return len(v.words) }

// Word returns the word of a code.
func (v *Vector) Word(code int) string { return v.words[code] }

// Number returns the cell of a row as a number, and whether it is a finite one: not nan, and no
// other text.
func (v *Vector) Number(row int) (float64, bool) { return v.NumberOf(v.Code(row)) }

// NumberOf returns the word of a code as a number, and whether it is a finite one.
func (v *Vector) NumberOf(code int) (float64, bool) {
	f := v.numbers()[code]
	return f, !math.IsNaN(f)
}

func (v *Vector) parseWords() []float64 {
	numbers := make([]float64, len(v.words))
	for i, w := range v.words {
		f, ok := pytext.ParseFloat(w)
		if !ok || math.IsInf(f, 0) {
			f = math.NaN()
		}

		numbers[i] = f
	}
	return numbers
}

// Bounds returns the codes [lo, hi) of the words equal to s: lo is the number of smaller words, and
// hi is lo when no cell is equal to s. Strings are ordered by their UTF-8 bytes, which is the order
// of their code points.
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

// Match sets the bits of the rows whose code is in [lo, hi), clears the others, and returns how
// many are set. Bit i%64 of dst[i/64] is that of row i; dst has at least one bit for every row.
func (v *Vector) Match(dst []uint64, lo, hi int) int {
	switch {
	case hi <= lo:
		clear(dst[:(v.rows+63)/64])
		return 0
	case v.codes8 != nil:
		return match(dst, v.codes8, lo, hi)
	case v.codes16 != nil:
		return match(dst, v.codes16, lo, hi)
	default:
		return match(dst, v.codes32, lo, hi)
	}
}

func match[C code](dst []uint64, codes []C, lo, hi int) int {
	n := 0
	from, last := C(lo), C(hi-1-lo) // hi itself need not fit

	for w := 0; len(codes) > 0; w++ {
		chunk := codes[:min(64, len(codes))]
		codes = codes[len(chunk):]
		var word uint64

		for i, c := range chunk {
			var bit uint64
			if c-from <= last { // c < from wraps around to a large number
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
func (v *Vector) In(row, lo, hi int) bool { return uint(v.Code(row)-lo) < uint(hi-lo) }
