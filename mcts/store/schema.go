package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// formatVersion changes when the schema does, or the meaning of what it holds.
const formatVersion = "2"

// The tables, as SQLite has them in sqlite_master. Question IDs are long and occur in every row, so
// rows have a number instead. The rows of calls are small: they stand in their index.
var tables = map[string]string{
	"meta": `CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL, hash INTEGER NOT NULL) WITHOUT ROWID`,

	"questions": `CREATE TABLE questions (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)`,

	"calls": `CREATE TABLE calls (
	question INTEGER NOT NULL, tree INTEGER NOT NULL, path TEXT NOT NULL, first INTEGER NOT NULL,
	n INTEGER NOT NULL, seed INTEGER NOT NULL, history INTEGER NOT NULL, proposals BLOB NOT NULL,
	hash INTEGER NOT NULL, PRIMARY KEY (question, tree, path, first)) WITHOUT ROWID`,

	"tools": `CREATE TABLE tools (key TEXT PRIMARY KEY, result BLOB NOT NULL, hash INTEGER NOT NULL) WITHOUT ROWID`,

	"trees": `CREATE TABLE trees (
	question INTEGER NOT NULL, tree INTEGER NOT NULL, record BLOB NOT NULL, hash INTEGER NOT NULL,
	PRIMARY KEY (question, tree))`,
}

// newDatabase returns the statements that make the database of a new run.
func newDatabase() (all []string) {
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		all = append(all, tables[name])
	}

	return append(all, fmt.Sprintf(`INSERT INTO meta VALUES ('format', CAST('%s' AS BLOB), %d)`, formatVersion,
		metaHash("format", formatVersion)))
}

// isOldFormat reports whether a database has the format before this one. One that is of neither is
// an error.
func isOldFormat(ctx context.Context, db *sql.DB) (bool, error) {
	have, err := schemaOf(ctx, db)
	if err != nil {
		return false, err
	}

	if len(have) == 0 {
		return false, damaged("it has no tables")
	}

	old := maps.Equal(have, oldTables)
	if !old && !maps.Equal(have, tables) {
		return false, otherVersion(ctx, db, have)
	}

	want := formatVersion
	if old {
		want = oldFormatVersion
	}

	var format string

	err = db.QueryRowContext(ctx, `SELECT value FROM meta WHERE key = 'format'`).Scan(&format)
	if errors.Is(err, sql.ErrNoRows) || err == nil && format != want {
		err = damaged("it says that its format is %q, its tables are those of %q", format, want)
	}

	return old, err
}

// otherVersion says what a database is that has other tables than ours: that of another version if
// it names another format, where every version has it, and else damaged.
func otherVersion(ctx context.Context, db *sql.DB, have map[string]string) error {
	if meta := have["meta"]; meta == tables["meta"] || meta == oldTables["meta"] {
		var format string

		err := db.QueryRowContext(ctx, `SELECT value FROM meta WHERE key = 'format'`).Scan(&format)
		if err == nil && format != formatVersion {
			return ErrOtherVersion
		}
	}

	return damaged("its tables are not those of a run")
}

// schemaOf returns what a database consists of: the statements that made its tables and whatever
// else there is, by name.
func schemaOf(ctx context.Context, db *sql.DB) (map[string]string, error) {
	have := map[string]string{}

	query := `SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master`

	var kind, name, table, statement string

	err := each(ctx, db, query, nil, []any{&kind, &name, &table, &statement}, func() error {
		// What SQLite makes by itself for UNIQUE has no statement.
		if kind == "index" && statement == "" && strings.HasPrefix(name, "sqlite_autoindex_"+table+"_") {
			return nil
		}

		if kind != "table" {
			name = kind + " " + name
		}

		have[name] = statement

		return nil
	})

	return have, err
}
