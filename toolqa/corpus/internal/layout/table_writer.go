package layout

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
)

// createTables makes the tables, empty.
func (w *writer) createTables(ctx context.Context) error {
	stmts := []string{
		"CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
		"CREATE TABLE contents (position INTEGER PRIMARY KEY, name TEXT NOT NULL, rows INTEGER NOT NULL, sha256 " +
			"TEXT NOT NULL)",
	}
	if w.schema != nil {
		// The blobs are last: the columns before them are read without them.
		stmts = append(stmts, createTable(w.schema.Table, typedColumns(*w.schema)),
			`CREATE TABLE cells (position INTEGER PRIMARY KEY,
			name TEXT NOT NULL, stored INTEGER NOT NULL, width INTEGER NOT NULL, words BLOB NOT NULL, codes BLOB NOT NULL)`)
	}

	for _, t := range w.side {
		stmts = append(stmts, createTable(t.Name, t.Columns))
	}
	return w.execAll(ctx, stmts)
}

func (w *writer) execAll(ctx context.Context, stmts []string) error {
	for _, stmt := range stmts {
		if err := w.db.exec(ctx, stmt); err != nil {
			return fmt.Errorf("corpus: %s: %w", stmt, err)
		}
	}

	return nil
}

// typedColumns returns the declarations of the columns of the typed table.
func typedColumns(schema Schema) []string {
	decl := make([]string, len(schema.Columns))
	for i, c := range schema.Columns {
		decl[i] = fmt.Sprintf("%q %s", c.SQLName(), c.Kind.SQLType())
		if !c.Optional {
			decl[i] += " NOT NULL"
		}
	}

	return decl
}

func createTable(name string, columns []string) string {
	return fmt.Sprintf("CREATE TABLE %s (%s)", name, strings.Join(columns, ", "))
}

// insertInto returns the statement that inserts a row of n values.
func insertInto(table string, n int) string {
	return "INSERT INTO " + table + " VALUES (?" + strings.Repeat(", ?", n-1) + ")"
}

// createIndexes makes the indexes of all tables, and gathers statistics about them, so that SQLite
// chooses well among them.
func (w *writer) createIndexes(ctx context.Context) error {
	tables := w.side
	if w.schema != nil {
		typed := SideTable{Name: w.schema.Table, Indexes: w.schema.Indexes}
		tables = append([]SideTable{typed}, tables...)
	}

	var names, stmts []string

	for _, t := range tables {
		for _, columns := range t.Indexes {
			names = append(names, t.Name)
			stmts = append(stmts, fmt.Sprintf("CREATE INDEX %s ON %s (%s)", IndexName(t.Name, columns), t.Name,
				strings.Join(columns, ", ")))
		}
	}

	// One at a time, so that progress is seen and the disk keeps up.
	for i := range stmts {
		if err := w.execAll(ctx, stmts[i:i+1]); err != nil {
			return err
		}

		if err := w.disk.advance(); err != nil {
			return fmt.Errorf("corpus: index %s: %w", names[i], err)
		}

		w.meter.indexes(i+1, len(stmts))
	}

	// The limit keeps ANALYZE from reading large indexes to the end.
	return w.execAll(ctx, []string{"PRAGMA analysis_limit = 1000", "ANALYZE"})
}

// writeMeta says what the file holds.
func (w *writer) writeMeta(ctx context.Context, info Info) error {
	for _, pair := range info.Pairs() {
		if err := w.db.exec(ctx, "INSERT INTO meta VALUES (?, ?)", pair[0], pair[1]); err != nil {
			return fmt.Errorf("corpus: write meta %s: %w", pair[0], err)
		}
	}

	for i, c := range w.contents {
		if err := w.db.exec(ctx, "INSERT INTO contents VALUES (?, ?, ?, ?)", int64(i+1), c.Table, int64(c.Rows),
			c.Sum); err != nil {
			return fmt.Errorf("corpus: write contents of %s: %w", c.Table, err)
		}
	}

	return nil
}

func (w *writer) contentSum() string { return ContentSum(w.contents) }

// sideWriter inserts the rows of one side table.
type sideWriter struct {
	insert *statement
	values []driver.Value
	digest *CSVHash
	rows   int
}

// writeSide lets a part fill the side tables.
func (w *writer) writeSide(ctx context.Context, part Part) (err error) {
	// All statements are open at once: a part may put rows of the tables in any order.
	tables := map[string]*sideWriter{}

	for _, t := range w.side {
		digest := NewCSVHash(ColumnNames(t.Columns))
		s := &sideWriter{values: make([]driver.Value, len(t.Columns)), digest: digest}
		if s.insert, err = w.db.prepare(insertInto(t.Name, len(t.Columns))); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.insert.close()) }()

		tables[t.Name] = s
	}

	put := func(table string, values ...any) error {
		s := tables[table]
		if s == nil || len(values) != len(s.values) {
			return fmt.Errorf("corpus: the dataset has no table %q with %d columns", table, len(values))
		}

		// Not at every row: each look asks the system for the size of the file.
		if s.rows%CheckEvery == 0 {
			if err := cmp.Or(ctx.Err(), w.disk.advance()); err != nil {
				return fmt.Errorf("corpus: write row %d of %s: %w", s.rows+1, table, err)
			}

			w.meter.add(CheckEvery)
		}

		if err := s.put(values); err != nil {
			return fmt.Errorf("corpus: insert row %d of %s: %w", s.rows+1, table, err)
		}
		return nil
	}

	if part != nil {
		if err := part(ctx, put); err != nil {
			return err
		}
	}

	// In the order of the declarations, on which the hash of the whole corpus depends.
	for _, t := range w.side {
		s := tables[t.Name]
		w.contents = append(w.contents, Content{Table: t.Name, Rows: s.rows, Sum: s.digest.Sum()})
	}
	return nil
}

// put inserts and hashes a row.
func (s *sideWriter) put(values []any) error {
	for i, v := range values {
		if n, ok := v.(int); ok {
			v = int64(n)
		}

		switch v.(type) {
		case nil, int64, float64, string, []byte:
		default:
			return fmt.Errorf("value %d is a %T", i+1, v)
		}

		s.values[i] = v
		s.digest.Field(i, EncodeCSV(SideText(v)))
	}

	s.digest.EndRecord()
	s.rows++
	return s.insert.run(s.values)
}
