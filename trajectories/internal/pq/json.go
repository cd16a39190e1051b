package pq

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
)

// AppendJSON appends a struct as a JSON object: its keys are the columns, in their order, and it
// has null where the file does. Omitted columns have no key if they are empty. Big numbers are
// strings.
func AppendJSON[T any](b []byte, v *T, columns []Column) ([]byte, error) {
	return appendStruct(b, reflect.ValueOf(v).Elem(), columns)
}

func appendStruct(b []byte, v reflect.Value, columns []Column) ([]byte, error) {
	var err error

	start := len(b)

	for i := range columns {
		c := &columns[i]

		field := v.FieldByIndex(c.index)
		if c.Omitted && isEmpty(field) {
			continue
		}

		b = append(strconv.AppendQuote(append(b, ','), c.Name), ':')
		if b, err = c.appendJSON(b, field); err != nil {
			return nil, fmt.Errorf("pq: column %s as JSON: %w", c.Name, err)
		}
	}

	if len(b) == start {
		return append(b, "{}"...), nil
	}

	b[start] = '{'
	return append(b, '}'), nil
}

func (c *Column) appendJSON(b []byte, field reflect.Value) (_ []byte, err error) {
	switch {
	case c.Optional && isEmpty(field):
		return append(b, "null"...), nil
	case c.Big:
		return appendValue(b, fmt.Sprint(field.Interface()))
	case c.Kind == Struct:
		return appendStruct(b, field, c.Fields)
	case field.Kind() == reflect.String: // the text of the column, whatever JSON its type writes
		return appendValue(b, field.String())
	case c.Kind != List:
		return appendValue(b, field.Interface())
	}

	b, field = append(b, '['), listOf(field)

	for i := range field.Len() {
		if i > 0 {
			b = append(b, ',')
		}

		if b, err = c.appendElement(b, field.Index(i)); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

func (c *Column) appendElement(b []byte, v reflect.Value) ([]byte, error) {
	if c.element != nil {
		return appendValue(b, v.Interface())
	}
	return appendStruct(b, v, c.Fields)
}

// appendValue appends a text, a number or a truth value, with <, > and & as they are.
func appendValue(b []byte, v any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)

	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return append(b, bytes.TrimRight(text.Bytes(), "\n")...), nil
}
