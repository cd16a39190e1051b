package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"

	"toolevo/envs"
	"toolevo/envs/sqlite"
)

// Store is an open run database. It is safe for concurrent use.
type Store struct {
	path   string
	read   *sql.DB
	writer *writer // nil when opened for reading
	packer packer

	sealed atomic.Bool // whether the database has a seal

	told atomic.Pointer[func(Row)] // see Watch
}

// Open opens the database at path for writing, making it if there is none. Hold the run's Lock
// while it is open.
func Open(ctx context.Context, path string) (*Store, error) {
	if err := sqlite.Create(ctx, path, newDatabase()...); err != nil {
		return nil, fail("make "+path, err)
	}
	return openWritable(ctx, path)
}

// openExisting opens an existing database for writing, and checks it before anything is added.
func openExisting(ctx context.Context, path string) (*Store, error) {
	s, err := openWritable(ctx, path)
	if err != nil {
		return nil, err
	}

	if err := s.Intact(ctx); err != nil {
		return nil, errors.Join(err, s.closeUnsealed())
	}
	return s, nil
}

func openWritable(ctx context.Context, path string) (*Store, error) {
	s, err := OpenReadOnly(ctx, path)
	if err != nil {
		return nil, err
	}

	if s.writer, err = newWriter(ctx, path); err != nil {
		return nil, errors.Join(fail("open "+path, err), s.closeUnsealed())
	}
	return s, nil
}

// OpenReadOnly opens the database of a run to look at it, also while another process writes it. A
// database of another make, with a view in place of a table, say, is not even read (ErrDamaged).
func OpenReadOnly(ctx context.Context, path string) (*Store, error) {
	db, err := sqlite.OpenToRead(ctx, path)
	if err != nil {
		return nil, fail("open "+path, err)
	}

	s := &Store{path: path, read: db}
	if err = checkSchema(ctx, db); err == nil {
		err = s.loadDictionary(ctx)
	}

	if err == nil {
		err = s.checkSeal(ctx)
	}

	if err != nil {
		return nil, errors.Join(fail("open "+path, err), db.Close())
	}
	return s, nil
}

// Close waits for the writes in flight and closes the database.
func (s *Store) Close() error {
	var err error
	if s.writer != nil && !s.sealed.Load() {
		err = fail("seal "+s.path, s.seal(context.Background()))
	}
	return errors.Join(err, s.closeUnsealed())
}

// closeUnsealed closes the database as it is.
func (s *Store) closeUnsealed() error {
	err := s.read.Close()
	if s.writer != nil {
		err = errors.Join(err, s.writer.close()) // the last to close folds the WAL into the database
	}
	return fail("close "+s.path, err)
}

// Meta returns a value noted about the run, or "".
func (s *Store) Meta(ctx context.Context, key string) (string, error) {
	var value string
	var hash int64

	err := s.read.QueryRowContext(ctx, `SELECT value, hash FROM meta WHERE key = ?`, key).Scan(&value, &hash)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}

	if err == nil && hash != metaHash(key, value) {
		err = damaged("what it notes as %q is not as it was written", key)
	}
	return value, fail("read meta "+key, err)
}

func metaHash(key, value string) int64 { return hashOf("meta").text(key).text(value).column() }

// SetMeta notes a value about the run, replacing an earlier one.
func (s *Store) SetMeta(ctx context.Context, key, value string) error {
	err := s.write(ctx, func(tx *sql.Tx) error { return setMeta(tx, key, value) })
	return fail("write meta "+key, err)
}

func setMeta(tx *sql.Tx, key, value string) error {
	_, err := tx.Exec(`INSERT OR REPLACE INTO meta VALUES (?, ?, ?)`, key, []byte(value), metaHash(key, value))
	return err
}

// write hands fn to the writer and waits until it is committed.
func (s *Store) write(ctx context.Context, fn func(*sql.Tx) error) error {
	if s.writer == nil {
		return errors.New("the run is open for reading only")
	}
	return s.writer.do(ctx, fn)
}

// fail is envs.Fail for the store. What SQLite finds wrong with its file is damage, too.
func fail(op string, err error) error {
	if sqlite.IsDamage(err) && !errors.Is(err, ErrDamaged) {
		err = damaged("%w", err)
	}
	return envs.Fail(envs.StageStore, op, err)
}

// restore says what can be done about a damaged run.
const restore = "restore it from a backup, or start a new run in another folder"

// damaged returns an error that says how the database is damaged.
func damaged(format string, args ...any) error {
	return fmt.Errorf("the run's database is %w: %w: %s", ErrDamaged, fmt.Errorf(format, args...), restore)
}
