package corpus

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs/disk"
	"toolevo/envs/sqlite"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
)

// readInfo reads the meta table and checks that the file is one this package can read.
func readInfo(ctx context.Context, db *sql.DB, ds toolqa.Dataset) (layout.Info, error) {
	meta := map[string]string{}
	var key, value string

	err := each(ctx, db, "SELECT key, value FROM meta", func() error {
		meta[key] = value
		return nil
	}, &key, &value)
	if err != nil {
		return layout.Info{}, fmt.Errorf("not a toolevo corpus: %w", err)
	}

	// Anything but a number counts as format 0, which is refused below.
	format, _ := strconv.Atoi(meta["format"])
	software := strings.TrimPrefix(meta["tool"], "toolevo ")

	if err := disk.CheckFormat("the corpus", software, format, layout.FormatVersion); err != nil {
		return layout.Info{}, fmt.Errorf("%w: %s", err, remedy)
	}

	if got := meta["dataset"]; got != string(ds) {
		return layout.Info{}, fmt.Errorf("the file holds dataset %q; expected %q", got, ds)
	}

	info := layout.Info{
		Dataset: ds, Source: layout.Source(meta["source"]), Tool: meta["tool"],
		SourceSHA256: meta["source_sha256"], ContentSHA256: meta["content_sha256"],
	}
	if info.Rows, err = strconv.Atoi(meta["rows"]); err != nil {
		return layout.Info{}, fmt.Errorf("meta rows: %w", err)
	}

	if info.Skipped, err = strconv.Atoi(meta["skipped"]); err != nil {
		return layout.Info{}, fmt.Errorf("meta skipped: %w", err)
	}

	// A file that says nothing about it is whole.
	if info.Short, err = strconv.ParseBool(cmp.Or(meta["short"], "false")); err != nil {
		return layout.Info{}, fmt.Errorf("meta short: %w", err)
	}

	if info.Seed, err = strconv.ParseUint(meta["seed"], 10, 64); err != nil {
		return layout.Info{}, fmt.Errorf("meta seed: %w", err)
	}
	return info, nil
}

const remedy = "run `toolevo data build` or `toolevo data import`"

// Corpus is the opened corpus of one dataset. It is immutable and safe for concurrent use.
type Corpus struct {
	info     layout.Info
	contents []layout.Content
	schema   layout.Schema
	path     string
	db       *sql.DB  // open, read-only, until Close
	held     *os.File // locked until Close, so that nobody replaces it
	table    *Table
}

// Open opens the corpus of a dataset below the data folder dir, and compares every byte of the file
// with the hashes that were written with it, which takes a second for two gigabytes that are in
// memory. The error of a file that is missing (it satisfies errors.Is(err, fs.ErrNotExist)),
// changed (errors.Is(err, ErrDamaged)), of another format version, or no corpus at all, says so and
// what to run.
func Open(ctx context.Context, dir string, ds toolqa.Dataset) (*Corpus, error) {
	c, err := open(ctx, dir, ds)
	if err != nil {
		return nil, err
	}

	if err := layout.RemoveLeftovers(c.path); err != nil {
		return nil, fmt.Errorf("corpus: open %s: %w", c.path, errors.Join(err, c.Close()))
	}

	if err := layout.CheckBlocks(ctx, c.path); err != nil {
		return nil, fmt.Errorf("corpus: open %s: %w: %s again: the same source or seed gives the same content", c.path,
			errors.Join(err, c.Close()), remedy)
	}
	return c, nil
}

