package corpus

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolevo/toolqa"
)

// Allowance is what Import accepts that it otherwise refuses.
type Allowance uint8

// AllowShort accepts a file with fewer rows than the published one, down to one row.
const AllowShort Allowance = 1

// Import reads the published file of a dataset and writes it as DIR/corpus/DATASET.sqlite, replacing what was there
// only when all of it was read. The argument from is the published file, or a folder that holds it under its published
// name, with or without "corpus" and the dataset as folders between. The error of a missing, truncated or different
// file says which line, and what was expected there; a file with fewer rows than the published one counts as truncated
// unless allow is [AllowShort]. Tool is recorded as the program that wrote the corpus.
func Import(ctx context.Context, dir string, ds toolqa.Dataset, from, tool string, allow ...Allowance) (Info, error) {
	schema, err := SchemaOf(ds)
	if err != nil {
		return Info{}, err
	}
	path, err := findPublished(schema, from)
	if err != nil {
		return Info{}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return Info{}, fmt.Errorf("corpus: import %s: %w", ds, err)
	}
	defer f.Close()

	digest := sha256.New()
	src, err := newCSVRows(schema, path, io.TeeReader(f, digest))
	if err != nil {
		return Info{}, err
	}
	if slices.Contains(allow, AllowShort) {
		src.least = 1
	}
	info := Info{Dataset: ds, Source: Published, Tool: tool}
	return write(ctx, dir, schema, info, src.next, func() string { return hex.EncodeToString(digest.Sum(nil)) })
}

// findPublished returns the path of the published file that from names.
func findPublished(schema Schema, from string) (string, error) {
	stat, err := os.Stat(from)
	if err != nil {
		return "", fmt.Errorf("corpus: import %s: %w; expected the published %s or a folder that holds it", schema.Dataset, err, schema.File)
	}
	if !stat.IsDir() {
		return from, nil
	}
	ds := string(schema.Dataset)
	for _, parts := range [][]string{{}, {ds}, {"corpus", ds}, {"corpus"}} {
		path := filepath.Join(append(append([]string{from}, parts...), schema.File)...)
		if stat, err := os.Stat(path); err == nil && stat.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", fmt.Errorf("corpus: import %s: no %s in %s, nor in its folders %s and %s", schema.Dataset, schema.File,
		from, ds, filepath.Join("corpus", ds))
}

// csvRows reads the rows of a published CSV file, checking every cell.
type csvRows struct {
	schema Schema
	path   string
	r      *csv.Reader
	prev   []string // the latest value of each Date column
	row    []cell
	least  int // how many rows the file must have
	rows   int // read so far
	line   int // of the latest row, or of the header
}

func newCSVRows(schema Schema, path string, r io.Reader) (*csvRows, error) {
	buf := bufio.NewReaderSize(r, 1<<16)
	if bom, _ := buf.Peek(3); string(bom) == "\xef\xbb\xbf" {
		buf.Discard(3) // cannot fail: the bytes were peeked
	}
	c := &csvRows{
		schema: schema, path: path, r: csv.NewReader(buf),
		prev: make([]string, len(schema.Columns)), row: make([]cell, len(schema.Columns)),
		least: schema.Rows,
	}
	c.r.FieldsPerRecord, c.r.ReuseRecord = -1, true
	want := strings.Join(schema.names(), ",")
	header, err := c.r.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("corpus: %s:1: the file is empty; expected the header %s", path, want)
	}
	if err != nil {
		return nil, fmt.Errorf("corpus: %s: %w; expected the header %s", path, err, want)
	}
	if got := strings.Join(header, ","); got != want {
		return nil, fmt.Errorf("corpus: %s:1: header %q; expected %s", path, got, want)
	}
	c.line, _ = c.r.FieldPos(0)
	return c, nil
}

// next returns the next row, valid until the next call, or io.EOF after the last one.
func (c *csvRows) next() ([]cell, error) {
	record, err := c.r.Read()
	if errors.Is(err, io.EOF) {
		return nil, c.end()
	}
	if err != nil { // a csv.ParseError, which names its line, or a failure to read
		return nil, fmt.Errorf("corpus: %s: %w", c.path, err)
	}
	line, _ := c.r.FieldPos(0)
	if len(record) != len(c.schema.Columns) {
		return nil, fmt.Errorf("corpus: %s:%d: %d columns; expected %d (%s); is the file truncated?", c.path, line,
			len(record), len(c.schema.Columns), strings.Join(c.schema.names(), ","))
	}
	for i, col := range c.schema.Columns {
		if c.row[i], err = parseCell(col.Kind, record[i]); err != nil {
			return nil, fmt.Errorf("corpus: %s:%d: column %s: %w", c.path, line, col.Name, err)
		}
		if col.Kind != Date {
			continue
		}
		if record[i] <= c.prev[i] {
			return nil, fmt.Errorf("corpus: %s:%d: column %s: %q: expected a day after %s, as on the line before",
				c.path, line, col.Name, record[i], c.prev[i])
		}
		c.prev[i] = record[i]
	}
	c.rows, c.line = c.rows+1, line
	return c.row, nil
}

// end returns io.EOF, or an error where the file ends too early: one that is cut between two lines has no other sign.
func (c *csvRows) end() error {
	switch {
	case c.rows == 0:
		return fmt.Errorf("corpus: %s:%d: a header and no rows; expected at least %d; is the file truncated?", c.path, c.line, c.least)
	case c.rows < c.least:
		return fmt.Errorf("corpus: %s:%d: the file ends after %d rows; expected the %d of the published file; is it truncated? "+
			"(--allow-short imports it as it is)", c.path, c.line, c.rows, c.least)
	}
	return io.EOF
}
