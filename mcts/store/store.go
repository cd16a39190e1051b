package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"toolevo/envs"
)

// formatVersion changes when the schema does.
const formatVersion = "1"

const schema = `
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS calls (
	question TEXT NOT NULL, tree INTEGER NOT NULL, path TEXT NOT NULL, first INTEGER NOT NULL,
	n INTEGER NOT NULL, seed INTEGER NOT NULL, proposals TEXT NOT NULL,
	PRIMARY KEY (question, tree, path, first)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tools (
	key TEXT PRIMARY KEY, observation TEXT NOT NULL, outcome TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS trees (
	question TEXT NOT NULL, tree INTEGER NOT NULL, seed INTEGER NOT NULL,
	simulations INTEGER NOT NULL, idle INTEGER NOT NULL, calls INTEGER NOT NULL, samples INTEGER NOT NULL,
	PRIMARY KEY (question, tree)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS nodes (
	question TEXT NOT NULL, tree INTEGER NOT NULL, id INTEGER NOT NULL,
	parent INTEGER NOT NULL, depth INTEGER NOT NULL, ordinal INTEGER NOT NULL,
	action TEXT NOT NULL, tool TEXT NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL,
	observation TEXT NOT NULL, outcome TEXT NOT NULL, status TEXT NOT NULL, stopped_by TEXT NOT NULL,
	prior REAL NOT NULL, visits INTEGER NOT NULL, total_value REAL NOT NULL, expanded INTEGER NOT NULL,
	reward REAL NOT NULL, answer TEXT NOT NULL, official INTEGER NOT NULL, strict INTEGER NOT NULL,
	draws INTEGER NOT NULL, cut INTEGER NOT NULL,
	PRIMARY KEY (question, tree, id)) WITHOUT ROWID;
`

// Store is an open run database. It is safe for concurrent use.
type Store struct {
	path   string
	read   *sql.DB
	writer *writer // nil when opened for reading
	maker  string  // see SetMaker
}

// Open opens the database at path for writing, making it if there is none. Hold the run's Lock while it is open.
func Open(ctx context.Context, path string) (*Store, error) {
	w, err := newWriter(ctx, path)
	if err != nil {
		return nil, envs.Fail(envs.StageStore, "open "+path, err)
	}
	s, err := openRead(ctx, path)
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	s.writer = w
	return s, nil
}

// OpenReadOnly opens the database of a run to look at it, also while another process writes it.
func OpenReadOnly(ctx context.Context, path string) (*Store, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, envs.Fail(envs.StageStore, "open "+path, err)
	}
	return openRead(ctx, path)
}

func openRead(ctx context.Context, path string) (*Store, error) {
	db, err := sql.Open("sqlite3", dsn(path, "mode=ro"))
	if err != nil {
		return nil, envs.Fail(envs.StageStore, "open "+path, err)
	}
	s := &Store{path: path, read: db}
	version, err := s.Meta(ctx, "format")
	if err == nil && version != formatVersion {
		err = fmt.Errorf("the run database has format %q, this program reads format %q", version, formatVersion)
	}
	if err != nil {
		return nil, errors.Join(envs.Fail(envs.StageStore, "open "+path, err), db.Close())
	}
	return s, nil
}

// dsn escapes the path for SQLite's URI form: a '?' or '%' in a folder name must not be read as syntax.
func dsn(path, options string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path) + "?" + options
}

// Close waits for the writes in flight and closes the database.
func (s *Store) Close() error {
	err := s.read.Close()
	if s.writer != nil {
		err = errors.Join(err, s.writer.close()) // the last to close folds the WAL into the database
	}
	return envs.Fail(envs.StageStore, "close "+s.path, err)
}

// Meta returns a value noted about the run, "" when there is none.
func (s *Store) Meta(ctx context.Context, key string) (string, error) {
	var value string
	err := s.read.QueryRowContext(ctx, `SELECT value FROM meta WHERE key = ?`, key).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return value, envs.Fail(envs.StageStore, "read meta "+key, err)
}

// SetMeta notes a value about the run, replacing an earlier one.
func (s *Store) SetMeta(ctx context.Context, key, value string) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
		return err
	})
	return envs.Fail(envs.StageStore, "write meta "+key, err)
}

// write hands fn to the writer and waits until it is committed.
func (s *Store) write(ctx context.Context, fn func(*sql.Tx) error) error {
	if s.writer == nil {
		return errors.New("the run is open for reading only")
	}
	return s.writer.do(ctx, fn)
}
