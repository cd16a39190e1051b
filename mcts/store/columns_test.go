package store

import (
	"encoding/binary"
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/mcts"
)

// filled returns a value in which no field is zero, so that one that is forgotten shows.
func filled[T any](t *testing.T) T {
	t.Helper()
	var v T
	var fill func(reflect.Value)
	fill = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i))
			}
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0))
		case reflect.String:
			v.SetString("text\x00\xff")
		case reflect.Int:
			v.SetInt(-7)
		case reflect.Uint8:
			v.SetUint(3)
		case reflect.Uint64:
			v.SetUint(1<<63 + 1)
		case reflect.Float64:
			v.SetFloat(-0.25)
		case reflect.Bool:
			v.SetBool(true)
		default:
			t.Fatalf("a field of type %v", v.Type())
		}
	}
	fill(reflect.ValueOf(&v).Elem())

	return v
}

// Every field of what is stored comes back, also one that is added later.
func TestEveryFieldIsStored(t *testing.T) {
	check[mcts.Record](t)
	check[mcts.Proposal](t)
	check[envs.Result](t)
	check[head](t)

	// head has what a tree has beside its names and its nodes.
	if tree, of := reflect.TypeFor[mcts.TreeRecord](), reflect.TypeFor[head](); tree.NumField() != of.NumField()+3 {
		t.Errorf("%v has %d fields, %v %d: does it lack one?", tree, tree.NumField(), of, of.NumField())
	}
}

func check[T any](t *testing.T) {
	t.Helper()
	var zero T
	want := []T{zero, filled[T](t), zero}

	got, rest, err := readRows[T](append(appendRows(nil, want), "rest"...))
	if err != nil || string(rest) != "rest" {
		t.Errorf("%T: rest %q, error %v", zero, rest, err)
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-stored +read:\n%s", diff)
	}
}

// What is zero in every row takes no space, however many rows there are.
func TestZerosTakeNoSpace(t *testing.T) {
	rows := make([]mcts.Record, 1000)
	if n := len(appendRows(nil, rows)); n > 3 {
		t.Errorf("1000 rows of zeros take %d bytes", n)
	}

	rows[999].Prior = 1
	if n := len(appendRows(nil, rows)); n < 8000 || n > 8020 {
		t.Errorf("one column of numbers takes %d bytes", n)
	}
}

// A struct that has gained a field reads what was stored before; one that has lost a field does
// not.
func TestFieldsComeButDoNotGo(t *testing.T) {
	type before struct {
		A int
		B string
	}
	type after struct {
		New string
		A   int
		C   float64
		B   string
	}
	stored := appendRows(nil, []before{{1, "one"}, {2, "two"}})

	got, _, err := readRows[after](stored)
	if diff := cmp.Diff([]after{{A: 1, B: "one"}, {A: 2, B: "two"}}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}

	// A number that does not fit into its field is refused, not cut.
	type wide struct{ A uint64 }
	type narrow struct{ A uint8 }

	for n, fits := range map[uint64]bool{255: true, 256: false, 1 << 40: false} {
		got, _, err := readRows[narrow](appendRows(nil, []wide{{n}}))
		if fits != (err == nil) || fits && got[0].A != 255 {
			t.Errorf("%d is read as %v, %v", n, got, err)
		}
	}

	later := appendRows(nil, []after{{New: "x", A: 1}})
	if got, _, err := readRows[before](later); err == nil {
		t.Errorf("read %v without the field that is gone", got)
	}
}

// What is no columns is refused, whatever it is.
func TestAnyBytesAreReadOrRefused(t *testing.T) {
	whole := appendRows(nil, []mcts.Record{filled[mcts.Record](t), filled[mcts.Record](t)})
	for n := range len(whole) {
		if _, _, err := readRows[mcts.Record](whole[:n]); err == nil {
			t.Errorf("read %d of %d bytes", n, len(whole))
		}
	}

	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		if rapid.Bool().Draw(t, "almost whole") {
			b = append([]byte{}, whole...)
			b[rapid.IntRange(0, len(b)-1).Draw(t, "place")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		}

		rows, _, err := readRows[mcts.Record](b)
		if err == nil && len(rows) > 1<<12 && len(rows) > len(b) {
			t.Fatalf("%d rows from %d bytes", len(rows), len(b))
		}
	})
}

// A value of a few bytes that unpacks to zeros claims many rows: no memory is taken for them.
func TestRowsAreBounded(t *testing.T) {
	const claimed = 16 << 20

	value := append(binary.AppendUvarint(nil, claimed), make([]byte, claimed)...)
	if _, _, err := readRows[mcts.Record](value); !errors.Is(err, errCut) {
		t.Errorf("%d rows of nothing: %v", claimed, err)
	}
}
