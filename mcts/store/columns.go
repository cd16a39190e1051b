package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"sync"
)

// A value is stored as the columns of its rows: similar values are next to each other, which
// compresses well, and a field that is zero in every row takes no space, so a struct may gain
// fields at no cost to what is stored already. A column has the name of its field; one whose field
// is gone is an error, because reading on would lose it.
//
//	number of rows, then for each column: length of its name, name, values; then 0
//
// Lengths and unsigned integers are uvarints, integers zigzag varints, floats 8 bytes, booleans one
// byte; strings are all their lengths and then all their bytes. Enumerations are numbers, so new
// constants come last.

// column is a field of a struct, or of a struct within it.
type column struct {
	name  string
	index []int
	kind  reflect.Kind
}

// knownColumns has the columns of each type that was stored or loaded, by reflect.Type.
var knownColumns sync.Map

// columnsOf lists the fields of a struct type, in order. It panics on a field that cannot be
// stored, which is a mistake in the program.
func columnsOf(t reflect.Type) []column {
	if known, ok := knownColumns.Load(t); ok {
		return known.([]column)
	}

	var all []column

	for i := range t.NumField() {
		f := t.Field(i)
		switch f.Type.Kind() {
		case reflect.Struct:
			for _, c := range columnsOf(f.Type) {
				all = append(all, column{f.Name + "." + c.name, append([]int{i}, c.index...), c.kind})
			}
		case reflect.Int, reflect.Uint8, reflect.Uint64, reflect.Float64, reflect.Bool, reflect.String:
			all = append(all, column{f.Name, []int{i}, f.Type.Kind()})
		default:
			panic(fmt.Sprintf("store: %v.%s of type %v cannot be stored", t, f.Name, f.Type))
		}
	}

	knownColumns.Store(t, all)
	return all
}

// appendRows appends the columns of rows to b.
func appendRows[T any](b []byte, rows []T) []byte {
	v := reflect.ValueOf(rows)
	b = binary.AppendUvarint(b, uint64(len(rows)))

	for _, c := range columnsOf(v.Type().Elem()) {
		if isZero(v, c) {
			continue
		}

		b = binary.AppendUvarint(b, uint64(len(c.name)))

		b = append(b, c.name...)
		for i := range rows {
			b = appendValue(b, v.Index(i).FieldByIndex(c.index), c.kind)
		}

		if c.kind != reflect.String {
			continue
		}

		for i := range rows {
			b = append(b, v.Index(i).FieldByIndex(c.index).String()...)
		}
	}
	return binary.AppendUvarint(b, 0)
}

func isZero(rows reflect.Value, c column) bool {
	for i := range rows.Len() {
		if !rows.Index(i).FieldByIndex(c.index).IsZero() {
			return false
		}
	}

	return true
}

func appendValue(b []byte, v reflect.Value, kind reflect.Kind) []byte {
	switch kind {
	case reflect.Int:
		return binary.AppendVarint(b, v.Int())
	case reflect.Float64:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Float()))
	case reflect.String:
		return binary.AppendUvarint(b, uint64(v.Len()))
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	}
	return binary.AppendUvarint(b, v.Uint())
}

// errCut means that columns end too early, or hold an impossible number.
var errCut = errors.New("its columns cannot be read")

// mostRows is more than any tree has nodes. It bounds what a few forged bytes can make of memory.
const mostRows = 1 << 20

// readRows reads columns from the beginning of b, and returns what follows them. It trusts nothing.
func readRows[T any](b []byte) (rows []T, rest []byte, err error) {
	r := reader{b}
	n := r.uvarint()
	// Columns of zeros take no space, but no struct here is all zeros in more than a few rows.
	if n > uint64(min(max(len(b), 1<<12), mostRows)) {
		return nil, nil, errCut
	}

	rows = make([]T, n)
	v := reflect.ValueOf(rows)
	columns := columnsOf(v.Type().Elem())

	for {
		name := string(r.take(r.uvarint()))
		if name == "" {
			break
		}
		// Columns are in the order of the fields, which saves looking for them.
		for len(columns) > 0 && columns[0].name != name {
			columns = columns[1:]
		}

		if len(columns) == 0 {
			return nil, nil, fmt.Errorf("%w: %q is not known to this version, or out of order", errCut, name)
		}

		if err := r.column(v, columns[0]); err != nil {
			return nil, nil, fmt.Errorf("%w: %s", err, name)
		}
	}

	if r.b == nil {
		return nil, nil, errCut
	}
	return rows, r.b, nil
}

// reader takes values from the front of b, which stays nil once a value was missing.
type reader struct{ b []byte }

func (r *reader) uvarint() uint64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.b = nil
		return 0
	}

	r.b = r.b[size:]
	return n
}

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.b = nil
		return nil
	}

	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

func (r *reader) column(rows reflect.Value, c column) error {
	var lengths []uint64
	total := uint64(0)

	// A value that is missing leaves r.b nil, which is looked at once, at the end.
	for i := range rows.Len() {
		field := rows.Index(i).FieldByIndex(c.index)
		switch c.kind {
		case reflect.Int:
			n := r.uvarint()
			field.SetInt(int64(n>>1) ^ -int64(n&1))
		case reflect.Float64:
			if bits := r.take(8); bits != nil {
				field.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(bits)))
			}
		case reflect.Bool:
			if b := r.take(1); b != nil {
				field.SetBool(b[0] != 0)
			}
		case reflect.String:
			// Each is checked before it is added: forged lengths could overflow the sum.
			n := r.uvarint()
			if n > uint64(len(r.b)) {
				return errCut
			}

			lengths, total = append(lengths, n), total+n
		default:
			// SetUint would silently cut off a number that is too large for the field.
			n := r.uvarint()
			if field.OverflowUint(n) {
				return errCut
			}

			field.SetUint(n)
		}
	}

	// The strings of a column share one piece of memory.
	text := string(r.take(total))
	if uint64(len(text)) != total {
		return errCut
	}

	for i, n := range lengths {
		rows.Index(i).FieldByIndex(c.index).SetString(text[:n])
		text = text[n:]
	}

	if r.b == nil {
		return errCut
	}
	return nil
}
