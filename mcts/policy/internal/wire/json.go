package wire

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Document reads JSON out of a body piece by piece, so that it builds only what is asked for. Bytes
// that are not UTF-8 and escapes of half a character are errors: encoding/json would put a
// replacement character there, and change a model's text.
type Document struct{ dec *jsontext.Decoder }

// NewDocument returns the reader of a body, which may begin with a byte-order mark. Only
// [Document.Object] looks for members that occur twice: the decoder would remember all names.
func NewDocument(body io.Reader) *Document {
	r := bufio.NewReader(body)
	if mark, _ := r.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		_, _ = r.Discard(len(mark))
	}
	return &Document{jsontext.NewDecoder(gatherer{r}, jsontext.AllowDuplicateNames(true))}
}

// byteOrderMark is how some servers begin a text.
const byteOrderMark = "\uFEFF"

// gatherer joins small pieces before they are decoded: for each one the decoder moves all that it
// has of a value.
type gatherer struct{ *bufio.Reader }

// Read implements [io.Reader].
func (g gatherer) Read(p []byte) (int, error) {
	g.Peek(min(len(p), g.Size())) // Read returns its error
	return g.Reader.Read(p)
}

// Decode reads the next value.
func (d *Document) Decode(v any) error { return json.UnmarshalDecode(d.dec, v) }

// mostMembers bounds an object that is read member by member: a dozen are usual.
const mostMembers = 1 << 10

// Object reads a document that is a single object: each member into its place; others are skipped.
func (d *Document) Object(places map[string]any) error {
	if token, err := d.dec.ReadToken(); err != nil || token.Kind() != jsontext.KindBeginObject {
		return cmp.Or(err, errors.New("no object where one belongs"))
	}

	// Bounded, because a body within its limit could still hold millions of tiny members.
	seen := map[string]bool{}

	for n := 0; d.dec.PeekKind() == jsontext.KindString; n++ {
		if n == mostMembers {
			return fmt.Errorf("an object of more than %d members", mostMembers)
		}

		token, err := d.dec.ReadToken()
		if err != nil {
			return err
		}

		name := token.String()
		place, wanted := places[name]

		// Which of two the server meant is not known, and readers differ in which they take.
		switch {
		case seen[name]:
			return fmt.Errorf("%q occurs twice in one object", Shorten(name))
		case wanted:
			// Other names are not remembered, so that they cost no memory.
			seen[name] = true
			err = d.Decode(place)
		default:
			err = d.dec.SkipValue()
		}

		if err != nil {
			return err
		}
	}

	if _, err := d.dec.ReadToken(); err != nil {
		return err
	}
	return d.End()
}

// End returns an error if anything but white space follows.
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

// UnmarshalJSONFrom implements [json.UnmarshalerFrom]. A list of more elements is an error, and not
// read to its end.
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
