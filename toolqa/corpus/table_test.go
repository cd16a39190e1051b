package corpus

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// A column is read once, however many ask for it. One that cannot be read is tried again, as a disk
// may fail for a moment.
func TestColumnsAreReadOnce(t *testing.T) {
	damaged := errors.New("damaged")
	var reads atomic.Int32
	var mended atomic.Bool

	table := newTable("tea", []string{"good", "bad", "short"}, []string{"good"}, 1,
		func(name string, stored bool) (*Vector, error) {
			if name != "bad" {
				reads.Add(1)
			}

			switch {
			case name == "bad" && !mended.Load():
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

	if diff := cmp.Diff(int32(2), reads.Load()); diff != "" {
		t.Errorf("two forms of a column were read another number of times (-want +got):\n%s", diff)
	}

	mended.Store(true)

	if _, err := table.Column("bad"); err != nil {
		t.Errorf("a column that can be read now: %v", err)
	}

	if _, err := table.Column("short"); err == nil {
		t.Error("a column of another length was accepted")
	}
}
