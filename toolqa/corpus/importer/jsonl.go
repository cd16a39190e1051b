package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/toolqa/corpus/internal/layout"
)

// maxLine is the longest line of a file with a JSON object a line, in bytes.
const maxLine = 1 << 24

// lineReader reads text line by line.
type lineReader struct {
	r    *bufio.Reader
	line int // of the latest line, from 1
	buf  []byte
}

// errLong is a line that is too long. The next call of read continues after it.
var errLong = fmt.Errorf("a line of more than %d bytes", maxLine)

// read returns the next line that has text, without its end, valid until the next call; io.EOF
// after the last.
func (l *lineReader) read() ([]byte, error) {
	for {
		line, err := l.readAny()
		if err != nil || len(bytes.TrimSpace(line)) > 0 {
			return line, err
		}
	}
}

// readAny returns the next line, with or without text.
func (l *lineReader) readAny() ([]byte, error) {
	l.buf = l.buf[:0]
	long := false

	for {
		piece, err := l.r.ReadSlice('\n')
		if long = long || len(l.buf)+len(piece) > maxLine; !long {
			l.buf = append(l.buf, piece...)
		}

		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		case err != nil && len(l.buf) == 0 && !long:
			return nil, io.EOF
		}
		l.line++

		if long {
			return nil, errLong
		}
		return bytes.TrimRight(l.buf, "\r\n"), nil
	}
}

// object reads the JSON object of the next line, as Python's json.loads does. An error that is
// neither io.EOF nor that of the reader is one of the line, and is a lineError.
func (l *lineReader) object() (envs.Args, error) {
	line, err := l.read()
	switch {
	case errors.Is(err, errLong):
		return nil, badLine("%w", err)
	case err != nil:
		return nil, err
	case !utf8.Valid(line):
		return nil, badLine("not UTF-8")
	}

	v, err := pytext.DecodeStrict(string(line))
	if err != nil {
		return nil, badLine("not JSON: %w", err)
	}

	object, ok := v.(envs.Args)
	if !ok {
		return nil, badLine("a JSON %s; expected an object", pytext.TypeName(v))
	}
	return object, nil
}

// lineError is an error of one line: the next one can be read.
type lineError struct{ error }

func (e lineError) Unwrap() error { return e.error }

func badLine(format string, args ...any) error { return lineError{fmt.Errorf(format, args...)} }

// objects hands the JSON objects of published files, a line each, to use, with the number of the
// line. A line that is broken, or that use returns a [lineError] for, is a bad row; any other error
// ends the reading. Fewer than least objects in all files are an error.
func (s *source) objects(least int, use func(line int, object envs.Args) error, paths ...string) error {
	rows, good := &objectRows{src: s}, 0
	s.before = s.skipped

	for _, rows.path = range paths {
		f, err := s.open(rows.path)
		if err != nil {
			return err
		}

		rows.lines = lineReader{r: newTextReader(f)}
		for ; err == nil; good++ {
			err = rows.next(use)
		}

		good-- // the last call returned no object
		f.Close()

		if !errors.Is(err, io.EOF) {
			return err
		}
	}

	if err := s.checkEnd(rows.path, good, least, max(1, rows.lines.line)); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// objectRows reads objects, leaving out bad ones as far as the source allows.
type objectRows struct {
	src   *source
	path  string
	lines lineReader
}

// next hands the next good object to use, or returns io.EOF.
func (o *objectRows) next(use func(line int, object envs.Args) error) error {
	for {
		object, err := o.lines.object()
		if err == nil {
			err = use(o.lines.line, object)
		}

		if err == nil || errors.Is(err, io.EOF) {
			return err
		}

		wrong := fmt.Errorf("corpus: %s:%d: %w", o.path, max(1, o.lines.line), err)
		if !errors.As(err, new(lineError)) {
			return wrong
		}

		if err := o.src.leaveOut(wrong); err != nil {
			return err
		}
	}
}

// jsonRows reads the rows of a published file with a JSON object a line.
type jsonRows struct {
	objectRows
	schema layout.Schema
	row    []layout.Cell
	rows   int // read so far
}

func newJSONRows(schema layout.Schema, src *source, r *bufio.Reader) *jsonRows {
	lines := objectRows{src, src.paths[0], lineReader{r: r}}
	return &jsonRows{objectRows: lines, schema: schema, row: make([]layout.Cell, len(schema.Columns))}
}

// next returns the next row, valid until the next call, or io.EOF after the last one.
func (j *jsonRows) next() ([]layout.Cell, error) {
	err := j.objectRows.next(j.parse)
	if errors.Is(err, io.EOF) {
		return nil, j.src.checkEnd(j.path, j.rows, j.schema.Rows, max(1, j.lines.line))
	}

	if err != nil {
		return nil, err
	}
	j.rows++
	return j.row, nil
}

// parse fills the row with the members of an object, in any order.
func (j *jsonRows) parse(_ int, object envs.Args) error {
	for _, member := range object {
		if _, ok := j.schema.Column(member.Name); !ok {
			return badLine("unexpected key %q; expected %s", member.Name, strings.Join(j.schema.Names(), ", "))
		}
	}

	for i, col := range j.schema.Columns {
		at := slices.IndexFunc(object, func(a envs.Arg) bool { return a.Name == col.Name })
		var err error

		switch {
		case at >= 0:
			j.row[i], err = jsonCell(col, object[at].Value)
		case col.Optional:
			j.row[i] = layout.MissingCell(col, true)
		default:
			err = errors.New("no such key")
		}

		if err != nil {
			return badLine("key %s: %w", col.Name, err)
		}
	}
	return nil
}

// jsonCell makes a cell of a JSON value.
func jsonCell(col layout.Column, v any) (layout.Cell, error) {
	number, isNumber := v.(envs.Number)
	if v == nil || isNumber && number == "NaN" {
		if !col.Optional {
			return layout.Cell{}, layout.ErrMissing
		}
		return layout.MissingCell(col, true), nil
	}

	text, isText := v.(string)
	switch object, isObject := v.(envs.Args); {
	case col.Kind == layout.Object && isObject:
		return layout.TextCell(pytext.Repr(object)), nil
	case col.Kind == layout.Real && isNumber:
		if f, err := strconv.ParseFloat(string(number), 64); err == nil && !math.IsInf(f, 0) {
			return layout.RealCell(f), nil
		}
	case col.Kind == layout.Integer && isNumber:
		return layout.ParseInteger(string(number))
	case col.Kind == layout.Bool && (v == true || v == false):
		return layout.BoolCell(v == true), nil
	case isText && col.Kind.SQLType() == "TEXT" && col.Kind != layout.Object:
		return layout.ParseText(col.Kind, text)
	}

	return layout.Cell{}, fmt.Errorf("%.100s: expected %s", pytext.Repr(v), expectedJSON(col.Kind))
}

// expectedJSON says what a member of a kind is.
func expectedJSON(kind layout.Kind) string {
	switch kind {
	case layout.Real, layout.Integer:
		return "a number"
	case layout.Bool:
		return "true or false"
	case layout.Object:
		return "an object or null"
	default:
		return "a text"
	}
}
