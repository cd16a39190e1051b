package importer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxRecord is the largest record of a CSV file, in bytes. It is what keeps a quote that is never closed from
// swallowing the rest of the file.
const maxRecord = 1 << 20

// csvReader reads the records of CSV text as pandas does: a line may end in any of the three ways, lines
// without text are passed over, a quote inside a cell that does not begin with one is a quote, and what
// follows a closing quote belongs to the cell.
type csvReader struct {
	r          io.Reader
	buf        []byte
	start, end int // of what is in buf and not read: the latest record, until the next call of read, and what follows
	eof        bool
	line       int // at start, from 1

	size    int // of the latest record with its line end, in bytes; it is at start
	lines   int // the line ends in it
	fields  [][]byte
	scratch []byte
}

// quoteError is a quote that is not closed.
type quoteError struct{ line int }

func (e *quoteError) Error() string {
	return fmt.Sprintf("line %d: a quote begins a cell here and is not closed within %d bytes", e.line, maxRecord)
}

// errMore says that the buffer ends before the record does.
var errMore = errors.New("more bytes are needed")

func newCSVReader(r io.Reader) *csvReader {
	return &csvReader{r: r, buf: make([]byte, 2*maxRecord), line: 1}
}

// read returns the fields of the next record, valid until the next call, and the line on which it begins. The error is
// io.EOF at the end, a [quoteError], after which rewind goes on at the next line, or one of the reader.
func (c *csvReader) read() (fields [][]byte, line int, err error) {
	c.start, c.line = c.start+c.size, c.line+c.lines

	c.size, c.lines = 0, 0
	for {
		if err = c.record(); !errors.Is(err, errMore) {
			return c.fields, c.line, err
		}

		if err := c.fill(); err != nil {
			return nil, c.line, err
		}
	}
}

// rewind makes the next call of read begin on the second line of the latest record.
func (c *csvReader) rewind() { c.size, c.lines = lineEnd(c.buf[c.start:c.end]), 1 }

// lineEnd returns the length of the first line with its end.
func lineEnd(b []byte) int {
	i := bytes.IndexAny(b, "\r\n")
	switch {
	case i < 0:
		return len(b)
	case b[i] == '\r' && i+1 < len(b) && b[i+1] == '\n':
		return i + 2
	}

	return i + 1
}

// fill reads more bytes.
func (c *csvReader) fill() error {
	if c.start > 0 {
		copy(c.buf, c.buf[c.start:c.end])
		c.start, c.end = 0, c.end-c.start
	}

	if c.end == len(c.buf) {
		return fmt.Errorf("line %d: a record of more than %d bytes", c.line, maxRecord)
	}

	for {
		n, err := c.r.Read(c.buf[c.end:])

		c.end += n
		if errors.Is(err, io.EOF) {
			c.eof = true
			return nil
		}

		if err != nil || n > 0 {
			return err
		}
	}
}

// record parses the record at start, passing over lines without text.
func (c *csvReader) record() error {
	for {
		line := c.buf[c.start:c.end]

		rest := bytes.TrimLeft(line, " \t")
		switch {
		case len(rest) == 0 && c.eof:
			return io.EOF
		case len(rest) == 0 || rest[0] == '\r' && len(rest) == 1 && !c.eof:
			if len(line) > maxRecord {
				return fmt.Errorf("line %d: more than %d spaces", c.line, maxRecord)
			}

			return errMore
		case rest[0] == '\n' || rest[0] == '\r':
			c.start, c.line = c.start+lineEnd(line), c.line+1
			continue
		}

		c.fields, c.scratch = c.fields[:0], c.scratch[:0]
		c.size, c.lines = 0, 0

		return c.cells()
	}
}

// cells parses the cells of the record at start, which is not empty.
func (c *csvReader) cells() error {
	b := c.buf[c.start:c.end]
	lines := 0

	for i := 0; ; {
		var field []byte

		var err error
		if i < len(b) && b[i] == '"' {
			field, i, lines, err = c.quoted(b, i, lines)
		} else {
			field, i, err = c.bare(b, i)
		}

		if err != nil {
			return err
		}

		c.fields = append(c.fields, field)

		switch {
		case i < len(b) && b[i] == ',':
			i++
			continue
		case i < len(b):
			if b[i] == '\r' && i+1 == len(b) && !c.eof {
				return errMore // a line feed may follow
			}

			i += lineEnd(b[i:])
			lines++
		}

		c.size, c.lines = i, lines

		return nil
	}
}

// bare parses a cell without quotes at b[i]. It returns the index of what ends it.
func (c *csvReader) bare(b []byte, i int) (field []byte, end int, err error) {
	for j, x := range b[i:] {
		if x == ',' || x == '\n' || x == '\r' {
			return b[i : i+j : i+j], i + j, nil
		}
	}

	return b[i:], len(b), c.outOf(b)
}

// outOf returns errMore where the bytes end before the cell does, and nil where the file does.
func (c *csvReader) outOf(b []byte) error {
	switch {
	case len(b) > maxRecord:
		return fmt.Errorf("line %d: a record of more than %d bytes", c.line, maxRecord)
	case !c.eof:
		return errMore
	}

	return nil
}

// quoted parses a cell that begins with a quote at b[i]. It returns the index of what ends it, and lines with the line
// ends in the cell added.
func (c *csvReader) quoted(b []byte, i, lines int) (field []byte, end, _ int, err error) {
	open := &quoteError{c.line + lines}
	from := len(c.scratch)

	for i++; ; {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 && (c.eof || len(b) > maxRecord) {
			return nil, 0, 0, open
		}

		if n < 0 || i+n+1 == len(b) && !c.eof {
			return nil, 0, 0, errMore
		}

		c.scratch = append(c.scratch, b[i:i+n]...)

		lines += countLines(b[i : i+n])
		if i += n + 1; i == len(b) || b[i] != '"' {
			break
		}

		c.scratch = append(c.scratch, '"')
		i++
	}

	after, end, err := c.bare(b, i)
	c.scratch = append(c.scratch, after...)

	return c.scratch[from:len(c.scratch):len(c.scratch)], end, lines, err
}

func countLines(b []byte) int {
	return bytes.Count(b, []byte("\n")) + bytes.Count(b, []byte("\r")) - bytes.Count(b, []byte("\r\n"))
}
