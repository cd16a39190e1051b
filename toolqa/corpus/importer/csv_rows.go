package importer

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"toolevo/toolqa/corpus/internal/layout"
)

// csvRows reads the rows of a published CSV file, checking every cell.
type csvRows struct {
	schema   layout.Schema
	src      *source
	path     string
	r        *csvReader
	row      []layout.Cell
	known    []map[string]layout.Cell // cells that were parsed before, by column
	ordered  int                      // the column whose cells increase from row to row, or -1
	previous string                   // its latest cell
	rows     int                      // read so far
	line     int                      // of the latest row, or of the header
}

// How many cells a column remembers, and how long one may be.
const (
	knownCells  = 1 << 14
	knownLength = 64
)

func newCSVRows(schema layout.Schema, src *source, r io.Reader) (*csvRows, error) {
	c := &csvRows{
		schema: schema, src: src, path: src.paths[0], r: newCSVReader(r), row: make([]layout.Cell, len(schema.Columns)),
		known:   make([]map[string]layout.Cell, len(schema.Columns)),
		ordered: slices.Index(schema.Names(), schema.Increasing),
	}
	for i := range c.known {
		c.known[i] = map[string]layout.Cell{}
	}

	want := strings.Join(schema.Names(), ",")

	// A bare io.EOF would look like the end of the rows.
	header, line, err := c.r.read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("corpus: %s:1: the file is empty; expected the header %s", c.path, want)
	}

	if err != nil {
		return nil, fmt.Errorf("corpus: %s: %w; expected the header %s", c.path, err, want)
	}

	names := make([]string, len(header))
	for i, name := range header {
		names[i] = string(name)
	}

	// Rows are parsed by position, so even the order of the columns must be the published one.
	if !slices.Equal(names, schema.Names()) {
		return nil, fmt.Errorf("corpus: %s:%d: header %.1000q; expected %s", c.path, line, strings.Join(names, ","),
			want)
	}

	c.line = line
	return c, nil
}

// next returns the next row, valid until the next call, or io.EOF after the last one.
func (c *csvRows) next() ([]layout.Cell, error) {
	for {
		record, line, err := c.r.read()
		if errors.Is(err, io.EOF) {
			return nil, c.src.checkEnd(c.path, c.rows, c.schema.Rows, c.line)
		}

		// A quote that is not closed is a bad row; any other error of the reader ends the import.
		var open *quoteError
		switch {
		case errors.As(err, &open):
			err = fmt.Errorf("corpus: %s:%d: a quote begins a cell here and is not closed within %d bytes", c.path,
				open.line, maxRecord)
		case err != nil:
			return nil, fmt.Errorf("corpus: %s: %w", c.path, err)
		default:
			if err = c.parse(record, line); err == nil {
				c.rows, c.line = c.rows+1, line
				return c.row, nil
			}
		}

		// A stray quote joins a line with those after it, which may be good: each gets its own try.
		if len(record) != len(c.schema.Columns) || open != nil {
			c.r.rewind()
		}

		if err := c.src.leaveOut(err); err != nil {
			return nil, err
		}
	}
}

// parse fills the row with the cells of a record.
func (c *csvRows) parse(record [][]byte, line int) error {
	if n := len(c.schema.Columns); len(record) != n {
		guess := "is the file truncated?"
		if len(record) > n {
			guess = "are two rows on one line?"
		}
		return fmt.Errorf("corpus: %s:%d: %d columns; expected %d; %s (skip-bad leaves out such rows)",
			c.path, line, len(record), n, guess)
	}

	for i, raw := range record {
		var ok bool
		if c.row[i], ok = c.known[i][string(raw)]; ok {
			continue
		}

		text := string(raw)

		parsed, err := layout.ParseCell(c.schema.Columns[i], text)
		if err != nil {
			return fmt.Errorf("corpus: %s:%d: column %s: %w", c.path, line, c.schema.Columns[i].Name, err)
		}

		// Most columns repeat a few short texts; others must not fill the memory.
		if len(c.known[i]) < knownCells && len(text) <= knownLength {
			c.known[i][text] = parsed
		}

		c.row[i] = parsed
	}

	if c.ordered < 0 {
		return nil
	}

	// Such a column holds dates, YYYY-MM-DD, whose texts sort like the days.
	if text := c.row[c.ordered].Text; text <= c.previous {
		return fmt.Errorf("corpus: %s:%d: column %s: %q: expected more than %s, as in the row before",
			c.path, line, c.schema.Increasing, text, c.previous)
	}

	c.previous = c.row[c.ordered].Text
	return nil
}
