package corpus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"syscall"

	"github.com/mattn/go-sqlite3"

	"toolevo/envs/durable"
	"toolevo/toolqa"
)

// input is where the rows of a corpus come from.
type input struct {
	next     func() ([]cell, error) // the rows of the typed table, and then io.EOF; nil for a dataset without
	expected int                    // of a synthetic corpus: about how many rows all tables will have
	source   *source                // of a published one
	progress func(done, total int)  // may be nil
}

// write makes the corpus file of a dataset: the typed table of the rows of in, if it has some, and the side tables that
// the parts fill, one part after the other. It builds the file under a temporary name in the same folder and renames it
// at the end, so that a failure leaves what was there before. It returns info with all that the file says of itself.
func write(ctx context.Context, dir string, info Info, in input, parts ...part) (Info, error) {
	path := Path(dir, info.Dataset)

	folder, name := filepath.Split(path)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return Info{}, fmt.Errorf("corpus: %w", err)
	}

	if err := removeLeftovers(path); err != nil {
		return Info{}, fmt.Errorf("corpus: %w", err)
	}

	tmp, err := CreateTemp(folder, "."+name+".*")
	if err != nil {
		return Info{}, fmt.Errorf("corpus: %w", err)
	}
	defer os.Remove(tmp.Name()) // after the rename there is nothing to remove
	defer tmp.Close()

	m := newMeter(in)
	if info, err = fill(ctx, tmp, info, in, m, parts); err != nil {
		return Info{}, diskError(path, err)
	}

	m.filled()

	if err := appendHashes(ctx, tmp); err != nil {
		return Info{}, fmt.Errorf("corpus: write %s: %w", path, err)
	}

	if in.source != nil {
		if err := in.source.unchanged(); err != nil {
			return Info{}, err
		}
	}

	if err := ctx.Err(); err != nil { // short statements do not look at it
		return Info{}, fmt.Errorf("corpus: write %s: %w", path, err)
	}

	if err := publish(tmp, path); err != nil {
		return Info{}, fmt.Errorf("corpus: write %s: %w", path, err)
	}

	m.end()

	return info, nil
}

// removeLeftovers removes what killed programs left of the corpus file at path, which may be gigabytes.
func removeLeftovers(path string) error {
	folder, name := filepath.Split(path)
	return RemoveLeftovers(folder, "."+name+".", "")
}

// diskError turns what SQLite says of a full or failing disk into what the system says, and returns other errors as
// they are. SQLite does not tell whether the corpus or its temporary files did not fit.
func diskError(path string, err error) error {
	var failed sqlite3.Error
	if !errors.As(err, &failed) {
		return err
	}

	switch failed.Code {
	case sqlite3.ErrFull:
		return fmt.Errorf("corpus: %w: free some there, or in SQLite's temporary folder (SQLITE_TMPDIR, or /var/tmp)",
			&fs.PathError{Op: "write", Path: path, Err: syscall.ENOSPC})
	case sqlite3.ErrIoErr:
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}

	return err
}

// fill writes all tables into an empty file.
func fill(ctx context.Context, file *os.File, info Info, in input, m *meter, parts []part) (_ Info, err error) {
	path := file.Name()

	db, err := create(path)
	if err != nil {
		return Info{}, fmt.Errorf("corpus: create %s: %w", path, err)
	}

	defer func() { err = errors.Join(err, db.close()) }()

	w := &writer{db: db, side: sideTables()[info.Dataset], meter: m, disk: flusher{file: file}}
	defer w.close()

	if schema, err := SchemaOf(info.Dataset); err == nil {
		w.schema = &schema
	}

	if err := w.createTables(ctx); err != nil {
		return Info{}, err
	}

	if err := w.fillAll(ctx, filepath.Dir(path), in, parts); err != nil {
		return Info{}, err
	}

	if in.source != nil {
		info.Skipped, info.Short = in.source.skipped, in.source.short
	} else {
		info.SourceSHA256 = w.contentSum()
	}

	info.Rows, info.ContentSHA256 = w.contents[0].rows, w.contentSum()
	if err := w.writeMeta(ctx, info); err != nil {
		return Info{}, err
	}

	if err := db.exec(ctx, "COMMIT"); err != nil {
		return Info{}, fmt.Errorf("corpus: commit %s: %w", path, err)
	}

	if err := w.disk.wait(); err != nil {
		return Info{}, fmt.Errorf("corpus: %w", err)
	}

	return info, nil
}

// writer fills the tables of a corpus file.
type writer struct {
	db       *database
	schema   *Schema // of the typed table; nil for a dataset without
	side     []sideTable
	contents []content // what is in the tables that are written, in the order of tables
	meter    *meter
	disk     flusher
	columns  *columnWriter // of the typed table
}

// close releases what is not in the file. What the disk says by now is of no use: an error came before.
func (w *writer) close() {
	w.disk.wait()

	if w.columns != nil {
		w.columns.close()
	}
}

// fillAll writes all rows, then the columns, then the indexes.
func (w *writer) fillAll(ctx context.Context, folder string, in input, parts []part) error {
	if w.schema != nil {
		if err := w.writeRows(ctx, folder, in.next); err != nil {
			return err
		}
	}

	if err := w.writeSide(ctx, parts); err != nil {
		return err
	}

	if w.schema != nil {
		if err := w.writeColumns(ctx); err != nil {
			return err
		}
	}

	return w.createIndexes(ctx)
}

// publish makes the file durable, read-only, and visible at path.
func publish(tmp *os.File, path string) error {
	if err := tmp.Chmod(0o444); err != nil {
		return err
	}

	if err := tmp.Sync(); err != nil {
		return err
	}

	return durable.Rename(tmp.Name(), path)
}

// dsn returns the SQLite URI of the file at path; query holds its parameters.
func dsn(path, query string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + query
}

// tablesOf returns the names of the tables of a dataset that hold its data, in the order of their hashes: the typed
// table, then the side tables.
func tablesOf(ds toolqa.Dataset) []string {
	var names []string
	if schema, err := SchemaOf(ds); err == nil {
		names = append(names, schema.Table)
	}

	for _, t := range sideTables()[ds] {
		names = append(names, t.name)
	}

	return names
}
