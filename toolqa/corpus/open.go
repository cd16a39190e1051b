package corpus

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"toolevo/toolqa"
)

const remedy = "run `toolevo data build` or `toolevo data import`"

// Corpus is the opened corpus of one dataset. It is immutable and safe for concurrent use.
type Corpus struct {
	info   Info
	schema Schema
	path   string
	table  *Table
	coffee []CoffeeDay
}

// Open reads the corpus of a dataset below the data folder dir. The error of a file that is missing (it satisfies
// errors.Is(err, fs.ErrNotExist)), truncated, damaged, of another format version, or no corpus at all, says so and what
// to run.
func Open(ctx context.Context, dir string, ds toolqa.Dataset) (*Corpus, error) {
	schema, err := SchemaOf(ds)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(Path(dir, ds))
	if err != nil {
		return nil, fmt.Errorf("corpus: open %s: %w", ds, err)
	}
	if err := checkFile(path); err != nil {
		return nil, fmt.Errorf("corpus: open %s: %w", path, err)
	}
	c, err := load(ctx, path, schema)
	if err != nil {
		return nil, fmt.Errorf("corpus: open %s: %w", path, err)
	}
	return c, nil
}

// OpenAll opens the corpora of all datasets that are there, in the order of [toolqa.Datasets]. One that is missing is
// left out; any other failure is an error.
func OpenAll(ctx context.Context, dir string) ([]*Corpus, error) {
	var all []*Corpus
	for _, ds := range toolqa.Datasets() {
		c, err := Open(ctx, dir, ds)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// Dataset returns the dataset.
func (c *Corpus) Dataset() toolqa.Dataset { return c.info.Dataset }

// Info returns what the file says about itself.
func (c *Corpus) Info() Info { return c.info }

// Schema returns the names and types of the tables in the file.
func (c *Corpus) Schema() Schema { return c.schema }

// Path returns the path of the SQLite file.
func (c *Corpus) Path() string { return c.path }

// Table returns the table in memory.
func (c *Corpus) Table() *Table { return c.table }

// URI returns the address under which SQLite opens the file read-only and without locks.
func (c *Corpus) URI() string { return dsn(c.path, "mode=ro&immutable=1") }

// CoffeeDay is one row of the coffee corpus. The texts are the cells as the tools print them.
type CoffeeDay struct {
	Date                                               string  // YYYY-MM-DD
	Open, High, Low, Close                             float64 // US cents a pound
	Volume                                             int64   // contracts
	OpenText, HighText, LowText, CloseText, VolumeText string
	Currency                                           string // e.g. "USD"
}

// CoffeeRows returns the days of the coffee corpus, oldest first, in a new slice; nil for another dataset.
func (c *Corpus) CoffeeRows() []CoffeeDay { return slices.Clone(c.coffee) }

// checkFile looks at the header of a SQLite file, whose first 100 bytes say how long it is.
func checkFile(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s", fs.ErrNotExist, remedy)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return err
	}
	var header [100]byte
	if _, err := io.ReadFull(f, header[:]); err != nil || !strings.HasPrefix(string(header[:]), "SQLite format 3\x00") {
		return fmt.Errorf("not a SQLite file: %s", remedy)
	}
	pageSize := int64(binary.BigEndian.Uint16(header[16:]))
	if pageSize == 1 {
		pageSize = 1 << 16
	}
	if want := pageSize * int64(binary.BigEndian.Uint32(header[28:])); stat.Size() < want {
		return fmt.Errorf("truncated: %d bytes of %d: %s", stat.Size(), want, remedy)
	}
	return nil
}

func load(ctx context.Context, path string, schema Schema) (_ *Corpus, err error) {
	c := &Corpus{schema: schema, path: path}
	db, err := sql.Open("sqlite3", c.URI())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if c.info, err = readInfo(ctx, db, schema.Dataset); err != nil {
		return nil, err
	}
	cells, err := readText(ctx, db, schema, c.info)
	if err != nil {
		return nil, err
	}
	c.table = &Table{dataset: schema.Dataset, rows: c.info.Rows, byName: map[string]*Vector{}}
	for i, col := range schema.Columns {
		v := newVector(col.Name, cells[i])
		c.table.columns = append(c.table.columns, v)
		c.table.byName[col.Name] = v
	}
	if schema.Dataset == toolqa.Coffee {
		c.coffee, err = coffeeDays(cells)
	}
	return c, err
}

// readText reads the text table column by column and checks it against the recorded hash.
func readText(ctx context.Context, db *sql.DB, schema Schema, info Info) ([][]string, error) {
	rows, err := db.QueryContext(ctx, fmt.Sprintf("SELECT * FROM %s ORDER BY rowid", schema.TextTable()))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	if !slices.Equal(names, schema.names()) {
		return nil, fmt.Errorf("columns %v; expected %v: %s", names, schema.names(), remedy)
	}
	cells := make([][]string, len(names))
	record := make([]string, len(names))
	slots := make([]any, len(names))
	for i := range record {
		slots[i] = &record[i]
	}
	digest := newContentHash(schema)
	for rows.Next() {
		if err := rows.Scan(slots...); err != nil {
			return nil, err
		}
		for i, text := range record {
			cells[i] = append(cells[i], text)
		}
		digest.add(record)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if n := len(cells[0]); n != info.Rows || digest.sum() != info.ContentSHA256 {
		return nil, fmt.Errorf("damaged: the %d rows are not the %d that were written: %s", n, info.Rows, remedy)
	}
	return cells, nil
}

// coffeeDays types the cells of the coffee table.
func coffeeDays(cells [][]string) ([]CoffeeDay, error) {
	days := make([]CoffeeDay, len(cells[0]))
	for i := range days {
		d := CoffeeDay{
			Date: cells[0][i], OpenText: cells[1][i], HighText: cells[2][i], LowText: cells[3][i], CloseText: cells[4][i],
			VolumeText: cells[5][i], Currency: cells[6][i],
		}
		var errs [5]error
		d.Open, errs[0] = strconv.ParseFloat(d.OpenText, 64)
		d.High, errs[1] = strconv.ParseFloat(d.HighText, 64)
		d.Low, errs[2] = strconv.ParseFloat(d.LowText, 64)
		d.Close, errs[3] = strconv.ParseFloat(d.CloseText, 64)
		d.Volume, errs[4] = strconv.ParseInt(d.VolumeText, 10, 64)
		if err := errors.Join(errs[:]...); err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
		days[i] = d
	}
	return days, nil
}
