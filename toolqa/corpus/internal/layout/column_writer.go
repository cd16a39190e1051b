package layout

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// columnWriter encodes the rows of a table as columns of dictionary codes. The dictionaries are in
// memory. The codes, in the order in which words were first met, are spilled to a temporary file,
// from which they are read column by column when all words are known and sorted.
type columnWriter struct {
	columns []*dictionary // the columns as the tools print them, in order; then those that are stored otherwise
	printed int           // how many are as the tools print them
	stored  []int         // for each of the others, its position in a row
	// for each position in a row, the dictionary whose words are hashed: of the cells as published
	hashed []int
	digest *CSVHash
	spill  *os.File
	offset int64
	rows   int
	buf    []byte
}

// chunkRows is how many codes of a column are spilled at a time.
const chunkRows = 1 << 15

// dictionary is the words of one column, numbered as they came.
type dictionary struct {
	name   string
	codes  map[string]uint32
	words  []string
	csv    []string // the words as CSV fields
	last   uint32   // the code of the latest cell
	recent []uint32 // codes that are not spilled yet
	chunks []chunk
}

// chunk is a run of spilled codes.
type chunk struct {
	offset int64
	rows   int
	width  int // of a code, in bytes
}

func newColumnWriter(schema Schema, folder string) (*columnWriter, error) {
	spill, err := os.CreateTemp(folder, "."+string(schema.Dataset)+".sqlite.*")
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}

	if err := os.Remove(spill.Name()); err != nil { // the open file lives on, and nobody else's
		return nil, errors.Join(fmt.Errorf("corpus: %w", err), spill.Close())
	}

	c := &columnWriter{spill: spill, digest: NewCSVHash(schema.Names()), printed: len(schema.Columns)}
	for i, col := range schema.Columns {
		c.columns = append(c.columns, newDictionary(col.Name))
		c.hashed = append(c.hashed, i)
	}

	for i, col := range schema.Columns {
		if col.Kind == Clock {
			c.hashed[i] = len(c.columns)
			c.columns = append(c.columns, newDictionary(col.Name))
			c.stored = append(c.stored, i)
		}
	}

	return c, nil
}

func newDictionary(name string) *dictionary {
	return &dictionary{name: name, codes: map[string]uint32{}, recent: make([]uint32, 0, chunkRows)}
}

func (c *columnWriter) close() { c.spill.Close() } // nothing that was written to it is needed

// add encodes and hashes a row.
func (c *columnWriter) add(row []Cell) error {
	for i := range row {
		c.columns[i].add(row[i].Text)
	}

	for i, position := range c.stored {
		c.columns[c.printed+i].add(row[position].Stored)
	}

	for i, column := range c.hashed {
		d := c.columns[column]
		c.digest.Field(i, d.csv[d.last])
	}

	c.digest.EndRecord()

	c.rows++
	if c.rows%chunkRows == 0 {
		return c.spillAll()
	}
	return nil
}

// add encodes a cell.
func (d *dictionary) add(text string) {
	// Many columns repeat the cell of the row before.
	if len(d.words) == 0 || d.words[d.last] != text {
		code, ok := d.codes[text]
		if !ok {
			code = uint32(len(d.words))
			text = strings.Clone(text) // it may be part of something larger
			d.codes[text] = code
			d.words, d.csv = append(d.words, text), append(d.csv, EncodeCSV(text))
		}

		d.last = code
	}

	d.recent = append(d.recent, d.last)
}

// spillAll writes the recent codes of all columns to the temporary file.
func (c *columnWriter) spillAll() error {
	for _, d := range c.columns {
		width := CodeWidth(len(d.words))

		c.buf = c.buf[:0]
		for _, code := range d.recent {
			c.buf = AppendCode(c.buf, code, width)
		}

		if _, err := c.spill.WriteAt(c.buf, c.offset); err != nil {
			return fmt.Errorf("corpus: spill column %s: %w", d.name, err)
		}

		d.chunks = append(d.chunks, chunk{c.offset, len(d.recent), width})
		c.offset += int64(len(c.buf))
		d.recent = d.recent[:0]
	}
	return nil
}

// writeColumns sorts the words of one column after the other, and writes its row of the cells
// table.
func (w *writer) writeColumns(ctx context.Context) error {
	// The rows after the last full chunk are still in memory.
	c := w.columns
	if err := c.spillAll(); err != nil {
		return err
	}

	// One after the other, each let go when it is written: only one column's codes are in memory.
	for i, d := range c.columns {
		words, codes, width, err := c.encode(d)
		if err != nil {
			return err
		}

		// The columns as published follow those as the tools print them.
		stored := int64(0)
		if i >= c.printed {
			stored = 1
		}

		err = w.db.exec(ctx, "INSERT INTO cells (position, name, stored, words, codes, width) "+
			"VALUES (?, ?, ?, ?, ?, ?)", int64(i+1), d.name, stored, words, codes, int64(width))
		if err != nil {
			return fmt.Errorf("corpus: write column %s: %w", d.name, err)
		}

		if err := w.disk.advance(); err != nil {
			return fmt.Errorf("corpus: write column %s: %w", d.name, err)
		}

		c.columns[i] = nil // and its memory
		w.meter.columns(i+1, len(c.columns))
	}
	return nil
}

// encode returns the sorted words of a column, and the codes of all rows.
func (c *columnWriter) encode(d *dictionary) (words, codes []byte, width int, err error) {
	// No row is added any more, and the memory is needed for the codes.
	d.codes, d.csv = nil, nil

	order := make([]uint32, len(d.words)) // the codes as they came, in the order of their words
	for i := range order {
		order[i] = uint32(i)
	}

	// Sorted, so that a Table can compare strings by their codes.
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(d.words[a], d.words[b]) })

	final := make([]uint32, len(order))
	for i, code := range order {
		final[code] = uint32(i)
		words = binary.AppendUvarint(words, uint64(len(d.words[code])))
		words = append(words, d.words[code]...)
	}

	width = CodeWidth(len(d.words))

	codes = make([]byte, 0, c.rows*width)
	for _, chunk := range d.chunks {
		// A chunk has the width of the words that were known when it was spilled.
		buf := slices.Grow(c.buf[:0], chunk.rows*chunk.width)[:chunk.rows*chunk.width]
		if _, err := c.spill.ReadAt(buf, chunk.offset); err != nil {
			return nil, nil, 0, fmt.Errorf("corpus: read back column %s: %w", d.name, err)
		}

		for i := range chunk.rows {
			codes = AppendCode(codes, final[codeAt(buf, i, chunk.width)], width)
		}

		c.buf = buf
	}
	return words, codes, width, nil
}

// codeAt returns code i of codes that have width bytes each.
func codeAt(codes []byte, i, width int) uint32 {
	switch width {
	case 1:
		return uint32(codes[i])
	case 2:
		return uint32(binary.LittleEndian.Uint16(codes[2*i:]))
	default:
		return binary.LittleEndian.Uint32(codes[4*i:])
	}
}
