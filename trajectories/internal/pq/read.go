package pq

import (
	"context"
	"fmt"
	"iter"
	"os"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
)

// Read streams the values of a file, in its order. Extra columns are ignored; a missing column, a column of another
// type, or a null where none belongs is an error, and the last thing yielded. A file that cannot be decoded is an error
// too, never a panic. The file is open while the sequence is ranged over.
func Read[T any](path string, cols []Column[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		r, err := open(path, cols)
		if err != nil {
			yield(zero, fmt.Errorf("pq: open %s: %w", path, err))
			return
		}
		defer r.file.Close()
		for g := range r.groups {
			values, err := r.group(g)
			if err != nil {
				yield(zero, fmt.Errorf("pq: read %s, row group %d: %w", path, g, err))
				return
			}
			for _, v := range values {
				if !yield(v, nil) {
					return
				}
			}
		}
	}
}

// Meta returns the key-value pairs of a file's footer.
func Meta(path string) (meta map[string]string, err error) {
	defer rescue(&err)
	f, err := file.OpenParquetFile(path, false)
	if err != nil {
		return nil, fmt.Errorf("pq: open %s: %w", path, err)
	}
	defer f.Close()
	meta = map[string]string{}
	kv := f.MetaData().KeyValueMetadata()
	for i, k := range kv.Keys() {
		meta[k] = kv.Values()[i]
	}
	return meta, nil
}

type reader[T any] struct {
	cols   []Column[T]
	file   *file.Reader
	arrow  *pqarrow.FileReader
	groups int
	index  []int // place of each column in the file's schema
}

func open[T any](path string, cols []Column[T]) (r *reader[T], err error) {
	defer rescue(&err)
	osFile, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := file.NewParquetReader(osFile)
	if err != nil {
		osFile.Close()
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	fr, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	got, err := fr.Schema()
	if err != nil {
		return nil, err
	}
	r = &reader[T]{cols: cols, file: f, arrow: fr, groups: f.NumRowGroups()}
	for _, c := range cols {
		at := got.FieldIndices(c.Name)
		if len(at) != 1 {
			return nil, fmt.Errorf("want one column %s, have %d", c.Name, len(at))
		}
		if have := got.Field(at[0]).Type; !sameType(have, c.Type) {
			return nil, fmt.Errorf("column %s is %s, want %s", c.Name, have, c.Type)
		}
		r.index = append(r.index, at[0])
	}
	return r, nil
}

// sameType reports whether two types are equal, whatever they say about nulls and the names of list items.
func sameType(a, b arrow.DataType) bool {
	switch b := b.(type) {
	case *arrow.ListType:
		list, ok := a.(*arrow.ListType)
		return ok && sameType(list.Elem(), b.Elem())
	case *arrow.StructType:
		st, ok := a.(*arrow.StructType)
		if !ok || len(st.Fields()) != len(b.Fields()) {
			return false
		}
		for i, f := range b.Fields() {
			if st.Field(i).Name != f.Name || !sameType(st.Field(i).Type, f.Type) {
				return false
			}
		}
		return true
	}
	return arrow.TypeEqual(a, b)
}

// group decodes one row group.
func (r *reader[T]) group(g int) (values []T, err error) {
	defer rescue(&err)
	table, err := r.arrow.RowGroup(g).ReadTable(context.Background(), r.leaves())
	if err != nil {
		return nil, err
	}
	defer table.Release()
	at := make([]int, len(r.cols))
	for i, c := range r.cols {
		at[i] = table.Schema().FieldIndices(c.Name)[0]
	}
	records := array.NewTableReader(table, 0)
	defer records.Release()
	values = make([]T, 0, table.NumRows())
	for records.Next() {
		rec := records.Record()
		for i := range int(rec.NumRows()) {
			var v T
			if err := getAll(r.cols, nil, func(n int) arrow.Array { return rec.Column(at[n]) }, i, &v); err != nil {
				return nil, fmt.Errorf("row %d: %w", len(values), err)
			}
			values = append(values, v)
		}
	}
	return values, records.Err()
}

// leaves returns the Parquet columns to read: those below our columns.
func (r *reader[T]) leaves() []int {
	wanted := map[string]bool{}
	for _, c := range r.cols {
		wanted[c.Name] = true
	}
	sc := r.file.MetaData().Schema
	var leaves []int
	for i := range sc.NumColumns() {
		if wanted[sc.ColumnRoot(i).Name()] {
			leaves = append(leaves, i)
		}
	}
	return leaves
}

// rescue turns a panic of the decoder into an error: v15 panics on some damaged files.
func rescue(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged file: %v", p)
	}
}