// open is Open without reading all bytes: it checks only what the file says about itself and its
// columns.
func open(ctx context.Context, dir string, ds toolqa.Dataset) (*Corpus, error) {
	if _, err := toolqa.ParseDataset(string(ds)); err != nil {
		return nil, fmt.Errorf("corpus: open: %w", err)
	}

	path, err := filepath.Abs(layout.Path(dir, ds))
	if err != nil {
		return nil, fmt.Errorf("corpus: open %s: %w", ds, err)
	}

	if err := checkFile(path); err != nil {
		return nil, fmt.Errorf("corpus: open %s: %w", path, err)
	}

	// Held before SQLite opens the path, so that it finds the same file each time.
	c := &Corpus{path: path}
	if c.held, err = hold(path); err != nil {
		return nil, fmt.Errorf("corpus: open %s: %w", path, err)
	}

	if c.db, err = sql.Open("sqlite3", c.URI()); err != nil {
		return nil, fmt.Errorf("corpus: open %s: %w", path, errors.Join(err, disk.Release(c.held)))
	}

	if err := c.load(ctx, ds); err != nil {
		if sqlite.IsDamage(err) {
			err = fmt.Errorf("%w: %w: %s", layout.ErrDamaged, err, remedy)
		}
		return nil, fmt.Errorf("corpus: open %s: %w", path, errors.Join(err, c.Close()))
	}
	return c, nil
}

// Close closes the file. What was read of it stays valid; nothing more can be read.
func (c *Corpus) Close() error { return errors.Join(c.db.Close(), disk.Release(c.held)) }

// Dataset returns the dataset.
func (c *Corpus) Dataset() toolqa.Dataset { return c.info.Dataset }

// Info returns what the file says about itself.
func (c *Corpus) Info() layout.Info { return c.info }

// Schema returns the names and types of the typed table. Of a dataset without one it holds only the
// dataset.
func (c *Corpus) Schema() layout.Schema { return c.schema }

// Path returns the path of the SQLite file.
func (c *Corpus) Path() string { return c.path }

// Table returns the dataset's table, or nil when it has none.
func (c *Corpus) Table() *Table { return c.table }

// URI returns the address under which SQLite opens the file read-only and without locks.
func (c *Corpus) URI() string { return sqlite.Address(c.path, "mode=ro&immutable=1") }

// has reports whether the file has a side table.
func (c *Corpus) has(table string) bool {
	return slices.ContainsFunc(c.contents, func(t layout.Content) bool { return t.Table == table })
}

// checkFile compares the size of a file with what its header says.
func checkFile(path string) error {
	header, err := sqlite.ReadHeader(path)

	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %s", fs.ErrNotExist, remedy)
	case errors.Is(err, disk.ErrNot):
		return fmt.Errorf("%w: %s", err, remedy)
	case errors.Is(err, sqlite.ErrNotSQLite), err == nil && header.Size == 0:
		return fmt.Errorf("%w: not a SQLite file: %s", layout.ErrDamaged, remedy)
	case err == nil && header.Size < header.Claims:
		return fmt.Errorf("%w: truncated: %d bytes of %d: %s", layout.ErrDamaged, header.Size, header.Claims, remedy)
	}

	return err
}

// load reads what the file says about itself.
func (c *Corpus) load(ctx context.Context, ds toolqa.Dataset) (err error) {
	if c.info, err = readInfo(ctx, c.db, ds); err != nil {
		return err
	}

	if c.contents, err = readContents(ctx, c.db); err != nil {
		return err
	}

	var names []string
	for _, t := range c.contents {
		names = append(names, t.Table)
	}

	// Methods of Corpus query these tables without looking whether they exist.
	if want := layout.TablesOf(ds); !slices.Equal(names, want) {
		return fmt.Errorf("tables %v; expected %v: %s", names, want, remedy)
	}

	// Questions and runs name the corpus by this hash, so it must be that of these tables.
	if layout.ContentSum(c.contents) != c.info.ContentSHA256 || c.contents[0].Rows != c.info.Rows {
		return fmt.Errorf("%w: the tables are not those that were written: %s", layout.ErrDamaged, remedy)
	}

	// Some datasets, such as DBLP, have no table that the tools show.
	c.schema = layout.Schema{Dataset: ds}
	if schema, err := layout.SchemaOf(ds); err == nil {
		c.schema = schema
		return c.loadTable(ctx)
	}

	return nil
}

// readContents reads what the file says about its tables, in the order of [layout.TablesOf].
func readContents(ctx context.Context, db *sql.DB) (all []layout.Content, err error) {
	var t layout.Content

	err = each(ctx, db, "SELECT name, rows, sha256 FROM contents ORDER BY position", func() error {
		all = append(all, t)
		return nil
	}, &t.Table, &t.Rows, &t.Sum)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, remedy)
	}

	return all, nil
}
