package wire

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Document reads JSON out of a body piece by piece, so that nothing is built that nobody asked for. Bytes that are no
// UTF-8, escapes of half a character, and members that stand twice in an object are errors: encoding/json would put a
// replacement character there, or choose one, and a model's text would be another.
type Document struct{ dec *jsontext.Decoder }

// NewDocument returns the reader of a body.
func NewDocument(body io.Reader) *Document { return &Document{jsontext.NewDecoder(body)} }

// Decode reads the next value.
func (d *Document) Decode(v any) error { return json.UnmarshalDecode(d.dec, v) }

// Only reads a document that is one value, and nothing behind it.
func (d *Document) Only(v any) error {
	if err := d.Decode(v); err != nil {
		return err
	}

	return d.End()
}

// End wants nothing but white space up to the end of the body.
func (d *Document) End() error {
	switch _, err := d.dec.ReadToken(); {
	case err == io.EOF:
		return nil
	case err != nil:
		return fmt.Errorf("the reply goes on after its end: %w", err)
	}

	return errors.New("the reply goes on after its end")
}

// List is a list of at most Most elements. null is an empty one.
type List[T any] struct {
	Most int
	All  []T
}

// UnmarshalJSONFrom implements [json.UnmarshalerFrom]. A list of more elements is an error, and not read to its end.
func (l *List[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	return ReadList(dec, func() error {
		if len(l.All) == l.Most {
			return fmt.Errorf("a list of more than %d", l.Most)
		}

		l.All = append(l.All, *new(T))

		return json.UnmarshalDecode(dec, &l.All[len(l.All)-1])
	})
}

// ReadList reads a list, or a null, which has no elements. element reads one of them.
func ReadList(dec *jsontext.Decoder, element func() error) error {
	token, err := dec.ReadToken()
	if err != nil || token.Kind() == jsontext.KindNull {
		return err
	}

	if token.Kind() != jsontext.KindBeginArray {
		return errors.New("no list where one belongs")
	}

	for dec.PeekKind() != jsontext.KindEndArray {
		if err := element(); err != nil {
			return err
		}
	}

	_, err = dec.ReadToken()

	return err
}
