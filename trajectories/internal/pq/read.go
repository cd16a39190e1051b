package pq

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"reflect"

	"github.com/apache/arrow-go/v18/parquet/file"

	"toolevo/envs/disk"
)

// damaged wraps an error about the contents of a file in [disk.ErrDamaged]. A file that cannot be
// opened or read is not damaged.
func damaged(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return err
	}
	return fmt.Errorf("the file is %w: %w", disk.ErrDamaged, err)
}

// Read streams the values of a file, in its order. Extra columns are ignored; a missing column, a
// column of another type, or a null where none belongs is an error, and the last thing yielded. A
// file that cannot be decoded is an error too, never a panic. The file is open while the sequence
// is ranged over.
func Read[T any](path string, columns []Column) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T

		f, err := openFile(path)
		if err != nil {
			yield(zero, fmt.Errorf("pq: open %s: %w", path, damaged(err)))
			return
		}
		defer f.Close()

		if err := complete(f, columns); err != nil {
			yield(zero, fmt.Errorf("pq: read %s: %w", path, damaged(err)))
			return
		}

		// Groups are decoded whole, so that only decoding is rescued: a panic of whoever takes the
		// values is not the file's fault.
		for g := range f.NumRowGroups() {
			values, err := readGroup[T](f, g, columns)
			if err != nil {
				yield(zero, fmt.Errorf("pq: read %s, row group %d: %w", path, g, damaged(err)))
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

// openFile opens a file and reads its footer.
func openFile(path string) (f *file.Reader, err error) {
	defer rescue(&err)

	raw, err := os.Open(path)
	if err != nil {
		return nil, err
	}

	defer func() {
		if f == nil {
			raw.Close()
		}
	}()

	return file.NewParquetReader(raw)
}

// Rows returns the number of rows in a file, whatever its columns.
func Rows(path string) (n int, err error) {
	defer rescue(&err)

	f, err := openFile(path)
	if err != nil {
		return 0, fmt.Errorf("pq: open %s: %w", path, damaged(err))
	}
	defer f.Close()

	return int(f.NumRows()), nil
}

// complete makes sure that a file has every column. Reading a file without row groups would not
// show that.
func complete(f *file.Reader, columns []Column) (err error) {
	defer rescue(&err)

	sc := f.MetaData().Schema
	for _, c := range columns {
		if sc.Root().FieldIndexByName(c.Name) < 0 {
			return fmt.Errorf("column %s is missing", c.Name)
		}
	}

	return nil
}

// readGroup decodes one row group.
func readGroup[T any](f *file.Reader, n int, columns []Column) (values []T, err error) {
	defer rescue(&err)

	g := &group{rows: f.RowGroup(n), leaves: map[string]int{}}

	// By path, as a file may have further columns, and another order.
	sc := f.MetaData().Schema
	for i := range sc.NumColumns() {
		g.leaves[sc.Column(i).Path()] = i
	}

	cursors := make([]*cursor, 0, len(columns))
	for i := range columns {
		values, err := openColumn(g, &columns[i], position{})
		if err != nil {
			return nil, err
		}

		cursors = append(cursors, values)
	}

	for i := range g.rows.NumRows() {
		var v T
		for _, column := range cursors {
			if err := column.read(reflect.ValueOf(&v).Elem(), 0); err != nil {
				return nil, fmt.Errorf("row %d: %w", i, err)
			}
		}

		values = append(values, v)
	}

	// Values left over are damage, too: they would shift all that follow.
	return values, g.finished()
}

// rescue turns a panic of the decoder into an error: arrow panics on some damaged files.
func rescue(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("it cannot be decoded: %v", p)
	}
}
