package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/mattn/go-sqlite3"

	"toolevo/envs/disk"
)

// OpenToRead opens a file to read it, even while another process writes it, or after one was killed
// while writing.
func OpenToRead(ctx context.Context, path string) (*sql.DB, error) {
	db, err := open(ctx, Address(path, "mode=ro"))

	options := ""

	switch {
	case lacksLocks(path, err):
		return openUnlocked(ctx, path)
	case lacksSharedMemory(err):
		options = exclusive
	case !wantsWriting(err):
		return db, err
	}

	if rollBack(ctx, path, options) == nil {
		return open(ctx, Address(path, "mode=ro"))
	}

	// The file may not be written here. Whatever the reason, a copy may.
	copied, copyErr := openCopy(ctx, path)
	if copyErr != nil {
		return nil, errors.Join(err, fmt.Errorf("copy it: %w", copyErr))
	}

	return copied, nil
}

// openUnlocked opens a file on a file system without locks, where nobody writes it
// ([disk.ErrNoLocks]).
func openUnlocked(ctx context.Context, path string) (*sql.DB, error) {
	for _, part := range Parts(path)[1:] {
		if _, err := os.Lstat(part); err == nil {
			return openCopy(ctx, path)
		}
	}

	return open(ctx, Address(path, "mode=ro&immutable=1"))
}

// open opens a database and reads from it, because only then does SQLite look at the file.
func open(ctx context.Context, address string) (*sql.DB, error) {
	db, err := sql.Open("sqlite3", address)
	if err != nil {
		return nil, err
	}

	var objects int
	if err := db.QueryRowContext(ctx, countObjects).Scan(&objects); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// wantsWriting reports whether a file could not be read because something has to be written first:
// the contents of a journal, or the index of a log.
func wantsWriting(err error) bool { return hasCode(err, sqlite3.ErrReadonly, sqlite3.ErrCantOpen) }

// rollBack opens a file for writing, which puts back the contents of a hot journal, and finishes
// what a killed process had begun: folding the log into the file.
func rollBack(ctx context.Context, path, options string) error {
	db, err := open(ctx, Address(path, "mode=rw"+options))
	if err != nil {
		return err
	}

	err = Fold(ctx, db)
	return errors.Join(err, db.Close())
}

// exclusive is the option of a connection that lets no others in. Its own memory has the index of
// the log then.
const exclusive = "&_locking_mode=EXCLUSIVE"

// Fold folds the log of a database that was opened for writing into its file. The one file can be
// copied, and read by those who may not write beside it. While somebody else reads, nothing
// changes.
func Fold(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, `PRAGMA journal_mode = DELETE`); err != nil && !IsBusy(err) {
		return err
	}
	return nil
}

// copies counts the copies in memory, for their names.
var copies atomic.Int64

// temporaryPrefix begins the names of the folders in which SQLite repairs a copy.
const temporaryPrefix = "toolevo-sqlite-"

// openCopy copies a file and its parts to where they may be written, lets SQLite repair the copy,
// and copies that into memory.
func openCopy(ctx context.Context, path string) (_ *sql.DB, err error) {
	if err := disk.RemoveLeftovers(os.TempDir(), temporaryPrefix, ""); err != nil {
		return nil, err
	}

	folder, err := disk.MkdirTemp("", temporaryPrefix)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder.Name()), folder.Close()) }()

	copied := filepath.Join(folder.Name(), "copy")
	if err := copyParts(path, copied); err != nil {
		return nil, err
	}

	// Nobody else knows of the copy, so it needs neither locks nor shared memory.
	whole, err := open(ctx, Address(copied, "mode=rw&vfs=unix-none"+exclusive))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, whole.Close()) }()

	// A database in memory has no log beside a file, so the log is folded in first.
	if err := Fold(ctx, whole); err != nil {
		return nil, err
	}

	// All connections of this process that use the name share the database in memory, until the
	// last is closed.
	memory, err := open(ctx, fmt.Sprintf("file:/toolevo-%d?vfs=memdb", copies.Add(1)))
	if err != nil {
		return nil, err
	}

	if err := backUp(ctx, memory, whole); err != nil {
		return nil, errors.Join(err, memory.Close())
	}
	return memory, nil
}

// copyParts copies a file and its parts, except for the index of the log. SQLite makes that again:
// the index of a process that is gone is useless.
func copyParts(from, to string) error {
	for i, suffix := range []string{"", "-wal", "-journal"} {
		err := copyFile(from+suffix, to+suffix)
		if err != nil && (i == 0 || !errors.Is(err, fs.ErrNotExist)) {
			return err
		}
	}

	return nil
}

func copyFile(from, to string) error {
	in, err := disk.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()

	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}

	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// backUp copies a database page by page.
func backUp(ctx context.Context, to, from *sql.DB) error {
	return withConn(ctx, to, func(to *sqlite3.SQLiteConn) error {
		return withConn(ctx, from, func(from *sqlite3.SQLiteConn) error {
			b, err := to.Backup("main", from, "main")
			if err != nil {
				return err
			}

			_, err = b.Step(-1)
			return errors.Join(err, b.Finish())
		})
	})
}

// withConn gives a function the driver's connection.
func withConn(ctx context.Context, db *sql.DB, use func(*sqlite3.SQLiteConn) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}

	err = conn.Raw(func(c any) error { return use(c.(*sqlite3.SQLiteConn)) })
	return errors.Join(err, conn.Close())
}
