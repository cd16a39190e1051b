package corpus

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"toolevo/toolqa"
)

// input is where the rows of a corpus come from.
type input struct {
	next     func() ([]cell, error) // the rows of the typed table, and then io.EOF; nil for a dataset without
	expected int                    // of a synthetic corpus: how many rows there will be
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
	if err := RemoveLeftovers(folder, "."+name+".", ""); err != nil {
		return Info{}, fmt.Errorf("corpus: %w", err)
	}
	tmp, err := os.CreateTemp(folder, "."+name+".*")
	if err != nil {
		return Info{}, fmt.Errorf("corpus: %w", err)
	}
	tmp.Close()
	defer os.Remove(tmp.Name()) // after the rename there is nothing to remove

	if info, err = fill(ctx, tmp.Name(), info, in, parts); err != nil {
		return Info{}, err
	}
	if in.source != nil {
		if err := in.source.unchanged(); err != nil {
			return Info{}, err
		}
	}
	if err := ctx.Err(); err != nil { // short statements do not look at it
		return Info{}, fmt.Errorf("corpus: write %s: %w", path, err)
	}
	if err := publish(tmp.Name(), path); err != nil {
		return Info{}, fmt.Errorf("corpus: write %s: %w", path, err)
	}
	return info, nil
}

// fill writes all tables into the empty file at path.
func fill(ctx context.Context, path string, info Info, in input, parts []part) (_ Info, err error) {
	db, err := create(path)
	if err != nil {
		return Info{}, fmt.Errorf("corpus: create %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, db.close()) }()
	w := &writer{db: db, side: sideTables()[info.Dataset], meter: newMeter(in, len(sideTables()[info.Dataset]) > 0)}
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
	w.meter.end()
	return info, nil
}

// writer fills the tables of a corpus file.
type writer struct {
	db       *database
	schema   *Schema // of the typed table; nil for a dataset without
	side     []sideTable
	contents []content // what is in the tables that are written, in the order of tables
	meter    *meter
	columns  *columnWriter // of the typed table
}

func (w *writer) close() {
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
