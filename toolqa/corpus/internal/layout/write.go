package layout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"toolevo/envs/disk"
	"toolevo/envs/sqlite"
)

// Input is where the rows of a corpus come from.
type Input struct {
	Next     func() ([]Cell, error) // the rows of the typed table, and then io.EOF; nil for a dataset without
	Expected int                    // of a synthetic corpus: about how many rows all tables will have
	Files    publishedFiles         // of a published one; nil for a synthetic one
	Progress func(done, total int)  // may be nil
}

// publishedFiles are what a corpus is imported from.
type publishedFiles interface {
	// Read returns how many bytes were read, of how many in all.
	Read() (done, total int64)
	// Unchanged returns an error when a file is not the one that was hashed.
	Unchanged() error
	// LeftOut returns how many bad rows were left out, and whether less was read than is published.
	LeftOut() (skipped int, short bool)
}

// Write makes the corpus file of a dataset: the typed table of the rows of in, if it has some, and
// the side tables that the part fills, nil for none. It builds the file under a temporary name in
// the same folder and renames it at the end, so that a failure leaves what was there before. It
// returns info with all that the file says about itself.
func Write(ctx context.Context, dir string, info Info, in Input, part Part) (Info, error) {
	path := Path(dir, info.Dataset)

	folder, name := filepath.Split(path)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return Info{}, fmt.Errorf("corpus: %w", err)
	}

	// First, because the disk may need the gigabytes that a killed program has left.
	if err := RemoveLeftovers(path); err != nil {
		return Info{}, fmt.Errorf("corpus: %w", err)
	}

	tmp, err := disk.CreateTemp(folder, "."+name+".*")
	if err != nil {
		return Info{}, fmt.Errorf("corpus: %w", err)
	}
	defer os.Remove(tmp.Name()) // after the rename there is nothing to remove
	defer disk.Release(tmp)     // whoever opens the corpus next takes its lock

	m := newMeter(in)
	if info, err = fill(ctx, tmp, info, in, m, part); err != nil {
		return Info{}, diskError(path, err)
	}

	m.filled()

	// fill has closed the database, so its bytes are final.
	if err := AppendHashes(ctx, tmp); err != nil {
		return Info{}, fmt.Errorf("corpus: write %s: %w", path, err)
	}

	// Only now, when all is read: a file that was changed meanwhile does not match the hash in
	// info.
	if in.Files != nil {
		if err := in.Files.Unchanged(); err != nil {
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

// diskError is [sqlite.DiskError] with a remedy. SQLite does not say whether the corpus or its
// temporary files did not fit.
func diskError(path string, err error) error {
	err = sqlite.DiskError(path, err)
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("corpus: %w: free some there, or in SQLite's temporary folder (SQLITE_TMPDIR, "+
			"or /var/tmp)", err)
	}

	return err
}

// fill writes all tables into an empty file.
func fill(ctx context.Context, file *os.File, info Info, in Input, m *meter, part Part) (
	_ Info, err error) {
	path := file.Name()

	db, err := create(path)
	if err != nil {
		return Info{}, fmt.Errorf("corpus: create %s: %w", path, err)
	}

	defer func() { err = errors.Join(err, db.close()) }()

	w := &writer{db: db, side: SideTables()[info.Dataset], meter: m, disk: flusher{file: file}}
	defer w.close()

	// The error only says that the dataset has no typed table.
	if schema, err := SchemaOf(info.Dataset); err == nil {
		w.schema = &schema
	}

	if err := w.createTables(ctx); err != nil {
		return Info{}, err
	}

	if err := w.fillAll(ctx, filepath.Dir(path), in, part); err != nil {
		return Info{}, err
	}

	if in.Files != nil {
		info.Skipped, info.Short = in.Files.LeftOut()
	} else {
		// An invented corpus has no source but itself.
		info.SourceSHA256 = w.contentSum()
	}

	// The meta table is last, since it holds the hash of everything else.
	info.Rows, info.ContentSHA256 = w.contents[0].Rows, w.contentSum()
	if err := w.writeMeta(ctx, info); err != nil {
		return Info{}, err
	}

	if err := db.exec(ctx, "COMMIT"); err != nil {
		return Info{}, fmt.Errorf("corpus: commit %s: %w", path, err)
	}

	// A Sync in the background may have met an error that no statement has returned.
	if err := w.disk.wait(); err != nil {
		return Info{}, fmt.Errorf("corpus: %w", err)
	}
	return info, nil
}

// writer fills the tables of a corpus file.
type writer struct {
	db       *database
	schema   *Schema // of the typed table; nil for a dataset without
	side     []SideTable
	contents []Content // what is in the tables that are written, in the order of tables
	meter    *meter
	disk     flusher
	columns  *columnWriter // of the typed table
}

// close releases what is not in the file. The result of a Sync that is still running is of no use:
// another error came before.
func (w *writer) close() {
	w.disk.wait()

	if w.columns != nil {
		w.columns.close()
	}
}

// fillAll writes all rows, then the columns, then the indexes.
func (w *writer) fillAll(ctx context.Context, folder string, in Input, part Part) error {
	if w.schema != nil {
		if err := w.writeRows(ctx, folder, in.Next); err != nil {
			return err
		}
	}

	if err := w.writeSide(ctx, part); err != nil {
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
	return disk.Rename(tmp.Name(), path)
}
