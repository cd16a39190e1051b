package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"toolevo/envs/sqlite"
)

// states are those in which a process that was killed leaves a file, whose table t has one row,
// "kept".
var states = map[string]func(t *testing.T, path string){
	// It was killed in the middle of a transaction.
	"hot journal": func(t *testing.T, path string) {
		execute(t, path, makeTable)
		killedIn(t, path, []string{"", "-journal"}, `PRAGMA cache_size = 1`, `BEGIN IMMEDIATE`, `DELETE FROM t`,
			`INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 200)
			SELECT zeroblob(5000) FROM n`)
	},

	// It was killed after the log was folded and removed, before the file said so.
	"log mode and no log": func(t *testing.T, path string) {
		execute(t, path, makeTable, `PRAGMA journal_mode = WAL`)
	},

	// It was killed with rows in the log, whose index was not copied with the rest.
	"a log without its index": func(t *testing.T, path string) {
		execute(t, path, makeTable, `DELETE FROM t`, `PRAGMA journal_mode = WAL`)
		killedIn(t, path, []string{"", "-wal"}, `INSERT INTO t VALUES ('kept')`)
	},
}

const makeTable = `CREATE TABLE t (a); INSERT INTO t VALUES ('kept')`

// execute carries out statements in a file.
func execute(t *testing.T, path string, statements ...string) {
	t.Helper()

	db := opened(t, path, statements...)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func opened(t *testing.T, path string, statements ...string) *sql.DB {
	t.Helper()

	db, err := sql.Open("sqlite3", sqlite.Address(path, ""))
	if err != nil {
		t.Fatal(err)
	}

	db.SetMaxOpenConns(1)

	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(s, err)
		}
	}

	return db
}

// killedIn leaves a file and what stands beside it as they are after some statements, while the
// connection is open.
func killedIn(t *testing.T, path string, suffixes []string, statements ...string) {
	t.Helper()

	db := opened(t, path, statements...)

	parts := map[string][]byte{}
	for _, suffix := range suffixes {
		text, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}

		parts[suffix] = text
	}

	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	for suffix, text := range parts {
		if err := os.WriteFile(path+suffix, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// readRows opens a file to read it, and returns the rows of t.
func readRows(path string) (rows []string, err error) {
	db, err := sqlite.OpenToRead(context.Background(), path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	found, err := db.Query(`SELECT a FROM t`)
	if err != nil {
		return nil, err
	}
	defer found.Close()

	for found.Next() {
		var a string
		if err := found.Scan(&a); err != nil {
			return nil, err
		}

		rows = append(rows, a)
	}
	return rows, found.Err()
}

// What a killed process left can be read: put in order where it can be written, and as it is where
// not.
func TestLeftByAKill(t *testing.T) {
	for name, leave := range states {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "odd name?#%.db")
			leave(t, path)

			if rows, err := readRows(path); err != nil || !slices.Equal(rows, []string{"kept"}) {
				t.Errorf("%q, %v", rows, err)
			}

			if _, err := os.Stat(path + "-journal"); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the journal is still there: %v", err)
			}
		})

		for place, modes := range map[string][2]os.FileMode{
			"read only":                 {0o555, 0o444},
			"in a folder that is fixed": {0o555, 0o666},
		} {
			t.Run(name+", "+place, func(t *testing.T) {
				dir := t.TempDir()
				path := filepath.Join(dir, "file.db")
				leave(t, path)

				before := files(t, dir)
				for name := range before {
					if err := os.Chmod(filepath.Join(dir, name), modes[1]); err != nil {
						t.Fatal(err)
					}
				}

				asUser(t, dir, modes[0], func() {
					for range 2 {
						if rows, err := readRows(path); err != nil || !slices.Equal(rows, []string{"kept"}) {
							t.Errorf("%q, %v", rows, err)
						}
					}
				})

				for name := range files(t, dir) {
					if _, ok := before[name]; !ok {
						t.Errorf("%s was made", name)
					}
				}
			})
		}
	}
}

// files are the files in a folder, and what they hold.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()

	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}

	all := map[string]string{}

	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}

		all[e.Name()] = string(text)
	}
	return all
}

// asUser does something with the rights of a user who is not root, in a folder of a mode.
func asUser(t *testing.T, dir string, mode os.FileMode, act func()) {
	t.Helper()

	for at := dir; at != os.TempDir() && at != "/"; at = filepath.Dir(at) {
		if err := os.Chmod(at, 0o755); err != nil {
			t.Fatal(err)
		}
	}

	if err := os.Chmod(dir, mode); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)

	if os.Geteuid() != 0 {
		act()
		return
	}

	// The rights are the thread's, which gets them back: drivers call SQLite on the thread of who
	// asks.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	if err := syscall.Setfsuid(65534); err != nil {
		t.Fatal(err)
	}

	defer func() {
		if err := syscall.Setfsuid(0); err != nil {
			panic(err)
		}
	}()

	act()
}

func TestReadHeader(t *testing.T) {
	dir := t.TempDir()
	ours, empty, text := filepath.Join(dir, "ours"), filepath.Join(dir, "empty"), filepath.Join(dir, "text")

	if err := sqlite.Create(t.Context(), ours, makeTable, `PRAGMA application_id = 7`); err != nil {
		t.Fatal(err)
	}

	if err := errors.Join(os.WriteFile(empty, nil, 0o644), os.WriteFile(text, []byte("a text"), 0o644)); err != nil {
		t.Fatal(err)
	}

	if h, err := sqlite.ReadHeader(ours); err != nil || h.Application != 7 || h.Size != h.Claims || h.Size == 0 {
		t.Errorf("%+v, %v", h, err)
	}

	if h, err := sqlite.ReadHeader(empty); err != nil || h != (sqlite.Header{}) {
		t.Errorf("an empty file: %+v, %v", h, err)
	}

	if _, err := sqlite.ReadHeader(text); !errors.Is(err, sqlite.ErrNotSQLite) {
		t.Errorf("a text: %v", err)
	}

	if _, err := readRows(text); !sqlite.IsDamage(err) {
		t.Errorf("a text that is opened: %v", err)
	}
}

// A file that has tables stays as it is.
func TestCreateLeavesOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file.db")

	for _, statement := range []string{makeTable, `CREATE TABLE other (a)`} {
		if err := sqlite.Create(t.Context(), path, statement); err != nil {
			t.Fatal(err)
		}
	}

	if rows, err := readRows(path); err != nil || len(rows) != 1 {
		t.Errorf("%q, %v", rows, err)
	}
}

// A file that is being created when its context ends tells of that, and of nothing else.
func TestCreateIsInterrupted(t *testing.T) {
	t.Parallel()

	statements := make([]string, 200)
	for i := range statements {
		statements[i] = fmt.Sprintf("CREATE TABLE t%d (x)", i)
	}

	interrupted := 0

	for i := range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for range i {
				runtime.Gosched()
			}
			cancel()
		}()

		path := filepath.Join(t.TempDir(), "new.db")

		err := sqlite.Create(ctx, path, statements...)
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("the context ended after %d turns: %v", i, err)
		}

		if err != nil {
			interrupted++
		}
	}

	if interrupted == 0 {
		t.Error("none was interrupted")
	}
}
