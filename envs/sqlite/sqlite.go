package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/mattn/go-sqlite3"

	"toolevo/envs/disk"
)

// Address returns the URI of the file at path, in which a '?' or '%' of the name is escaped.
// Options are SQLite's and the driver's, such as "mode=ro".
func Address(path, options string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + options
}

// Parts returns the names that the file at path and its parts may have, the file first.
func Parts(path string) []string {
	return []string{path, path + "-wal", path + "-shm", path + "-journal"}
}

// OpenToWrite opens a file to write it with a log, so that others can read it meanwhile. If the
// file system has no shared memory for the index of the log, readers and writers wait for each
// other. If it has no locks, the error wraps [disk.ErrNoLocks].
func OpenToWrite(ctx context.Context, path, options string) (*sql.DB, error) {
	db, err := open(ctx, Address(path, "_journal_mode=WAL&_synchronous=NORMAL&_txlock=immediate"+
		"&_busy_timeout=10000"+options))

	if lacksSharedMemory(err) {
		// The file is in log mode already, and the part that cannot be mapped is beside it.
		if err := errors.Join(rollBack(ctx, path, exclusive), os.Remove(path+"-shm")); err != nil {
			return nil, err
		}

		// A long read keeps writers waiting for as long.
		db, err = open(ctx, Address(path, "_journal_mode=DELETE&_synchronous=FULL&_txlock=immediate"+
			"&_busy_timeout=60000"+options))
	}
	return db, explain(path, err)
}

// Create carries out statements in a file that is new or empty, all or none of them, and does not
// change any other file. Their results are in the file itself when it returns, and not in a log
// beside it.
func Create(ctx context.Context, path string, statements ...string) error {
	err := create(ctx, path, statements)
	if err != nil && ctx.Err() != nil {
		// Otherwise it says how far it came: a transaction is over, or rows are closed.
		return ctx.Err()
	}
	return DiskError(path, explain(path, err))
}

func create(ctx context.Context, path string, statements []string) error {
	db, err := sql.Open("sqlite3", Address(path, "_txlock=immediate&_busy_timeout=10000"))
	if err != nil {
		return err
	}
	defer db.Close()

	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()

	var objects int
	if err := tx.QueryRow(countObjects).Scan(&objects); err != nil || objects > 0 {
		return err
	}

	for _, statement := range statements {
		if _, err := tx.Exec(statement); err != nil {
			return err
		}
	}

	return tx.Commit()
}

const countObjects = `SELECT count(*) FROM sqlite_master`

// IsDamage reports whether an error says that a file is damaged or not a SQLite file.
func IsDamage(err error) bool { return hasCode(err, sqlite3.ErrCorrupt, sqlite3.ErrNotADB) }

// IsBusy reports whether an error says that another connection is in the way.
func IsBusy(err error) bool { return hasCode(err, sqlite3.ErrBusy, sqlite3.ErrLocked) }

// DiskError turns SQLite's error about a full or failing disk into the system's error about the
// file at path, and returns other errors unchanged.
func DiskError(path string, err error) error {
	switch {
	case hasCode(err, sqlite3.ErrFull):
		return &fs.PathError{Op: "write", Path: path, Err: syscall.ENOSPC}
	case hasCode(err, sqlite3.ErrIoErr):
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}

	return err
}

// explain adds to an error that the file system of the file at path has no locks.
func explain(path string, err error) error {
	if lacksLocks(path, err) {
		return fmt.Errorf("%w: %w", err, disk.ErrNoLocks)
	}
	return err
}

// lacksLocks reports whether an error comes from a file system without locks. SQLite takes some of
// the system's errors for a lock of somebody else.
func lacksLocks(path string, err error) bool {
	return hasExtended(err, sqlite3.ErrIoErrLock, sqlite3.ErrIoErrRDlock) ||
		IsBusy(err) && !disk.HasRecordLocks(filepath.Dir(path))
}

// lacksSharedMemory reports whether an error comes from a file system without shared memory.
func lacksSharedMemory(err error) bool { return hasExtended(err, sqlite3.ErrIoErrSHMMap) }

func hasExtended(err error, codes ...sqlite3.ErrNoExtended) bool {
	var failed sqlite3.Error
	return errors.As(err, &failed) && slices.Contains(codes, failed.ExtendedCode)
}

func hasCode(err error, codes ...sqlite3.ErrNo) bool {
	var failed sqlite3.Error
	return errors.As(err, &failed) && slices.Contains(codes, failed.Code)
}

// ErrNotSQLite means that a file does not begin like a SQLite file.
var ErrNotSQLite = errors.New("not a SQLite file")

// Header is what a file says about itself in its first bytes.
type Header struct {
	Size        int64  // of the file, in bytes
	Claims      int64  // how large it says that it is, in bytes
	Application uint32 // the ID of the program that it belongs to; 0 when none was set
}

// ReadHeader reads the header of a file, without SQLite, which would change the parts beside it. An
// empty file has an empty header. The error about any other file that is not SQLite's wraps
// [ErrNotSQLite].
func ReadHeader(path string) (h Header, err error) {
	f, err := disk.Open(path)
	if err != nil {
		return h, err
	}
	defer f.Close()

	stat, err := f.Stat()
	if err != nil || stat.Size() == 0 {
		return h, err
	}

	const magic = "SQLite format 3\x00"

	var text [100]byte
	if _, err := io.ReadFull(f, text[:]); err != nil || string(text[:len(magic)]) != magic {
		return h, fmt.Errorf("%s is %w", path, ErrNotSQLite)
	}

	page := int64(binary.BigEndian.Uint16(text[16:]))
	if page == 1 { // 65,536 does not fit
		page = 1 << 16
	}
	return Header{
		Size:        stat.Size(),
		Claims:      page * int64(binary.BigEndian.Uint32(text[28:])),
		Application: binary.BigEndian.Uint32(text[68:]),
	}, nil
}
