package corpus

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"toolevo/toolqa/corpus/internal/layout"
)

// widened returns a column equal to v whose codes take more bytes than they must.
func widened(t testing.TB, v *Vector, width int) *Vector {
	var codes []byte
	for row := range v.Len() {
		codes = layout.AppendCode(codes, uint32(v.Code(row)), width)
	}

	w, err := newVector(v.Name(), v.words, codes, width)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestVector(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cells := rapid.SliceOfN(rapid.StringMatching(`[ab"é]{0,2}`), 1, 300).Draw(rt, "cells")
		s := rapid.StringMatching(`[abé]{0,3}`).Draw(rt, "s")

		narrow := vectorOf("x", cells)
		for _, v := range []*Vector{narrow, widened(t, narrow, 2), widened(t, narrow, 4)} {
			checkVector(rt, v, cells, s)
		}
	})
}

func checkVector(t *rapid.T, v *Vector, cells []string, s string) {
	lo, hi := v.Bounds(s)
	if hi > lo != slices.Contains(cells, s) {
		t.Fatalf("Bounds(%q) = %d, %d", s, lo, hi)
	}

	bits := make([]uint64, (len(cells)+63)/64)

	bits[0] = ^uint64(0) // Match overwrites what is there
	for name, tt := range map[string]struct {
		lo, hi int
		want   func(cell string) bool
	}{
		"less":    {0, lo, func(c string) bool { return c < s }},
		"equal":   {lo, hi, func(c string) bool { return c == s }},
		"greater": {hi, v.Words(), func(c string) bool { return c > s }},
	} {
		n := v.Match(bits, tt.lo, tt.hi)
		set := v.Filter(tt.want)

		other := make([]uint64, len(bits))
		if m := v.MatchSet(other, set); m != n || !slices.Equal(other, bits) || set.Len() != tt.hi-tt.lo {
			t.Fatalf("%s %q: MatchSet finds %d rows of %d words, Match %d of %d", name, s, m, set.Len(), n, tt.hi-tt.lo)
		}

		for row, c := range cells {
			want := tt.want(c)
			if got := bits[row/64]>>(row%64)&1 == 1; got != want || v.In(row, tt.lo, tt.hi) != want ||
				set.Has(v.Code(row)) != want {
				t.Fatalf("%s %q: row %d %q: Match %v, In %v, want %v", name, s, row, c, got, v.In(row, tt.lo, tt.hi),
					want)
			}

			if v.Text(row) != c {
				t.Fatalf("row %d reads %q, want %q", row, v.Text(row), c)
			}

			if want {
				n--
			}
		}

		if n != 0 {
			t.Fatalf("%s %q: Match counts %d rows too many", name, s, n)
		}
	}

	total := 0

	for code := range v.Words() {
		rows := v.RowsOf(code)

		total += len(rows)
		if !slices.IsSorted(rows) || slices.ContainsFunc(rows,
			func(row uint32) bool { return cells[row] != v.Word(code) }) {
			t.Fatalf("the rows of %q are %v", v.Word(code), rows)
		}
	}

	if total != len(cells) {
		t.Fatalf("the index holds %d rows of %d", total, len(cells))
	}
}

// The last code of each width is found, and not taken for one before the first.
func TestWidths(t *testing.T) {
	for _, words := range []int{1, 2, 255, 256, 257, 65_535, 65_536, 65_537} {
		cells := make([]string, words)
		for i := range cells {
			cells[i] = fmt.Sprintf("%05d", i)
		}

		v := vectorOf("n", cells)

		dst := make([]uint64, (words+63)/64)
		for _, lo := range []int{0, words / 2, words - 1} {
			if n := v.Match(dst, lo, words); n != words-lo || v.Words() != words {
				t.Errorf("%d words from %d on: %d rows", words, lo, n)
			}
		}

		if n := v.Match(dst, words, words); n != 0 || slices.Max(dst) != 0 {
			t.Errorf("%d words: nothing is %d rows", words, n)
		}

		if v.Text(words-1) != cells[words-1] || len(v.RowsOf(words-1)) != 1 {
			t.Errorf("%d words: the last cell is %q", words, v.Text(words-1))
		}
	}

	if v := vectorOf("none", nil); v.Len() != 0 || v.Words() != 0 || v.Match(nil, 0, 0) != 0 ||
		v.MatchSet(nil, nil) != 0 {
		t.Errorf("a column without rows: %+v", v)
	}
}

