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

// OpenToRead opens a file to read it, also while another process writes it, and after one was
// killed while it did.
func OpenToRead(ctx context.Context, path string) (*sql.DB, error) {
	db, err := open(ctx, Address(path, "mode=ro"))

	options := ""

	switch {
	case lacksLocks(path, err):
		return openUnlocked(ctx, path)
	case lacksSharedMemory(err):
		options = alone
	case !wantsWriting(err):
		return db, err
	}

	if rollBack(ctx, path, options) == nil {
		return open(ctx, Address(path, "mode=ro"))
	}

	// It may not be written here. Why not is of no interest: a copy may.
	copied, copyErr := openCopy(ctx, path)
	if copyErr != nil {
		return nil, errors.Join(err, fmt.Errorf("copy it: %w", copyErr))
	}

	return copied, nil
}

// openUnlocked opens a file where none can be locked, so that nobody writes it
// ([disk.ErrNoLocks]).
func openUnlocked(ctx context.Context, path string) (*sql.DB, error) {
	for _, part := range Parts(path)[1:] {
		if _, err := os.Lstat(part); err == nil {
			return openCopy(ctx, path)
		}
	}

	return open(ctx, Address(path, "mode=ro&immutable=1"))
}

// open opens a database and reads from it: only then is anything looked at.
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

// wantsWriting reports whether a file could not be read because something had to be written first:
// what a journal holds, or the index of a log.
func wantsWriting(err error) bool { return hasCode(err, sqlite3.ErrReadonly, sqlite3.ErrCantOpen) }

// rollBack opens a file for writing, which puts back what a hot journal holds, and ends what the
// process that was killed had begun: it was folding the log into the file.
func rollBack(ctx context.Context, path, options string) error {
	db, err := open(ctx, Address(path, "mode=rw"+options))
	if err != nil {
		return err
	}

	err = Fold(ctx, db)
	return errors.Join(err, db.Close())
}

// alone is the option of who wants no others beside: the index of the log is in its own memory
// then.
const alone = "&_locking_mode=EXCLUSIVE"

// Fold folds the log of a database that was opened for writing into its file, so that it is one
// file, which can be copied, and read by those who may not write beside it. While somebody else
// reads, it stays as it is.
func Fold(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, `PRAGMA journal_mode = DELETE`); err != nil && !IsBusy(err) {
		return err
	}
	return nil
}

// copies counts the copies in memory, for their names.
var copies atomic.Int64

// temporaryPrefix begins the names of the folders in which SQLite puts a copy in order.
const temporaryPrefix = "toolevo-sqlite-"

// openCopy copies a file and its parts to where they may be written, for SQLite to put in order,
// and from there into memory.
func openCopy(ctx context.Context, path string) (_ *sql.DB, err error) {
	if err := disk.RemoveLeftovers(os.TempDir(), temporaryPrefix, ""); err != nil {
		return nil, err
	}

	folder, err := disk.MkdirTemp("", temporaryPrefix+"*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder.Name()), folder.Close()) }()

	copied := filepath.Join(folder.Name(), "copy")
	if err := copyParts(path, copied); err != nil {
		return nil, err
	}

	// Nobody knows of the copy: it needs neither locks nor shared memory.
	whole, err := open(ctx, Address(copied, "mode=rw&vfs=unix-none"+alone))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, whole.Close()) }()

	if err := Fold(ctx, whole); err != nil { // in memory there is no log beside a file
		return nil, err
	}

	// A database in memory is there for all connections of this process that use its name, until
	// the last is closed.
	memory, err := open(ctx, fmt.Sprintf("file:/toolevo-%d?vfs=memdb", copies.Add(1)))
	if err != nil {
		return nil, err
	}

	if err := backUp(ctx, memory, whole); err != nil {
		return nil, errors.Join(err, memory.Close())
	}
	return memory, nil
}

// copyParts copies a file and what stands beside it, except for the index of the log, which SQLite
// makes again: that of a process that is gone says nothing.
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
