package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxRecord is the largest record of a CSV file, in bytes. It keeps a quote that is never closed
// from swallowing the rest of the file.
const maxRecord = 1 << 20

// csvReader reads the records of CSV text as pandas does: a line may end in any of the three ways,
// lines without text are skipped, a quote inside a cell that does not begin with one is a
// quote, and what follows a closing quote belongs to the cell.
type csvReader struct {
	r       *bufio.Reader
	ended   bool   // all that is left to read is in the buffer of r
	line    int    // of the latest record, from 1
	size    int    // of the latest record with its line end, in bytes: it is the next in r
	lines   int    // the line ends in it
	text    []byte // the latest record and what follows it, up to more than maxRecord bytes
	fields  [][]byte
	scratch []byte
}

// quoteError is a quote that is not closed.
type quoteError struct{ line int }

func (e *quoteError) Error() string {
	return fmt.Sprintf("line %d: a quote begins a cell here and is not closed within %d bytes", e.line, maxRecord)
}

func newCSVReader(r io.Reader) *csvReader {
	return &csvReader{r: bufio.NewReaderSize(r, 2*maxRecord), line: 1}
}

// read returns the fields of the next record, valid until the next call, and the line on which it
// begins. The error is io.EOF at the end, a [quoteError], after which rewind continues at the next
// line, or one of the reader.
func (c *csvReader) read() (fields [][]byte, line int, err error) {
	for {
		// Only now is the latest record discarded: rewind may have left all but its first line.
		c.r.Discard(c.size) // cannot fail: the bytes were peeked
		c.line += c.lines
		c.size, c.lines = 0, 0

		// One byte more than a record may have tells one that is too long from one that just fits.
		// At the end of the file r would move all it has at each record to make room for that much.
		ahead := maxRecord + 1
		if c.ended {
			ahead = c.r.Buffered()
		}

		c.text, err = c.r.Peek(ahead)
		c.ended = c.ended || errors.Is(err, io.EOF)

		if err != nil && !c.ended {
			return nil, c.line, err
		}

		rest := bytes.TrimLeft(c.text, " \t")
		switch {
		case len(rest) == 0 && len(c.text) > maxRecord:
			return nil, c.line, fmt.Errorf("line %d: more than %d spaces", c.line, maxRecord)
		case len(rest) == 0:
			return nil, c.line, io.EOF
		case rest[0] == '\n' || rest[0] == '\r':
			c.rewind()
			continue
		}

		err = c.record()
		return c.fields, c.line, err
	}
}

// rewind makes the next call of read begin on the second line of the latest record.
func (c *csvReader) rewind() { c.size, c.lines = lineEnd(c.text), 1 }

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

// record parses the record at the beginning of the text, which is not empty.
func (c *csvReader) record() error {
	c.fields, c.scratch = c.fields[:0], c.scratch[:0]

	for i := 0; ; i++ {
		var field []byte
		var err error

		// To pandas, a quote inside a cell is text: only one at the beginning opens a quoted cell.
		if i < len(c.text) && c.text[i] == '"' {
			field, i, err = c.quoted(i)
		} else {
			field, i = c.bare(i)
		}

		if err != nil {
			return err
		}

		c.fields = append(c.fields, field)

		switch {
		case i < len(c.text) && c.text[i] == ',':
			continue // i++ steps over the comma
		case i < len(c.text):
			i += lineEnd(c.text[i:])
			c.lines++
		// The text ends because no more of it was read ahead, not because the file does.
		case len(c.text) > maxRecord:
			return fmt.Errorf("line %d: a record of more than %d bytes", c.line, maxRecord)
		}

		c.size = i
		return nil
	}
}

// bare returns the rest of a cell without quotes from byte i on, and the index of what ends it.
func (c *csvReader) bare(i int) (field []byte, end int) {
	for n, x := range c.text[i:] { // a call for each cell would take longer
		if x == ',' || x == '\n' || x == '\r' {
			return c.text[i : i+n : i+n], i + n
		}
	}

	return c.text[i:], len(c.text)
}

// quoted parses a cell that begins with a quote at byte i. It returns the index of what ends it.
func (c *csvReader) quoted(i int) (field []byte, end int, err error) {
	from, line := len(c.scratch), c.line+c.lines

	for i++; ; i++ {
		n := bytes.IndexByte(c.text[i:], '"')
		if n < 0 {
			return nil, 0, &quoteError{line}
		}

		c.scratch = append(c.scratch, c.text[i:i+n+1]...)
		c.lines += countLines(c.text[i : i+n])

		if i += n + 1; i == len(c.text) || c.text[i] != '"' {
			break
		}
	}

	after, end := c.bare(i)
	// Without the quote that closes the cell.
	c.scratch = append(c.scratch[:len(c.scratch)-1], after...)
	return c.scratch[from:len(c.scratch):len(c.scratch)], end, nil
}

func countLines(b []byte) int {
	return bytes.Count(b, []byte("\n")) + bytes.Count(b, []byte("\r")) - bytes.Count(b, []byte("\r\n"))
}