func TestNewVectorRefuses(t *testing.T) {
	for _, tt := range []struct {
		words []string
		codes []byte
		width int
		want  string
	}{
		{[]string{"a", "b"}, []byte{0, 1}, 3, "codes of 3 bytes"},
		{[]string{"a", "b"}, []byte{0, 1, 0}, 2, "3 bytes do not divide"},
		{[]string{"b", "a"}, []byte{0, 1}, 1, "word 1"},
		{[]string{"a", "a"}, []byte{0, 1}, 1, "word 1"},
		{[]string{"a", "b"}, []byte{0, 2}, 1, "code 2 of 2 words"},
		{[]string{"a", "b"}, []byte{0, 1}, 2, "code 256 of 2 words"},
		{[]string{"a", "b"}, []byte{2, 0, 0, 0}, 4, "code 2 of 2 words"},
		{nil, []byte{0}, 1, "code 0 of 0 words"},
	} {
		if _, err := newVector("c", tt.words, tt.codes, tt.width); err == nil ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("newVector(%q, %v, %d): %v, want %q", tt.words, tt.codes, tt.width, err, tt.want)
		}
	}

	if v, err := newVector("c", []string{"a", "b", "unused"}, []byte{1, 0, 0, 0}, 2); err != nil || v.Text(0) != "b" ||
		len(v.RowsOf(2)) != 0 {
		t.Errorf("a word without rows: %+v, %v", v, err)
	}
}

func TestNumber(t *testing.T) {
	cells := []string{"1.5", "-2", " 3 ", "1e3", "nan", "inf", "-Infinity", "None", "", "$5", "0.0"}

	v := vectorOf("n", cells)
	for row, want := range []struct {
		f  float64
		ok bool
	}{{1.5, true}, {-2, true}, {3, true}, {1000, true}, {}, {}, {}, {}, {}, {}, {0, true}} {
		if f, ok := v.Number(row); ok != want.ok || ok && f != want.f {
			t.Errorf("%q is the number %v, %v; want %+v", cells[row], f, ok, want)
		}
	}
}

// The items of a large table, which are not joined, read the same.
func TestItemsOfARun(t *testing.T) {
	cells := []string{"b", "a", "b", "ü", `"`, "\\", "\n", "~", "\x7f", ""}
	small := vectorOf("c", cells)
	many := make([]string, joinRows+1)
	copy(many, cells)
	large := vectorOf("c", many)

	for first := range len(cells) + 1 {
		for end := first; end <= len(cells); end++ {
			a, b := string(small.AppendItems(nil, first, end)), string(large.AppendItems(nil, first, end))
			if a != b {
				t.Errorf("rows %d to %d: %q joined, %q one by one", first, end, a, b)
			}
		}
	}

	want := `"b", "a", "b", "\u00fc", "\"", "\\", "\n", "~", "\u007f", "", `
	if got := string(small.AppendItems(nil, 0, len(cells))); got != want {
		t.Errorf("items %s, want %s", got, want)
	}

	if size := large.ItemSize(); size < 5 || size > 8 {
		t.Errorf("an item takes %d bytes", size)
	}
}

// large returns a column of so many rows and words.
func large(rows, words int) *Vector {
	rng := rand.New(rand.NewPCG(1, 2))

	cells := make([]string, rows)
	for i := range cells {
		cells[i] = strconv.Itoa(rng.IntN(words))
	}
	return vectorOf("large", cells)
}

func BenchmarkVector(b *testing.B) {
	const rows = 1 << 20
	for _, words := range []int{100, 10_000, 100_000} {
		v := large(rows, words)
		dst := make([]uint64, rows/64)
		lo, hi := v.Words()/4, v.Words()/2
		set := v.FilterCodes(func(code int) bool { return code%3 == 0 })
		v.RowsOf(0)
		b.Run(fmt.Sprintf("Match/%d", words), func(b *testing.B) {
			b.SetBytes(rows)

			for b.Loop() {
				v.Match(dst, lo, hi)
			}
		})
		b.Run(fmt.Sprintf("MatchSet/%d", words), func(b *testing.B) {
			b.SetBytes(rows)

			for b.Loop() {
				v.MatchSet(dst, set)
			}
		})
		b.Run(fmt.Sprintf("invert/%d", words), func(b *testing.B) {
			b.SetBytes(rows)

			for b.Loop() {
				v.invert()
			}
		})
	}
}
