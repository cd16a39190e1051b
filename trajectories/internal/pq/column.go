package pq

import (
	"fmt"
	"maps"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Column is one column of a table of T. Make it with [Text], [OptionalText], [Coded], [Int], [Uint], [Float], [Bool],
// [Struct] or [List].
type Column[T any] struct {
	Name     string
	Doc      string // what it means and its unit; one line
	Type     arrow.DataType
	Optional bool // null stands for the empty value

	repeats bool       // few distinct values: worth a dictionary
	later   bool       // older files may lack it
	omitted bool       // JSON has no key for the empty value
	fields  []Describe // of a struct, or of the structs of a list

	put   func(array.Builder, *T) int                // into a batch; returns the bytes put
	json  func([]byte, *T) ([]byte, error)           // appends the value as JSON
	empty func(*T) bool                              // whether there is nothing; nil where there always is a value
	get   func(*leaf, *T) error                      // the value a leaf stands at; nil for structs and lists
	open  func(*group, position) (*cursor[T], error) // of structs and lists: opens their leaves
}

// listType is what a list of structs is called in a description.
const listType = "list<struct>"

// Describe is a column as it stands in a generated description.
type Describe struct {
	Name, Type, Doc string
	Optional        bool
	Repeats         bool
	Fields          []Describe // of a struct, or of the structs of a list
}

// Describe describes the column.
func (c Column[T]) Describe() Describe {
	typ := c.Type.String()

	switch c.Type.ID() {
	case arrow.LIST:
		typ = listType
	case arrow.STRUCT:
		typ = "struct"
	case arrow.STRING:
		typ = "string"
	}

	return Describe{Name: c.Name, Type: typ, Doc: c.Doc, Optional: c.Optional, Repeats: c.repeats, Fields: c.fields}
}

// Repeating returns the column with a dictionary: its values are few.
func (c Column[T]) Repeating() Column[T] {
	c.repeats = true
	return c
}

// Later returns the column as one that older files lack; of those it reads as the zero value.
func (c Column[T]) Later() Column[T] {
	c.later = true
	return c
}

// Omitted returns the column as one that JSON has no key for where there is nothing.
func (c Column[T]) Omitted() Column[T] {
	c.omitted = true
	return c
}

// Text is a column of UTF-8 text.
func Text[T any](name, doc string, field func(*T) *string) Column[T] {
	return Column[T]{Name: name, Doc: doc, Type: arrow.BinaryTypes.String,
		put: func(b array.Builder, v *T) int {
			s := *field(v)
			b.(*array.StringBuilder).Append(s)
			return len(s)
		},
		json: func(b []byte, v *T) ([]byte, error) { return appendValue(b, *field(v)) },
		get:  func(l *leaf, v *T) error { return take(l, l.texts, field(v)) },
	}
}

// OptionalText is a column of UTF-8 text in which null stands for "".
func OptionalText[T any](name, doc string, field func(*T) *string) Column[T] {
	c := Text(name, doc, field)
	put, json := c.put, c.json
	c.Optional = true
	c.empty = func(v *T) bool { return *field(v) == "" }
	c.put = func(b array.Builder, v *T) int {
		if *field(v) == "" {
			b.AppendNull()
			return 0
		}

		return put(b, v)
	}
	c.json = func(b []byte, v *T) ([]byte, error) {
		if *field(v) == "" {
			return append(b, "null"...), nil
		}

		return json(b, v)
	}

	return c
}

// Coded is a column of text that stands for a value with a name of its own, such as an outcome.
func Coded[T any, V fmt.Stringer](name, doc string, field func(*T) *V, parse func(string) (V, error)) Column[T] {
	return Column[T]{Name: name, Doc: doc, Type: arrow.BinaryTypes.String, repeats: true,
		put: func(b array.Builder, v *T) int {
			s := (*field(v)).String()
			b.(*array.StringBuilder).Append(s)
			return len(s)
		},
		json: func(b []byte, v *T) ([]byte, error) { return appendValue(b, (*field(v)).String()) },
		get: func(l *leaf, v *T) error {
			var s string
			if err := take(l, l.texts, &s); err != nil {
				return err
			}

			parsed, err := parse(s)
			*field(v) = parsed

			return err
		},
	}
}

// Int is a column of 64-bit integers.
func Int[T any](name, doc string, field func(*T) *int) Column[T] {
	return Column[T]{Name: name, Doc: doc, Type: arrow.PrimitiveTypes.Int64,
		put:  func(b array.Builder, v *T) int { b.(*array.Int64Builder).Append(int64(*field(v))); return 8 },
		json: func(b []byte, v *T) ([]byte, error) { return appendValue(b, *field(v)) },
		get: func(l *leaf, v *T) error {
			var n int64
			err := take(l, l.ints, &n)
			*field(v) = int(n)

			return err
		},
	}
}

// Uint is a column of unsigned 64-bit integers.
func Uint[T any](name, doc string, field func(*T) *uint64) Column[T] {
	return Column[T]{Name: name, Doc: doc, Type: arrow.PrimitiveTypes.Uint64,
		put:  func(b array.Builder, v *T) int { b.(*array.Uint64Builder).Append(*field(v)); return 8 },
		json: func(b []byte, v *T) ([]byte, error) { return appendValue(b, *field(v)) },
		get: func(l *leaf, v *T) error {
			var n int64 // Parquet keeps the bits in a signed integer
			err := take(l, l.ints, &n)
			*field(v) = uint64(n)

			return err
		},
	}
}

// Float is a column of 64-bit floats.
func Float[T any](name, doc string, field func(*T) *float64) Column[T] {
	return Column[T]{Name: name, Doc: doc, Type: arrow.PrimitiveTypes.Float64,
		put:  func(b array.Builder, v *T) int { b.(*array.Float64Builder).Append(*field(v)); return 8 },
		json: func(b []byte, v *T) ([]byte, error) { return appendValue(b, *field(v)) },
		get:  func(l *leaf, v *T) error { return take(l, l.floats, field(v)) },
	}
}

// Bool is a column of booleans.
func Bool[T any](name, doc string, field func(*T) *bool) Column[T] {
	return Column[T]{Name: name, Doc: doc, Type: arrow.FixedWidthTypes.Boolean,
		put:  func(b array.Builder, v *T) int { b.(*array.BooleanBuilder).Append(*field(v)); return 1 },
		json: func(b []byte, v *T) ([]byte, error) { return appendValue(b, *field(v)) },
		get:  func(l *leaf, v *T) error { return take(l, l.bools, field(v)) },
	}
}

// Struct is a column of structs E.
func Struct[T, E any](name, doc string, field func(*T) *E, elem []Column[E]) Column[T] {
	return Column[T]{Name: name, Doc: doc, Type: structOf(elem), fields: describe(elem),
		put:  func(b array.Builder, v *T) int { return putStruct(b, field(v), elem) },
		json: func(b []byte, v *T) ([]byte, error) { return AppendJSON(b, field(v), elem) },
		open: func(g *group, at position) (*cursor[T], error) {
			fields, err := openStruct(g, at.within(name, 1, 0), elem)
			return within(fields, field), err
		},
	}
}

// List is a column of lists of structs E. A nil slice is an empty list, and an empty list reads back as nil.
func List[T, E any](name, doc string, field func(*T) *[]E, elem []Column[E]) Column[T] {
	return Column[T]{Name: name, Doc: doc, Type: arrow.ListOf(structOf(elem)), fields: describe(elem),
		put: func(b array.Builder, v *T) int {
			list := b.(*array.ListBuilder)
			list.Append(true)

			n := 0
			for j := range *field(v) {
				n += putStruct(list.ValueBuilder(), &(*field(v))[j], elem)
			}

			return n
		},
		json: func(b []byte, v *T) ([]byte, error) {
			var err error

			b = append(b, '[')

			for i := range *field(v) {
				if i > 0 {
					b = append(b, ',')
				}

				if b, err = AppendJSON(b, &(*field(v))[i], elem); err != nil {
					return nil, err
				}
			}

			return append(b, ']'), nil
		},
		empty: func(v *T) bool { return len(*field(v)) == 0 },
		open: func(g *group, at position) (*cursor[T], error) {
			items, err := openList(g, at.within(name, 0, 0), elem)
			return within(items, field), err
		},
	}
}

func structOf[E any](elem []Column[E]) arrow.DataType {
	fields := make([]arrow.Field, len(elem))
	for i, c := range elem {
		fields[i] = arrow.Field{Name: c.Name, Type: c.Type, Nullable: true}
	}

	return arrow.StructOf(fields...)
}

func describe[E any](elem []Column[E]) []Describe {
	described := make([]Describe, len(elem))
	for i, c := range elem {
		described[i] = c.Describe()
	}

	return described
}

func putStruct[E any](b array.Builder, v *E, elem []Column[E]) (n int) {
	structs := b.(*array.StructBuilder)
	structs.Append(true)

	for i, c := range elem {
		n += c.put(structs.FieldBuilder(i), v)
	}

	return n
}

// Within returns a column of a struct as a column of the struct that holds it.
func Within[T, U any](c Column[U], field func(*T) *U) Column[T] {
	out := Column[T]{
		Name: c.Name, Doc: c.Doc, Type: c.Type, Optional: c.Optional,
		repeats: c.repeats, later: c.later, omitted: c.omitted, fields: c.fields,
		put:  func(b array.Builder, v *T) int { return c.put(b, field(v)) },
		json: func(b []byte, v *T) ([]byte, error) { return c.json(b, field(v)) },
	}
	if c.empty != nil {
		out.empty = func(v *T) bool { return c.empty(field(v)) }
	}

	if c.get != nil {
		out.get = func(l *leaf, v *T) error { return c.get(l, field(v)) }
	}

	if c.open != nil {
		out.open = func(g *group, at position) (*cursor[T], error) {
			values, err := c.open(g, at)
			return within(values, field), err
		}
	}

	return out
}

// schema returns the Arrow schema of a table.
func schema[T any](cols []Column[T], meta map[string]string) *arrow.Schema {
	fields := make([]arrow.Field, len(cols))
	for i, c := range cols {
		fields[i] = arrow.Field{Name: c.Name, Type: c.Type, Nullable: c.Optional || c.fields != nil}
	}

	keys := slices.Sorted(maps.Keys(meta))
	values := make([]string, len(keys))
	for i, k := range keys {
		values[i] = meta[k]
	}

	md := arrow.NewMetadata(keys, values)

	return arrow.NewSchema(fields, &md)
}
