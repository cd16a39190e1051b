package pq

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// AppendJSON appends a value as a JSON object: its keys are the columns, in their order, and null is what the file has
// null for. Columns that are [Column.Omitted] have no key where there is nothing.
func AppendJSON[T any](b []byte, v *T, cols []Column[T]) ([]byte, error) {
	var err error

	b = append(b, '{')

	first := true

	for _, c := range cols {
		if c.omitted && c.empty(v) {
			continue
		}

		if !first {
			b = append(b, ',')
		}

		first = false

		b = append(strconv.AppendQuote(b, c.Name), ':')
		if b, err = c.json(b, v); err != nil {
			return nil, fmt.Errorf("pq: column %s as JSON: %w", c.Name, err)
		}
	}

	return append(b, '}'), nil
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
