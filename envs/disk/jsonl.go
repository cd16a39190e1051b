package disk

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
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
