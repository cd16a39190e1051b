package disk

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

// NewLineEncoder returns an encoder of one JSON value a line, which does not escape <, > and &.
func NewLineEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

// DecodeLine decodes a line of one value without unknown keys.
func DecodeLine(line []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()

	if err := d.Decode(v); err != nil {
		return err
	}

	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one value on the line")
	}
	return nil
}

// Lines streams the lines of a file, which may have any length. Each is valid until the next one. A
// line that [OpenJSON] refuses is an error.
func Lines(path string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f, err := OpenJSON(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()

		in := bufio.NewReaderSize(f, 1<<16)
		for {
			line, err := in.ReadBytes('\n')
			if len(line) > 0 && !yield(line, nil) {
				return
			}

			if err == io.EOF {
				return
			}

			if err != nil {
				yield(nil, fmt.Errorf("read %s: %w", path, err))
				return
			}
		}
	}
}

// Values streams the JSON values of a text: the elements of a list, or one after another. A text
// that breaks off, goes on after its list or cannot be read is an error, which comes last.
func Values[T any](r io.Reader) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		in := bufio.NewReader(r)

		first, err := in.ReadByte()
		for err == nil && strings.IndexByte(" \t\r\n", first) >= 0 {
			first, err = in.ReadByte()
		}

		_ = in.UnreadByte() // it is the decoder's, too
		d := json.NewDecoder(in)

		isList := err == nil && first == '['
		if isList {
			_, err = d.Token()
		}

		for err == nil && d.More() {
			var v T
			if err = d.Decode(&v); err == nil && !yield(v, nil) {
				return
			}
		}

		// There is no more where the text breaks off or reading fails, either.
		if err == nil {
			_, err = d.Token()
		}

		switch {
		case isList && err == io.EOF:
			err = io.ErrUnexpectedEOF
		case isList && err == nil:
			if _, err = d.Token(); err == nil {
				err = errors.New("there is more text after the list")
			}
		}

		if err != nil && err != io.EOF {
			var none T
			yield(none, err)
		}
	}
}
