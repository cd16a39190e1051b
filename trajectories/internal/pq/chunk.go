package pq

import (
	"fmt"
	"reflect"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
)

// chunk gathers the values of a group's rows in one leaf of the schema. It is written as a whole,
// as a column chunk.
type chunk struct {
	def, rep []int16 // definition and repetition levels; empty if each row has one value

	text   []byte // of all texts, one after the other
	ends   []int  // of each text in text
	ints   []int64
	floats []float64
	bools  []bool
}

// level appends the levels of the next value, in a leaf whose values are at a position.
func (c *chunk) level(at position, def, rep int16) {
	if at.def > 0 {
		c.def = append(c.def, def)
	}

	if at.rep > 0 {
		c.rep = append(c.rep, rep)
	}
}

// putText appends a text.
func (c *chunk) putText(text string) {
	c.text = append(c.text, text...)
	c.ends = append(c.ends, len(c.text))
}

// size returns the size of the values in bytes.
func (c *chunk) size() int {
	return len(c.text) + 8*(len(c.ints)+len(c.floats)) + len(c.bools)
}

// write writes the next column of a row group, and empties the chunk.
func (c *chunk) write(group file.SerialRowGroupWriter) error {
	column, err := group.NextColumn()
	if err != nil {
		return err
	}

	switch to := column.(type) {
	case *file.ByteArrayColumnChunkWriter:
		_, err = to.WriteBatch(c.texts(), c.def, c.rep)
	case *file.Int64ColumnChunkWriter:
		_, err = to.WriteBatch(c.ints, c.def, c.rep)
	case *file.Float64ColumnChunkWriter:
		_, err = to.WriteBatch(c.floats, c.def, c.rep)
	case *file.BooleanColumnChunkWriter:
		_, err = to.WriteBatch(c.bools, c.def, c.rep)
	}

	if err != nil {
		return fmt.Errorf("column %s: %w", column.Descr().Path(), err)
	}

	*c = chunk{def: c.def[:0], rep: c.rep[:0], text: c.text[:0], ends: c.ends[:0], ints: c.ints[:0],
		floats: c.floats[:0], bools: c.bools[:0]}
	return column.Close()
}

// texts returns the texts, which are valid until the chunk is emptied.
func (c *chunk) texts() []parquet.ByteArray {
	texts := make([]parquet.ByteArray, len(c.ends))

	begin := 0
	for i, end := range c.ends {
		texts[i] = c.text[begin:end]
		begin = end
	}

	return texts
}

// appender appends values of one or more columns to their chunks; [cursor] is its counterpart.
type appender struct {
	put func(v reflect.Value, rep int16) // appends a value, which begins at a repetition level
	// null appends the lack of a value. The definition level says how much is there of what would
	// hold it.
	null func(def, rep int16)
}

// structs returns the appender of structs with columns at a position.
func (w *Writer[T]) structs(columns []Column, at position) appender {
	fields := make([]appender, len(columns))
	for i := range columns {
		fields[i] = w.column(&columns[i], at)
	}
	return appender{
		put: func(v reflect.Value, rep int16) {
			for _, field := range fields {
				field.put(v, rep)
			}
		},
		null: func(def, rep int16) {
			for _, field := range fields {
				field.null(def, rep)
			}
		},
	}
}

// column returns the appender of a column of the structs at a position. It takes the whole struct.
func (w *Writer[T]) column(c *Column, at position) appender {
	there := at.within(c.Name, 0, 0)
	if c.optional(at) {
		there.def++
	}

	var values appender

	switch c.Kind {
	case List:
		values = w.lists(c, there)
	case Struct:
		values = w.structs(c.Fields, there)
	default:
		values = w.leaf(there, c.putValue)
	}

	return appender{
		put: func(v reflect.Value, rep int16) {
			field := v.FieldByIndex(c.index)
			if c.Optional && isEmpty(field) {
				values.null(at.def, rep)
			} else {
				values.put(reflect.Indirect(field), rep)
			}
		},
		null: values.null,
	}
}

// lists returns the appender of lists at a position. One definition level says that there is an
// element, the next that it is not null.
func (w *Writer[T]) lists(c *Column, at position) appender {
	inside := at.within("list.element", 2, 1)

	var elements appender
	if c.element != nil {
		elements = w.leaf(inside, c.element.putValue)
	} else {
		elements = w.structs(c.Fields, inside)
	}

	return appender{
		put: func(list reflect.Value, rep int16) {
			if list = listOf(list); list.Len() == 0 {
				elements.null(at.def, rep)
			}

			for i := range list.Len() {
				elements.put(list.Index(i), rep)
				rep = inside.rep
			}
		},
		null: elements.null,
	}
}

// leaf adds the chunk of a leaf, and returns its appender.
func (w *Writer[T]) leaf(at position, put func(to *chunk, v reflect.Value)) appender {
	to := &chunk{}
	w.chunks = append(w.chunks, to)
	return appender{
		put: func(v reflect.Value, rep int16) {
			to.level(at, at.def, rep)
			put(to, v)
		},
		null: func(def, rep int16) { to.level(at, def, rep) },
	}
}

// putValue appends a value of a column without fields.
func (c *Column) putValue(to *chunk, v reflect.Value) {
	switch c.Kind {
	case Int:
		to.ints = append(to.ints, v.Int())
	case Uint: // Parquet keeps the bits of both in a signed integer
		to.ints = append(to.ints, int64(v.Uint()))
	case Float:
		to.floats = append(to.floats, v.Float())
	case Bool:
		to.bools = append(to.bools, v.Bool())
	case List: // the program made the element, so it can be written
		text, err := appendValue(nil, v.Interface())
		if err != nil {
			panic(fmt.Sprintf("pq: an element of column %s as JSON: %v", c.Name, err))
		}

		to.putText(string(text))
	default:
		to.putText(textOf(v))
	}
}
