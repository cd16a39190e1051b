package pq

import (
	"cmp"
	"encoding"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/goccy/go-yaml"
)

// Column is one column of a table. It holds a field of a struct: text, an integer, a float, a boolean, a struct, or a
// list of structs. A type with a name of its own stands as text if it says how, as [encoding.TextMarshaler]. A pointer
// stands for what it points to, and nil for the empty value.
type Column struct {
	Name     string `yaml:"name"`
	Doc      string `yaml:"doc"`      // what it means and its unit; one line
	Field    string `yaml:"field"`    // of the struct; "" is the one with the column's name
	Optional bool   `yaml:"optional"` // null stands for the empty value
	Repeats  bool   `yaml:"repeats"`  // few distinct values: worth a dictionary
	Later    bool   `yaml:"later"`    // older files may lack it
	Omitted  bool   `yaml:"omitted"`  // JSON has no key for the empty value
	Big      bool   `yaml:"big"`      // JSON has the number as text: readers of doubles round it above 2^53
	JSON     bool   `yaml:"json"`     // of a list: each element is a text of JSON, as its type writes it
	Of       string `yaml:"of"`       // of a struct or a list of structs: the table of their columns

	Fields []Column       `yaml:"-"` // of a struct, or of the structs of a list
	Type   arrow.DataType `yaml:"-"`

	index []int // of the field
}

// Tables reads tables of columns from YAML, a list of columns for each name. Tables are part of the program: a mistake
// in them panics.
func Tables(text []byte) map[string][]Column {
	var tables map[string][]Column
	if err := yaml.UnmarshalWithOptions(text, &tables, yaml.Strict()); err != nil {
		panic(fmt.Sprintf("pq: tables of columns: %v", err))
	}

	return tables
}

// Bind returns the columns of a table, in its order, as those of T. A table that does not fit T is a mistake of the
// program's, at which it panics.
func Bind[T any](tables map[string][]Column, table []Column) []Column {
	return bind(reflect.TypeFor[T](), tables, table)
}

// Without returns the columns, and those within them, without some that JSON may omit. A file of
// those is read as one of all.
func Without(columns []Column, drop func(name string) bool) []Column {
	var kept []Column

	for _, c := range columns {
		if c.Omitted && drop(c.Name) {
			continue
		}

		if c.Fields != nil {
			c.Fields = Without(c.Fields, drop)

			within := structOf(c.Fields)
			if c.Type.ID() == arrow.LIST {
				within = arrow.ListOf(within)
			}

			c.Type = within
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
		c.Fields = bind(field.Type, tables, c.inside(tables))
		c.Type = structOf(c.Fields)
	case kind == reflect.Slice && c.JSON:
		c.Type = arrow.ListOf(jsonText)
	case kind == reflect.Slice:
		c.Fields = bind(field.Type.Elem(), tables, c.inside(tables))
		c.Type = arrow.ListOf(structOf(c.Fields))
	case scalars[kind] != nil:
		c.Type = scalars[kind]
	default: // see textOf
		c.Type = arrow.BinaryTypes.String
	}
}

// inside returns the table of the columns inside a column.
func (c *Column) inside(tables map[string][]Column) []Column {
	if c.Fields != nil {
		return c.Fields
	}

	return tables[c.Of]
}

var scalars = map[reflect.Kind]arrow.DataType{
	reflect.String:  arrow.BinaryTypes.String,
	reflect.Int:     arrow.PrimitiveTypes.Int64,
	reflect.Uint64:  arrow.PrimitiveTypes.Uint64,
	reflect.Float64: arrow.PrimitiveTypes.Float64,
	reflect.Bool:    arrow.FixedWidthTypes.Boolean,
}

func structOf(columns []Column) arrow.DataType {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.Name, Type: c.Type, Nullable: true}
	}

	return arrow.StructOf(fields...)
}

// isEmpty reports whether there is nothing in the field of a column.
func isEmpty(field reflect.Value) bool {
	return field.IsZero() || field.Kind() == reflect.Slice && field.Len() == 0
}

// textOf returns the text of a field, which is one or has a word for its value.
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

// put appends the column's field of a struct to a batch, and returns how many bytes that were.
func (c *Column) put(b array.Builder, v reflect.Value) int {
	field := v.FieldByIndex(c.index)
	if c.Optional && isEmpty(field) {
		b.AppendNull()
		return 0
	}

	field = reflect.Indirect(field)

	switch b := b.(type) {
	case *array.StringBuilder:
		text := textOf(field)
		b.Append(text)

		return len(text)
	case *array.BooleanBuilder:
		b.Append(field.Bool())
		return 1
	case *array.Int64Builder:
		b.Append(field.Int())
	case *array.Uint64Builder:
		b.Append(field.Uint())
	case *array.Float64Builder:
		b.Append(field.Float())
	case *array.StructBuilder:
		return putStruct(b, field, c.Fields)
	case *array.ListBuilder:
		b.Append(true)

		size := 0
		for i := range field.Len() {
			size += c.putElement(b.ValueBuilder(), field.Index(i))
		}

		return size
	}

	return 8
}

// putElement appends an element of a list. What the values of JSON columns are is the program's, and can be written.
func (c *Column) putElement(b array.Builder, v reflect.Value) int {
	if !c.JSON {
		return putStruct(b, v, c.Fields)
	}

	text, err := appendValue(nil, v.Interface())
	if err != nil {
		panic(fmt.Sprintf("pq: an element of column %s as JSON: %v", c.Name, err))
	}

	b.(*array.ExtensionBuilder).Builder.(*array.StringBuilder).Append(string(text))

	return len(text)
}

func putStruct(b array.Builder, v reflect.Value, columns []Column) (size int) {
	structs := b.(*array.StructBuilder)
	structs.Append(true)

	for i := range columns {
		size += columns[i].put(structs.FieldBuilder(i), v)
	}

	return size
}

// get sets the column's field of a struct to the value that a leaf stands at.
func (c *Column) get(l *leaf, v reflect.Value) error {
	field := v.FieldByIndex(c.index)
	if field.Kind() == reflect.Pointer {
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}

	switch c.Type.ID() {
	case arrow.INT64, arrow.UINT64: // Parquet keeps the bits of both in a signed integer
		n, err := take(l, l.ints)
		if c.Type.ID() == arrow.UINT64 {
			field.SetUint(uint64(n))
		} else {
			field.SetInt(n)
		}

		return err
	case arrow.FLOAT64:
		f, err := take(l, l.floats)
		field.SetFloat(f)

		return err
	case arrow.BOOL:
		is, err := take(l, l.bools)
		field.SetBool(is)

		return err
	}

	text, err := take(l, l.texts)
	if err != nil {
		return err
	}

	return setText(field, text)
}

// jsonText is the type of an element of a JSON column: a text with Parquet's logical type JSON, which
// readers that know it take for the value that it writes.
var jsonText = func() arrow.DataType {
	t, err := extensions.NewJSONType(arrow.BinaryTypes.String)
	if err != nil {
		panic(err)
	}

	return t
}()

// schema returns the Arrow schema of a table.
func schema(columns []Column, meta map[string]string) *arrow.Schema {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.Name, Type: c.Type, Nullable: c.Optional || c.Fields != nil || c.JSON}
	}

	keys := slices.Sorted(maps.Keys(meta))
	values := make([]string, len(keys))
	for i, k := range keys {
		values[i] = meta[k]
	}

	md := arrow.NewMetadata(keys, values)

	return arrow.NewSchema(fields, &md)
}
