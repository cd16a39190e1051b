package layout

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/mattn/go-sqlite3"

	"toolevo/envs/sqlite"
)

// pageSize of a corpus file, in bytes: a column of codes is one large blob, and reads faster in
// fewer pages.
const pageSize = 1 << 14

// cacheKiB is the memory that SQLite may use for its pages while a file is written, and for sorting
// an index.
const cacheKiB = 256 << 10

// database is a new SQLite file with one connection and one transaction. It is used without
// database/sql, which takes as long for each of hundreds of millions of values as SQLite does.
type database struct{ conn *sqlite3.SQLiteConn }

// create opens the empty file at path and begins the transaction.
func create(path string) (*database, error) {
	// No journal and no locks: the file is under a temporary name until it is whole.
	conn, err := new(sqlite3.SQLiteDriver).Open(
		sqlite.Address(path, "mode=rw&_journal_mode=OFF&_synchronous=OFF&_locking_mode=EXCLUSIVE&nolock=1"))
	if err != nil {
		return nil, err
	}

	db := &database{conn.(*sqlite3.SQLiteConn)}
	for _, stmt := range []string{
		fmt.Sprintf("PRAGMA page_size = %d", pageSize),
		fmt.Sprintf("PRAGMA cache_size = -%d", cacheKiB),
		"PRAGMA threads = 2", // for sorting indexes
		"BEGIN",
	} {
		if err := db.exec(context.Background(), stmt); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", stmt, err), db.close())
		}
	}

	return db, nil
}

// close closes the file; what was not committed is lost.
func (db *database) close() error { return db.conn.Close() }

// exec runs statements that have no result.
func (db *database) exec(ctx context.Context, stmt string, args ...driver.Value) error {
	_, err := db.conn.ExecContext(ctx, stmt, named(args))
	return err
}

// prepare returns a statement that is run many times.
func (db *database) prepare(stmt string) (*statement, error) {
	s, err := db.conn.Prepare(stmt)
	if err != nil {
		return nil, fmt.Errorf("corpus: %s: %w", stmt, err)
	}
	return &statement{s.(*sqlite3.SQLiteStmt), named(make([]driver.Value, s.NumInput()))}, nil
}

// statement is a prepared statement and its arguments, which run takes from a row of values.
type statement struct {
	stmt *sqlite3.SQLiteStmt
	args []driver.NamedValue
}

// run executes the statement. It is too short to be interrupted: callers check their context now
// and then.
func (s *statement) run(values []driver.Value) error {
	for i, v := range values {
		s.args[i].Value = v
	}

	_, err := s.stmt.ExecContext(context.Background(), s.args)
	return err
}

func (s *statement) close() error { return s.stmt.Close() }

func named(values []driver.Value) []driver.NamedValue {
	args := make([]driver.NamedValue, len(values))
	for i, v := range values {
		args[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return args
}
