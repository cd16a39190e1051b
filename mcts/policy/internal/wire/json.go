package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// Document reads JSON out of a body piece by piece, so that nothing is built that nobody asked for.
// Bytes that are no UTF-8 are an error: encoding/json would put a replacement character there, and
// a model's text would be another.
type Document struct{ dec *json.Decoder }

// NewDocument returns the reader of a body.
func NewDocument(body io.Reader) *Document {
	return &Document{json.NewDecoder(filling{transform.NewReader(body, encoding.UTF8Validator)})}
}

// filling fills what it is given to read into. The decoder looks at all the white space it has again
// whenever it reads more: in small pieces that takes the square of their number.
type filling struct{ r io.Reader }

// Read implements [io.Reader].
func (f filling) Read(p []byte) (int, error) {
	n, err := io.ReadFull(f.r, p)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}

	return n, err
}

// Decode reads the next value.
func (d *Document) Decode(v any) error { return d.dec.Decode(v) }

// mostMembers bounds an object that is read member by member: a dozen are usual.
const mostMembers = 1 << 10

// Object reads an object. member is called with the name of each of its members, and reads the
// value or returns false to have it passed over.
func (d *Document) Object(member func(name string) (bool, error)) error {
	if err := d.expect('{'); err != nil {
		return err
	}

	seen := map[string]bool{}

	for n := 0; d.dec.More(); n++ {
		if n == mostMembers {
			return fmt.Errorf("an object of more than %d members", mostMembers)
		}

		token, err := d.dec.Token()
		if err != nil {
			return err
		}

		name, _ := token.(string)
		if seen[name] {
			return fmt.Errorf("%q stands twice in one object", Shorten(name))
		}

		read, err := member(name)
		if err != nil {
			return err
		}

		if read {
			seen[name] = true
			continue
		}

		var passedOver json.RawMessage
		if err := d.dec.Decode(&passedOver); err != nil {
			return err
		}
	}

	return d.expect('}')
}

// List reads a list of at most so many elements, or a null, which has none. element reads one of
// them.
func (d *Document) List(most int, element func() error) error {
	token, err := d.dec.Token()
	if err != nil || token == nil {
		return err
	}

	if token != json.Delim('[') {
		return errors.New("no list where one belongs")
	}

	for n := 0; d.dec.More(); n++ {
		if n == most {
			return fmt.Errorf("a list of more than %d", most)
		}

		if err := element(); err != nil {
			return err
		}
	}

	return d.expect(']')
}

// ReadList reads the list under a name in a reply that is one object, of at most so many elements.
func ReadList[T any](body io.Reader, name string, most int) (list []T, err error) {
	d := NewDocument(body)

	err = d.Object(func(member string) (bool, error) {
		if member != name {
			return false, nil
		}

		return true, d.List(most, func() error {
			var element T
			err := d.Decode(&element)
			list = append(list, element)

			return err
		})
	})
	if err == nil {
		err = d.End()
	}

	return list, err
}

// End wants nothing but white space up to the end of the body.
func (d *Document) End() error {
	switch _, err := d.dec.Token(); {
	case err == io.EOF:
		return nil
	case err != nil:
		return fmt.Errorf("the reply goes on after its end: %w", err)
	}

	return errors.New("the reply goes on after its end")
}

func (d *Document) expect(want json.Delim) error {
	token, err := d.dec.Token()
	if err == nil && token != want {
		err = fmt.Errorf("no %v where one belongs", want)
	}

	return err
}

// Text is a text in JSON of which nothing was lost. null is the empty text.
type Text string

// UnmarshalJSON implements [json.Unmarshaler]. An escape of half a character is an error.
func (t *Text) UnmarshalJSON(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}

	if hasHalfRune(raw) {
		return errors.New("a text holds half of a surrogate pair")
	}

	*t = Text(text)

	return nil
}

// hasHalfRune reports whether a valid JSON text has an escape of a surrogate that is not one of a
// pair.
func hasHalfRune(raw []byte) bool {
	high := false // the half before is waiting for its other one

	for i := 0; i < len(raw); i++ {
		var half uint64

		if raw[i] == '\\' {
			if i++; raw[i] == 'u' {
				half, _ = strconv.ParseUint(string(raw[i+1:i+5]), 16, 16)
				i += 4
			}
		}

		low := 0xdc00 <= half && half <= 0xdfff
		if high != low {
			return true
		}

		high = 0xd800 <= half && half <= 0xdbff
	}

	return false
}
