package corpus

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNewTable(t *testing.T) {
	table := NewTable("tea", []string{"a", "b c"}, [][]string{{"2", "x"}, {"10", "x"}, {"2", "nan"}})
	if got := table.Columns(); !slices.Equal(got, []string{"a", "b c"}) || table.Rows() != 3 ||
		table.Dataset() != "tea" {
		t.Errorf("columns %v of %d rows of %s", got, table.Rows(), table.Dataset())
	}

	for _, get := range []func(string) (*Vector, error){table.Column, table.Stored} {
		a, err := get("a")
		if err != nil || a.Name() != "a" || a.Text(1) != "10" || a.Len() != 3 {
			t.Errorf("column a: %+v, %v", a, err)
		}

		if none, err := get("A"); none != nil || err != nil {
			t.Errorf("column A: %v, %v", none, err)
		}
	}

	defer func() {
		if recover() == nil {
			t.Error("a short row was accepted")
		}
	}()

	NewTable("tea", []string{"a", "b"}, [][]string{{"1"}})
}

func TestFind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y", "z"}), 3, 3)
		rows := rapid.SliceOfN(row, 0, 50).Draw(t, "rows")
		names := []string{"a", "b", "c"}
		table := NewTable("tea", names, rows)

		var equal []string
		for i := range rapid.IntRange(1, 3).Draw(t, "columns") {
			equal = append(equal, names[i], rapid.SampledFrom([]string{"x", "y", "z", "w"}).Draw(t, "value"))
		}
		var want []uint32

		for n, row := range rows {
			same := true
			for i := range len(equal) / 2 {
				same = same && row[i] == equal[2*i+1]
			}

			if same {
				want = append(want, uint32(n))
			}
		}

		got, err := table.Find(equal...)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("Find(%q) = %v, %v; want %v", equal, got, err, want)
		}
	})

	table := NewTable("tea", []string{"a"}, [][]string{{"x"}})
	if _, err := table.Find("b", "x"); err == nil {
		t.Error("Find took a column that is not there")
	}
}

// A column is read once, however many ask for it, and the error of a damaged file stays.
func TestColumnsAreReadOnce(t *testing.T) {
	damaged := errors.New("damaged")
	var reads atomic.Int32

	table := newTable("tea", []string{"good", "bad", "short"}, []string{"good"}, 1,
		func(name string, stored bool) (*Vector, error) {
			reads.Add(1)

			switch {
			case name == "bad":
				return nil, damaged
			case name == "short":
				return vectorOf(name, nil), nil
			case stored:
				return vectorOf(name, []string{"9:00 AM"}), nil
			}

			return vectorOf(name, []string{"09:00:00"}), nil
		})

	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if v, err := table.Column("good"); err != nil || v.Text(0) != "09:00:00" {
				t.Errorf("good: %v, %v", v, err)
			}

			if v, err := table.Stored("good"); err != nil || v.Text(0) != "9:00 AM" {
				t.Errorf("good as stored: %v, %v", v, err)
			}

			if _, err := table.Column("bad"); !errors.Is(err, damaged) {
				t.Errorf("bad: %v", err)
			}
		})
	}

	wg.Wait()

	if diff := cmp.Diff(int32(3), reads.Load()); diff != "" {
		t.Errorf("three columns were read another number of times (-want +got):\n%s", diff)
	}

	if _, err := table.Column("short"); err == nil {
		t.Error("a column of another length was accepted")
	}

	if _, err := table.Find("bad", "x"); !errors.Is(err, damaged) {
		t.Errorf("Find: %v", err)
	}
}
