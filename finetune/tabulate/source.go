package tabulate

import (
	"fmt"
	"reflect"
	"strings"
)

// Source is rows that are added up. A column has the name of its field in JSON.
type Source struct {
	rows    reflect.Value
	columns map[string][]int // index of each field
}

// Of returns structs as a source. The fields are texts, numbers and booleans, which count 1 or 0.
func Of[T any](rows []T) *Source {
	s := &Source{rows: reflect.ValueOf(rows), columns: map[string][]int{}}

	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			s.columns[name] = f.Index
		}
	}

	return s
}

// Len returns the number of rows.
func (s *Source) Len() int { return s.rows.Len() }

// value returns a column of a row. A column that rows do not have is a mistake in a description.
func (s *Source) value(row int, column string) reflect.Value {
	index, ok := s.columns[column]
	if !ok {
		panic(fmt.Sprintf("tabulate: %v has no column %q", s.rows.Type().Elem(), column))
	}
	return s.rows.Index(row).FieldByIndex(index)
}

// text returns a column as text.
func (s *Source) text(row int, column string) string { return fmt.Sprint(s.value(row, column)) }

// number returns a column as a number.
func (s *Source) number(row int, column string) float64 {
	switch v := s.value(row, column); v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return 1
		}
		return 0
	case reflect.Float64:
		return v.Float()
	case reflect.Int:
		return float64(v.Int())
	default:
		panic(fmt.Sprintf("tabulate: column %q is of kind %v, not a number", column, v.Kind()))
	}
}
