package corpus

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestVector(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SliceOfN(rapid.StringMatching(`[ab"é]{0,2}`), 1, 300).Draw(t, "cells")
		v := newVector("x", cells)
		s := rapid.StringMatching(`[abé]{0,3}`).Draw(t, "s")
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
			for row, c := range cells {
				want := tt.want(c)
				if got := bits[row/64]>>(row%64)&1 == 1; got != want || v.In(row, tt.lo, tt.hi) != want {
					t.Fatalf("%s %q: row %d %q: Match %v, In %v", name, s, row, c, got, v.In(row, tt.lo, tt.hi))
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
	})
}

func FuzzImport(f *testing.F) {
	f.Add(header + "2000-01-03,122.25,124.0,116.1,116.5,6640,USD\n")
	f.Add("Date,Open\n\"")
	schema, err := SchemaOf("coffee")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, content string) {
		rows, err := newCSVRows(schema, "in.csv", strings.NewReader(content))
		if err != nil {
			return
		}
		for {
			row, err := rows.next()
			if err != nil {
				return
			}
			for i, c := range row { // what was read can be read again
				if again, err := parseCell(schema.Columns[i].Kind, c.text); err != nil || again != c {
					t.Fatalf("column %d: %+v reads back as %+v, %v", i, c, again, err)
				}
			}
		}
	})
}

// A large table has no joined items; its runs of rows read the same.
func TestItemsOfARun(t *testing.T) {
	v := newVector("c", []string{"b", "a", "b", "ü", `"`})
	large := *v
	large.joined, large.starts = "", nil
	for first := range 6 {
		for end := first; end < 6; end++ {
			a, b := string(v.AppendItems(nil, first, end)), string(large.AppendItems(nil, first, end))
			if a != b || first == 0 && end == 5 && a != `"b", "a", "b", "\u00fc", "\"", ` {
				t.Errorf("rows %d to %d: %q joined, %q one by one", first, end, a, b)
			}
		}
	}
}
