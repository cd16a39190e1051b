package wire

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Count is a figure that a server reports beside what a model wrote. It is read leniently: 3, 3.0
// and "3" are three, and anything else is unknown.
type Count struct {
	N     int
	Known bool
}

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (c *Count) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}

	text := value.String()
	if value.Kind() == jsontext.KindString {
		err = json.Unmarshal(value, &text)
	}

	*c = Count{}

	if n, parse := strconv.ParseFloat(strings.TrimSpace(text), 64); parse == nil && math.Abs(n) < 1<<62 {
		*c = Count{int(n), true}
	}
	return err
}

// Word is a word of a server's, such as why a completion ended. Of an object it is the member type,
// reason or finish_reason; of anything else it is "".
type Word string

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (w *Word) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}

	*w = ""

	switch value.Kind() {
	case jsontext.KindString:
		return json.Unmarshal(value, (*string)(w))
	case jsontext.KindBeginObject:
		var object map[string]jsontext.Value
		if err := json.Unmarshal(value, &object, jsontext.AllowDuplicateNames(true)); err != nil {
			return err
		}

		for _, name := range []string{"finish_reason", "reason", "type"} {
			if text := object[name]; text.Kind() == jsontext.KindString {
				return json.Unmarshal(text, (*string)(w))
			}
		}
	}

	return nil
}

// Lenient is a value that is zero, with all that it holds, if it cannot be read.
type Lenient[T any] struct{ V T }

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (l *Lenient[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}

	l.V = *new(T)
	if json.Unmarshal(value, &l.V, jsontext.AllowDuplicateNames(true)) != nil {
		l.V = *new(T)
	}
	return nil
}

// Places returns the places of a list's elements among n, by their indices. Without indices, or if
// all are the same, as from a gateway that asked for each by itself, that is their order.
func Places(indices []Count, n int) ([]int, error) {
	places := make([]int, len(indices))
	taken := make([]bool, n)

	inOrder := true
	for i := range indices {
		inOrder = inOrder && indices[i] == indices[0]
	}

	for i, index := range indices {
		place := i
		if index.Known && !(inOrder && len(indices) == n && n > 1) {
			place = index.N
		}

		if place < 0 || place >= n || taken[place] {
			return nil, fmt.Errorf("element %d of %d has an invalid or duplicate index %d", i, n, place)
		}

		places[i], taken[place] = place, true
	}
	return places, nil
}
