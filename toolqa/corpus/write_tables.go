package corpus

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"toolevo/toolqa"
)

// createTables makes the tables, empty.
func (w *writer) createTables(ctx context.Context) error {
	stmts := []string{
		"CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
		"CREATE TABLE contents (position INTEGER PRIMARY KEY, name TEXT NOT NULL, rows INTEGER NOT NULL, sha256 " +
			"TEXT NOT NULL)",
	}
	if w.schema != nil {
		// The blobs are last: what stands before them is read without them.
		stmts = append(stmts, createTable(w.schema.Table,
			typedColumns(*w.schema)), `CREATE TABLE cells (position INTEGER PRIMARY KEY,
			name TEXT NOT NULL, stored INTEGER NOT NULL, width INTEGER NOT NULL, sha256 TEXT NOT NULL, words BLOB NOT NULL, codes BLOB NOT NULL)`)
	}

	for _, t := range w.side {
		stmts = append(stmts, createTable(t.name, t.columns))
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
		decl[i] = fmt.Sprintf("%q %s", c.SQLName(), c.Kind.sqlType())
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

// createIndexes makes the indexes of all tables, and counts what is in them, so that SQLite chooses well among them.
func (w *writer) createIndexes(ctx context.Context) error {
	type index struct {
		table   string
		columns []string
	}
	var all []index

	if w.schema != nil {
		for _, columns := range w.schema.Indexes {
			all = append(all, index{w.schema.Table, columns})
		}
	}

	for _, t := range w.side {
		for _, columns := range t.indexes {
			all = append(all, index{t.name, columns})
		}
	}

	for i, x := range all {
		stmt := fmt.Sprintf("CREATE INDEX %s ON %s (%s)", indexName(x.table, x.columns), x.table,
			strings.Join(x.columns, ", "))
		if err := w.execAll(ctx, []string{stmt}); err != nil {
			return err
		}

		if err := w.disk.advance(); err != nil {
			return fmt.Errorf("corpus: index %s: %w", x.table, err)
		}

		w.meter.indexes(i+1, len(all))
	}

	return w.execAll(ctx, []string{"PRAGMA analysis_limit = 1000", "ANALYZE"})
}

func indexName(table string, columns []string) string {
	return table + "_" + strings.Join(columns, "_")
}

// writeMeta says what the file holds.
func (w *writer) writeMeta(ctx context.Context, info Info) error {
	for _, pair := range info.pairs() {
		if err := w.db.exec(ctx, "INSERT INTO meta VALUES (?, ?)", pair[0], pair[1]); err != nil {
			return fmt.Errorf("corpus: write meta %s: %w", pair[0], err)
		}
	}

	for i, c := range w.contents {
		if err := w.db.exec(ctx, "INSERT INTO contents VALUES (?, ?, ?, ?)", int64(i+1), c.table, int64(c.rows),
			c.sum); err != nil {
			return fmt.Errorf("corpus: write contents of %s: %w", c.table, err)
		}
	}

	return nil
}

func (w *writer) contentSum() string { return contentSum(w.contents) }

// sideWriter inserts the rows of one side table.
type sideWriter struct {
	insert *statement
	values []driver.Value
	digest *csvHash
	rows   int
}

// checkEvery is after how many rows a writer looks at its context and reports progress.
const checkEvery = 256

// writeSide has the parts fill the side tables.
func (w *writer) writeSide(ctx context.Context, parts []part) (err error) {
	tables := map[string]*sideWriter{}

	for _, t := range w.side {
		s := &sideWriter{values: make([]driver.Value, len(t.columns)), digest: newCSVHash(columnNames(t.columns))}
		if s.insert, err = w.db.prepare(insertInto(t.name, len(t.columns))); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.insert.close()) }()

		tables[t.name] = s
	}

	put := func(table string, values ...any) error {
		s := tables[table]
		if s == nil || len(values) != len(s.values) {
			return fmt.Errorf("corpus: %d values for a row of table %q, which the dataset does not have so",
				len(values), table)
		}

		if s.rows%checkEvery == 0 {
			if err := cmp.Or(ctx.Err(), w.disk.advance()); err != nil {
				return fmt.Errorf("corpus: write row %d of %s: %w", s.rows+1, table, err)
			}

			w.meter.add(checkEvery)
		}

		if err := s.put(values); err != nil {
			return fmt.Errorf("corpus: insert row %d of %s: %w", s.rows+1, table, err)
		}

		return nil
	}
	for _, fill := range parts {
		if err := fill(ctx, put); err != nil {
			return err
		}
	}

	for _, t := range w.side {
		s := tables[t.name]
		w.contents = append(w.contents, content{t.name, s.rows, s.digest.sum()})
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
		s.digest.field(i, encodeCSV(sideText(v)))
	}

	s.digest.endRecord()
	s.rows++

	return s.insert.run(s.values)
}

// columnNames returns the first word of each declaration.
func columnNames(decl []string) []string {
	names := make([]string, len(decl))
	for i, d := range decl {
		names[i], _, _ = strings.Cut(d, " ")
	}

	return names
}

// findSide returns the description of a side table, and whether the dataset has it.
func findSide(ds toolqa.Dataset, name string) (sideTable, bool) {
	for _, t := range sideTables()[ds] {
		if t.name == name {
			return t, true
		}
	}

	return sideTable{}, false
}
