package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs/disk"
)

// Format is the format of a run directory. It grows when the schema of the database, the manifest,
// the rows beside them, or the meaning of what they hold changes.
const Format = 3

// The tables, as SQLite has them in sqlite_master. Question IDs are long and occur in every row, so
// rows have a number instead. The rows of calls are small, so they are kept in the index itself.
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
	return append(all, fmt.Sprintf(`INSERT INTO meta VALUES ('format', CAST('%d' AS BLOB), %d)`, Format,
		metaHash("format", strconv.Itoa(Format))))
}

// checkSchema makes sure that a database is that of a run, in this format. One that names another
// format, as every version does in the same place, is a [*disk.FormatError].
func checkSchema(ctx context.Context, db *sql.DB) error {
	have, err := schemaOf(ctx, db)
	if err != nil {
		return err
	}

	if len(have) == 0 {
		return damaged("it has no tables")
	}

	ours, format := maps.Equal(have, tables), ""

	// A table of that name in somebody else's database may have other columns.
	if ours || have["meta"] == tables["meta"] {
		err = db.QueryRowContext(ctx, `SELECT value FROM meta WHERE key = 'format'`).Scan(&format)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
	}

	// Other tables under another number are another version's; under this number, or none, they are
	// no run's. The tables of this version under another number are damaged.
	switch n, err := strconv.Atoi(format); {
	case err == nil && n != Format && !ours:
		return disk.CheckFormat("the database", "", n, Format)
	case !ours:
		return damaged("its tables are not those of a run")
	case n != Format:
		return damaged("it says that its format is %q, its tables are those of %d", format, Format)
	}

	return nil
}

// schemaOf returns the statements that made the tables of a database, and whatever else it has, by
// name.
func schemaOf(ctx context.Context, db *sql.DB) (map[string]string, error) {
	have := map[string]string{}

	query := `SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master`

	var kind, name, table, statement string

	err := eachRow(ctx, db, query, nil, []any{&kind, &name, &table, &statement}, func() error {
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
