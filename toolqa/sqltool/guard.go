package sqltool

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// maxText is the longest text or row of a statement, in bytes.
const maxText = 1 << 18

// maxSQL is the longest statement of the agent in bytes, and maxTranslated that of SQLite, which
// has marks in it.
const (
	maxSQL        = 1 << 14
	maxTranslated = 1 << 17
)

// limits bound what a statement can ask for (sqlite3_limit).
var limits = map[int]int{
	sqlite3.SQLITE_LIMIT_ATTACHED:            0,
	sqlite3.SQLITE_LIMIT_LENGTH:              maxText, // of a text or a row
	sqlite3.SQLITE_LIMIT_SQL_LENGTH:          maxTranslated,
	sqlite3.SQLITE_LIMIT_COLUMN:              500,
	sqlite3.SQLITE_LIMIT_EXPR_DEPTH:          200,
	sqlite3.SQLITE_LIMIT_COMPOUND_SELECT:     50,
	sqlite3.SQLITE_LIMIT_VDBE_OP:             250_000,
	sqlite3.SQLITE_LIMIT_FUNCTION_ARG:        many,
	sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1000,
	sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER:     0,
	sqlite3.SQLITE_LIMIT_WORKER_THREADS:      0,
}

// recursive is SQLITE_RECURSIVE, which the driver does not name.
const recursive = 33

// authorizer returns the callback SQLite asks about every step of a statement it prepares. visible
// maps the tables that may be read to their schemas, all in lower case; a view in the schema temp
// may replace one. hidden says which other names are tables. Names may arrive as the statement
// writes them, and without a schema if it has none.
func authorizer(visible map[string]string, hidden func(name string) bool) func(op int, arg1, arg2, schema string) int {
	functions := allowed()
	return func(op int, arg1, arg2, schema string) int {
		ok := false

		switch op {
		case sqlite3.SQLITE_SELECT, recursive:
			ok = true
		case sqlite3.SQLITE_READ:
			name := strings.ToLower(arg1)
			in, found := visible[name]
			ok = found && (schema == "" || strings.EqualFold(schema, in) || schema == "temp")
			// A table of which no column is read, or a WITH, which may have any other name.
			if arg2 == "" && schema == "" {
				ok = ok || !hidden(name)
			}
		case sqlite3.SQLITE_FUNCTION:
			ok = functions[strings.ToLower(arg2)]
		}

		if !ok {
			return sqlite3.SQLITE_DENY
		}
		return sqlite3.SQLITE_OK
	}
}

// hiddenTables returns which names, in lower case, are tables that a statement must not read
// although they exist: those of the files that are not visible, and those that SQLite provides.
func hiddenTables(c *sqlite3.SQLiteConn, visible map[string]string) (func(name string) bool, error) {
	// A module can be a table by its own name.
	queries := []string{"SELECT name FROM pragma_module_list"}
	for _, schema := range visible {
		queries = append(queries, "SELECT name FROM "+schema+".sqlite_schema WHERE type IN ('table', 'view')")
	}

	// SQLite lists these modules only when they have been used.
	set := map[string]bool{}
	for _, name := range []string{"dbstat", "carray", "json_each", "json_tree", "jsonb_each", "jsonb_tree"} {
		set[name] = true
	}

	for _, query := range queries {
		names, err := texts(c, query)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", query, err)
		}

		for _, name := range names {
			name = strings.ToLower(name)
			_, ok := visible[name]
			set[name] = !ok
		}
	}

	return func(name string) bool {
		return set[name] || strings.HasPrefix(name, "sqlite_") || strings.HasPrefix(name, "pragma_")
	}, nil
}

// texts returns the only column of a query.
func texts(c *sqlite3.SQLiteConn, query string) (_ []string, err error) {
	rows, err := c.Query(query, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var all []string

	for value := make([]driver.Value, 1); ; {
		err := rows.Next(value)
		if err == io.EOF {
			return all, nil
		}

		if err != nil {
			return nil, err
		}

		all = append(all, fmt.Sprint(value[0]))
	}
}
