package pq

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// Column is one column of a table. It holds a field of a struct: text, an integer, a float, a
// boolean, a struct, or a list of structs, integers or floats. A map of texts is stored as a list
// of its names and values, a named type as text if it is an [encoding.TextMarshaler]. A pointer
// stands for what it points to, and nil for the empty value.
type Column struct {
	Name     string `yaml:"name"`
	Doc      string `yaml:"doc"`      // what it means and its unit; one line
	Field    string `yaml:"field"`    // of the struct; "" is the one with the column's name
	Optional bool   `yaml:"optional"` // null stands for the empty value
	Repeats  bool   `yaml:"repeats"`  // few distinct values: worth a dictionary
	Omitted  bool   `yaml:"omitted"`  // JSON has no key for the empty value
	Big      bool   `yaml:"big"`      // a string in JSON: readers of doubles round it above 2^53
	JSON     bool   `yaml:"json"`     // each element of the list is stored as the JSON that its type writes
	Of       string `yaml:"of"`       // the table of the columns of a struct, or of a list's structs

	Fields []Column `yaml:"-"` // of a struct, or of the structs of a list
	Kind   Kind     `yaml:"-"`

	index []int // of the field

	// element describes the elements of a list without fields: scalars, or the kind List for those
	// that are stored as JSON.
	element *Column
}

// Kind is what a column holds.
type Kind int

// The kinds of columns.
const (
	Text Kind = iota // also named types: see textOf
	Int
	Uint
	Float
	Bool
	Struct
	List // of structs, of texts of JSON, or of numbers
)

// String returns the kind as the documentation of columns names it.
func (k Kind) String() string {
	return [...]string{"string", "int64", "uint64", "float64", "bool", "struct", "list<struct>"}[k]
}

// Feature returns the description of the column that a card gives the datasets library.
func (c *Column) Feature() string {
	switch {
	case c.JSON:
		return "list: json"
	case c.element != nil:
		return "list: " + c.element.Kind.String()
	}

	return "dtype: " + c.Kind.String()
}

// Tables reads tables of columns from YAML, a list of columns for each name. Tables are part of the
// program: on a mistake in them it panics.
func Tables(text []byte) map[string][]Column {
	var tables map[string][]Column
	if err := yaml.UnmarshalWithOptions(text, &tables, yaml.Strict()); err != nil {
		panic(fmt.Sprintf("pq: tables of columns: %v", err))
	}
	return tables
}

// Bind returns the columns of a table, in its order, bound to the fields of T. If they do not fit,
// that is a bug, and it panics.
func Bind[T any](tables map[string][]Column, table []Column) []Column {
	return bind(reflect.TypeFor[T](), tables, table)
}

// Without returns the columns, and those within them, without some that JSON may omit. A file with
// the rest can be read as one with all.
func Without(columns []Column, drop func(name string) bool) []Column {
	var kept []Column

	for _, c := range columns {
		if c.Omitted && drop(c.Name) {
			continue
		}

		if c.Fields != nil {
			c.Fields = Without(c.Fields, drop)
		}

		kept = append(kept, c)
	}
	return kept
}

func bind(t reflect.Type, tables map[string][]Column, table []Column) []Column {
	columns := slices.Clone(table)
	for i := range columns {
		columns[i].bind(t, tables)
	}
	return columns
}

func (c *Column) bind(t reflect.Type, tables map[string][]Column) {
	// Columns are written in snake case, fields in Go's: run_id is RunID.
	name := strings.ReplaceAll(cmp.Or(c.Field, c.Name), "_", "")

	field, ok := t.FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, name) })
	if !ok {
		panic(fmt.Sprintf("pq: %v has no field for the column %s", t, c.Name))
	}

	c.index = field.Index

	kind := field.Type.Kind()
	if kind == reflect.Pointer {
		kind = field.Type.Elem().Kind()
	}

	switch {
	case kind == reflect.Struct:
		c.Kind, c.Fields = Struct, bind(field.Type, tables, c.inside(tables))
	case kind == reflect.Slice && c.JSON:
		c.Kind, c.element = List, &Column{Name: c.Name, Kind: List}
	// Kinds that scalars lacks, such as structs, come out as Text, its zero value.
	case kind == reflect.Slice && scalars[field.Type.Elem().Kind()] != Text:
		c.Kind, c.element = List, &Column{Name: c.Name, Kind: scalars[field.Type.Elem().Kind()]}
	case kind == reflect.Slice:
		c.Kind, c.Fields = List, bind(field.Type.Elem(), tables, c.inside(tables))
	case kind == reflect.Map:
		c.Kind, c.Fields = List, bind(reflect.TypeFor[pair](), tables, c.inside(tables))
	default:
		c.Kind = scalars[kind]
	}
}

// inside returns the table of the columns inside a column.
func (c *Column) inside(tables map[string][]Column) []Column {
	if c.Fields != nil {
		return c.Fields
	}
	return tables[c.Of]
}

// scalars maps Go's kinds to those of scalar columns other than Text.
var scalars = map[reflect.Kind]Kind{
	reflect.Int:     Int,
	reflect.Uint64:  Uint,
	reflect.Float64: Float,
	reflect.Bool:    Bool,
}

// pair is an entry of a map of texts, which is stored as a list sorted by name.
type pair struct{ Name, Value string }

// listOf returns a list as it is, and a map as a list.
func listOf(v reflect.Value) reflect.Value {
	texts, ok := v.Interface().(map[string]string)
	if !ok {
		return v
	}

	var pairs []pair
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		pairs = append(pairs, pair{name, texts[name]})
	}
	return reflect.ValueOf(pairs)
}

// isEmpty reports whether a field holds nothing.
func isEmpty(field reflect.Value) bool {
	return field.IsZero() || (field.Kind() == reflect.Slice || field.Kind() == reflect.Map) && field.Len() == 0
}

// textOf returns the text of a field, which is a text or has a word for its value.
func textOf(field reflect.Value) string {
	if field.Kind() == reflect.String {
		return field.String()
	}
	return field.Interface().(fmt.Stringer).String()
}

// setText is the inverse of textOf.
func setText(field reflect.Value, text string) error {
	if field.Kind() == reflect.String {
		field.SetString(text)
		return nil
	}
	return field.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
}

// get sets the column's field of a struct to the next value of a leaf.
func (c *Column) get(l *leaf, v reflect.Value) error {
	field := v.FieldByIndex(c.index)
	if field.Kind() == reflect.Pointer {
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}

	return c.set(l, field)
}

// set sets a field to the next value of a leaf.
func (c *Column) set(l *leaf, field reflect.Value) error {
	switch c.Kind {
	case Int, Uint: // Parquet keeps the bits of both in a signed integer
		n, err := take(l, l.ints)
		if c.Kind == Uint {
			field.SetUint(uint64(n))
		} else {
			field.SetInt(n)
		}

		return err
	case Float:
		f, err := take(l, l.floats)
		field.SetFloat(f)
		return err
	case Bool:
		is, err := take(l, l.bools)
		field.SetBool(is)
		return err
	}

	text, err := take(l, l.texts)
	if err != nil {
		return err
	}

	if c.Kind == List {
		return json.Unmarshal([]byte(text), field.Addr().Interface())
	}
	return setText(field, text)
}
