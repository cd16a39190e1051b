package corpus

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"
)

// write makes the corpus file of a dataset from the rows that next yields until io.EOF. It builds the file under a
// temporary name in the same folder and renames it at the end, so that a failure leaves what was there before.
// SourceSum, if not nil, is called after the last row for the hash of the source; otherwise the source is the content.
func write(ctx context.Context, dir string, schema Schema, info Info, next func() ([]cell, error), sourceSum func() string) (Info, error) {
	path := Path(dir, schema.Dataset)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return Info{}, fmt.Errorf("corpus: %w", err)
	}
	if err := RemoveLeftovers(filepath.Dir(path), "."+filepath.Base(path)+".", ""); err != nil {
		return Info{}, fmt.Errorf("corpus: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return Info{}, fmt.Errorf("corpus: %w", err)
	}
	tmp.Close()
	defer os.Remove(tmp.Name()) // after the rename there is nothing to remove

	info, err = fill(ctx, tmp.Name(), schema, info, next, sourceSum)
	if err != nil {
		return Info{}, err
	}
	if err := publish(tmp.Name(), path); err != nil {
		return Info{}, fmt.Errorf("corpus: write %s: %w", path, err)
	}
	return info, nil
}

// fill writes all tables into the empty file at path.
func fill(ctx context.Context, path string, schema Schema, info Info, next func() ([]cell, error), sourceSum func() string) (_ Info, err error) {
	// No journal: the file is under a temporary name until it is whole.
	db, err := sql.Open("sqlite3", dsn(path, "mode=rw&_journal_mode=OFF&_synchronous=OFF"))
	if err != nil {
		return Info{}, fmt.Errorf("corpus: create %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return Info{}, fmt.Errorf("corpus: create %s: %w", path, err)
	}
	defer tx.Rollback() // after the commit this does nothing

	for _, stmt := range createTables(schema) {
		if _, err := tx.ExecContext(ctx, stmt); err != nil {
			return Info{}, fmt.Errorf("corpus: %s: %w", stmt, err)
		}
	}
	digest := newContentHash(schema)
	if info.Rows, err = copyRows(ctx, tx, schema, next, digest); err != nil {
		return Info{}, err
	}
	info.ContentSHA256 = digest.sum()
	info.SourceSHA256 = info.ContentSHA256
	if sourceSum != nil {
		info.SourceSHA256 = sourceSum()
	}
	for _, pair := range info.pairs() {
		if _, err := tx.ExecContext(ctx, "INSERT INTO meta VALUES (?, ?)", pair[0], pair[1]); err != nil {
			return Info{}, fmt.Errorf("corpus: write meta %s: %w", pair[0], err)
		}
	}
	if err := tx.Commit(); err != nil {
		return Info{}, fmt.Errorf("corpus: commit %s: %w", path, err)
	}
	return info, nil
}

func createTables(schema Schema) []string {
	typed := make([]string, len(schema.Columns))
	text := make([]string, len(schema.Columns))
	for i, c := range schema.Columns {
		typed[i] = fmt.Sprintf("%q %s NOT NULL", c.Name, c.Kind.sqlType())
		text[i] = fmt.Sprintf("%q TEXT NOT NULL", c.Name)
	}
	return []string{
		"CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
		fmt.Sprintf("CREATE TABLE %s (%s)", schema.Table, strings.Join(typed, ", ")),
		fmt.Sprintf("CREATE TABLE %s (%s)", schema.TextTable(), strings.Join(text, ", ")),
	}
}

// copyRows inserts every row into both tables and returns how many there were.
func copyRows(ctx context.Context, tx *sql.Tx, schema Schema, next func() ([]cell, error), digest *contentHash) (int, error) {
	slots := "(?" + strings.Repeat(", ?", len(schema.Columns)-1) + ")"
	typed, err := tx.PrepareContext(ctx, "INSERT INTO "+schema.Table+" VALUES "+slots)
	if err != nil {
		return 0, fmt.Errorf("corpus: %w", err)
	}
	defer typed.Close()
	text, err := tx.PrepareContext(ctx, "INSERT INTO "+schema.TextTable()+" VALUES "+slots)
	if err != nil {
		return 0, fmt.Errorf("corpus: %w", err)
	}
	defer text.Close()

	values, texts := make([]any, len(schema.Columns)), make([]any, len(schema.Columns))
	record := make([]string, len(schema.Columns))
	for n := 0; ; n++ {
		row, err := next()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
		for i, c := range row {
			values[i], texts[i], record[i] = c.value, c.text, c.text
		}
		if _, err := typed.ExecContext(ctx, values...); err != nil {
			return 0, fmt.Errorf("corpus: insert row %d of %s: %w", n+1, schema.Table, err)
		}
		if _, err := text.ExecContext(ctx, texts...); err != nil {
			return 0, fmt.Errorf("corpus: insert row %d of %s: %w", n+1, schema.TextTable(), err)
		}
		digest.add(record)
	}
}

// publish makes the file at tmp durable, read-only, and visible at path.
func publish(tmp, path string) error {
	if err := os.Chmod(tmp, 0o444); err != nil {
		return err
	}
	if err := syncPath(tmp); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	return syncPath(filepath.Dir(path))
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// dsn returns the SQLite URI of the file at path; query holds its parameters.
func dsn(path, query string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + query
}

// contentHash is the hash of a table's rows as CSV text with a header.
type contentHash struct {
	h hash.Hash
	w *csv.Writer
}

func newContentHash(schema Schema) *contentHash {
	h := sha256.New()
	c := &contentHash{h, csv.NewWriter(h)}
	c.add(schema.names())
	return c
}

func (c *contentHash) add(record []string) { c.w.Write(record) } // a hash never fails to write

func (c *contentHash) sum() string {
	c.w.Flush()
	return hex.EncodeToString(c.h.Sum(nil))
}
