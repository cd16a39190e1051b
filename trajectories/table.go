package trajectories

import (
	"io"
	"reflect"
	"strings"

	"toolevo/envs/disk"
	"toolevo/trajectories/internal/pq"
)

// WriteTable writes structs into a Parquet file, which appears whole or not at all. Columns have
// the names of the fields in JSON.
func WriteTable[T any](path string, rows []T) error {
	return disk.WriteFile(path, func(w io.Writer) error {
		out, err := pq.NewWriter[T](w, columnsOf[T](), nil)
		if err != nil {
			return err
		}

		for i := range rows {
			if err := out.Write(&rows[i]); err != nil {
				return err
			}
		}

		return out.Close()
	})
}

// ReadTable reads a file that WriteTable wrote.
func ReadTable[T any](path string) (rows []T, err error) {
	for row, err := range pq.Read[T](path, columnsOf[T]()) {
		if err != nil {
			return nil, err
		}

		rows = append(rows, row)
	}
	return rows, nil
}

// columnsOf returns the columns of a struct and of the structs in its lists.
func columnsOf[T any]() []pq.Column {
	tables := map[string][]pq.Column{}
	return pq.Bind[T](tables, fieldsOf(reflect.TypeFor[T](), tables))
}

func fieldsOf(t reflect.Type, tables map[string][]pq.Column) (columns []pq.Column) {
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			continue
		}

		c := pq.Column{Name: name, Field: f.Name, Repeats: f.Type.Kind() == reflect.String}
		if f.Type.Kind() == reflect.Slice {
			c.Of = f.Name
			tables[c.Of] = fieldsOf(f.Type.Elem(), tables)
		}

		columns = append(columns, c)
	}
	return columns
}
