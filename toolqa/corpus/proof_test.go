package corpus

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mattn/go-sqlite3"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus/graphtest"
	"toolevo/toolqa/corpus/internal/layout"
	"toolevo/toolqa/corpus/internal/layout/layouttest"
)

// Prove proves that the writer wrote one thing: that SQLite finds its pages and indexes in order,
// that the typed table says what the tools print, row by row, that all tables have the rows and the
// hashes that the file says, which add up to content_sha256, and that the graphs of dblp are
// graphs, by the rules of the published ones where they are invented.
func (c *Corpus) Prove(ctx context.Context) error {
	// Both halves run to their end, so that a damage that both find is told in the same words each
	// time.
	var pages, blocks error
	var group sync.WaitGroup
	group.Go(func() {
		pages = c.verifyPages(ctx)
		blocks = layout.CheckBlocks(ctx, c.path)
	})

	err := c.verifyTables(ctx)

	group.Wait()

	if err = cmp.Or(err, pages, blocks); err != nil {
		return fmt.Errorf("corpus: prove %s: %w", c.path, err)
	}
	return nil
}

func (c *Corpus) verifyTables(ctx context.Context) error {
	rest := c.contents
	if c.table != nil {
		if err := c.verifyTable(ctx, rest[0]); err != nil {
			return err
		}

		rest = rest[1:]
	}

	for i, table := range layout.SideTables()[c.info.Dataset] {
		if err := c.verifySide(ctx, table, rest[i]); err != nil {
			return err
		}
	}

	if c.info.Dataset == toolqa.DBLP {
		return c.proveGraphs(ctx)
	}
	return nil
}

// verifyPages has SQLite look at every page, and compare the indexes of side tables with their
// tables. It would do the same for the typed table by looking up every row in every index, which
// takes minutes; verifyIndex does not.
func (c *Corpus) verifyPages(ctx context.Context) error {
	checks := []string{"PRAGMA quick_check(1)"}
	for _, t := range layout.SideTables()[c.info.Dataset] {
		checks = append(checks, fmt.Sprintf("PRAGMA integrity_check(%s)", t.Name))
	}

	for _, check := range checks {
		var result string
		if err := c.db.QueryRowContext(ctx, check).Scan(&result); err != nil {
			return fmt.Errorf("%s: %w", check, err)
		}

		if result != "ok" {
			return fmt.Errorf("%w: %s", layout.ErrDamaged, result)
		}
	}
	return nil
}

// verifyTable checks the typed table and the columns.
func (c *Corpus) verifyTable(ctx context.Context, want layout.Content) error {
	var columns []*checkedColumn // as the tools print them
	var hashed []*checkedColumn  // as the published file has them

	for _, col := range c.schema.Columns {
		checked, err := c.checkedColumn(ctx, col, false)
		if err != nil {
			return err
		}

		columns, hashed = append(columns, checked), append(hashed, checked)

		if col.Kind != layout.Clock {
			continue
		}

		if checked, err = c.checkedColumn(ctx, col, true); err != nil {
			return err
		}

		hashed[len(hashed)-1] = checked
	}
	var sum error
	var group sync.WaitGroup
	group.Go(func() { sum = verifyHash(ctx, want, hashed) })

	err := c.verifyTyped(ctx, want, columns)
	for _, index := range c.schema.Indexes {
		if err == nil {
			err = c.verifyIndex(ctx, want, columns, index)
		}
	}

	group.Wait()
	return cmp.Or(err, sum)
}

// verifyHash recomputes the hash of the typed table.
func verifyHash(ctx context.Context, want layout.Content, columns []*checkedColumn) error {
	names := make([]string, len(columns))

	encoded := make([][]string, len(columns))
	for i, col := range columns {
		names[i] = col.Name()
		for code := range col.Words() {
			encoded[i] = append(encoded[i], layout.EncodeCSV(col.Word(code)))
		}
	}

	digest := layout.NewCSVHash(names)

	for row := range want.Rows {
		if row%layout.CheckEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}

		for i, col := range columns {
			digest.Field(i, encoded[i][col.Code(row)])
		}

		digest.EndRecord()
	}
	return compareContent(want, layout.Content{Table: want.Table, Rows: want.Rows, Sum: digest.Sum()})
}

func compareContent(want, got layout.Content) error {
	if got != want {
		return fmt.Errorf("%w: table %s has %d rows with the hash %s; %d rows with %s were written", layout.ErrDamaged,
			want.Table,
			got.Rows, got.Sum, want.Rows, want.Sum)
	}

	return nil
}

// verifyTyped compares the typed table with what the tools print.
func (c *Corpus) verifyTyped(ctx context.Context, want layout.Content, columns []*checkedColumn) error {
	n := 0

	err := c.scan(ctx, "SELECT * FROM "+want.Table+" ORDER BY rowid",
		func(names []string, values []driver.Value) error {
			if n == 0 && !slices.Equal(names, sqlNames(c.schema)) {
				return fmt.Errorf("%w: table %s has the columns %v; expected %v", layout.ErrDamaged, want.Table, names,
					sqlNames(c.schema))
			}

			if n == want.Rows {
				return fmt.Errorf("%w: table %s has more than %d rows", layout.ErrDamaged, want.Table, n)
			}

			for i, col := range columns {
				if !col.says(n, values[i]) {
					return fmt.Errorf("%w: table %s, row %d, column %s: %v where the tools print %q", layout.ErrDamaged,
						want.Table, n+1,
						names[i], values[i], col.Text(n))
				}
			}
			n++

			return nil
		})
	if err == nil && n != want.Rows {
		err = fmt.Errorf("%w: table %s has %d rows of %d", layout.ErrDamaged, want.Table, n, want.Rows)
	}

	return err
}

// sqlNames returns the names of the columns in SQL, in order.
func sqlNames(s layout.Schema) []string {
	names := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		names[i] = c.SQLName()
	}
	return names
}

// verifyIndex compares an index with what the tools print: it holds every row once.
func (c *Corpus) verifyIndex(ctx context.Context, want layout.Content, columns []*checkedColumn, index []string) error {
	name := layout.IndexName(want.Table, index)

	keys := make([]*checkedColumn, len(index))
	for i, column := range index {
		keys[i] = columns[slices.Index(sqlNames(c.schema), column)]
	}

	seen := make([]bool, want.Rows)
	n := 0
	stmt := fmt.Sprintf("SELECT %s, rowid FROM %s INDEXED BY %s", strings.Join(index, ", "), want.Table, name)

	err := c.scan(ctx, stmt, func(_ []string, values []driver.Value) error {
		row, ok := values[len(keys)].(int64)
		if row--; !ok || row < 0 || row >= int64(len(seen)) || seen[row] {
			return fmt.Errorf("%w: index %s has an entry for row %d, which is none, or a second one", layout.ErrDamaged,
				name, row+1)
		}

		seen[row] = true
		n++

		for i, key := range keys {
			if !key.says(int(row), values[i]) {
				return fmt.Errorf("%w: index %s, row %d, column %s: %v where the tools print %q", layout.ErrDamaged,
					name, row+1, index[i], values[i], key.Text(int(row)))
			}
		}

		return nil
	})
	if err == nil && n != want.Rows {
		err = fmt.Errorf("%w: index %s has %d rows of %d", layout.ErrDamaged, name, n, want.Rows)
	}

	return err
}

// verifySide recomputes the hash of a side table.
func (c *Corpus) verifySide(ctx context.Context, table layout.SideTable, want layout.Content) error {
	digest, n := layout.NewCSVHash(layout.ColumnNames(table.Columns)), 0

	err := c.scan(ctx, "SELECT * FROM "+want.Table+" ORDER BY rowid", func(_ []string, values []driver.Value) error {
		for i, v := range values {
			digest.Field(i, layout.EncodeCSV(layout.SideText(v)))
		}

		digest.EndRecord()
		n++
		return nil
	})
	if err != nil {
		return err
	}

	return compareContent(want, layout.Content{Table: want.Table, Rows: n, Sum: digest.Sum()})
}

// scan calls use for every row of a query, without database/sql, which takes longer than all the
// rest. The values are valid until use returns.
func (c *Corpus) scan(ctx context.Context, query string, use func(names []string, values []driver.Value) error) (
	err error) {
	conn, err := c.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()

	return conn.Raw(func(raw any) (err error) {
		rows, err := raw.(*sqlite3.SQLiteConn).QueryContext(ctx, query, nil)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()

		names := rows.Columns()

		values := make([]driver.Value, len(names))
		for {
			if err := rows.Next(values); err != nil {
				if errors.Is(err, io.EOF) {
					return nil
				}
				return err
			}

			if err := use(names, values); err != nil {
				return err
			}
		}
	})
}

// checkedColumn is a column and the values that its words stand for in the typed table.
type checkedColumn struct {
	*Vector
	kind     layout.Kind
	missing  int       // the code of the word for a missing value, or -1
	numbers  []float64 // of Real columns, by code
	integers []int64   // of Integer and Bool columns, by code
}

func (c *Corpus) checkedColumn(ctx context.Context, col layout.Column, stored bool) (*checkedColumn, error) {
	v, err := c.column(ctx, col.Name, stored)
	if err == nil && v.Len() != c.info.Rows {
		err = fmt.Errorf("%w: %d rows of %d", layout.ErrDamaged, v.Len(), c.info.Rows)
	}

	if err != nil {
		return nil, fmt.Errorf("column %s: %w", col.Name, err)
	}

	checked := &checkedColumn{Vector: v, kind: col.Kind, missing: -1}
	none := layout.MissingCell(col, c.schema.IsJSON()).Text

	for code := range v.Words() {
		word := v.Word(code)
		if col.Optional && word == none {
			checked.missing = code
		}

		number, integer, err := layouttest.Typed(col.Kind, word)
		if err != nil && code != checked.missing {
			return nil, fmt.Errorf("%w: column %s: %w", layout.ErrDamaged, col.Name, err)
		}

		checked.numbers, checked.integers = append(checked.numbers, number), append(checked.integers, integer)
	}
	return checked, nil
}

// says reports whether a value of the typed table is what the tools print for the row.
func (c *checkedColumn) says(row int, value driver.Value) bool {
	code := c.Code(row)

	switch v := value.(type) {
	case nil:
		return code == c.missing
	case string:
		return v == c.Word(code) && c.kind.SQLType() == "TEXT"
	case float64:
		return c.kind == layout.Real && v == c.numbers[code] && code != c.missing
	case int64:
		return (c.kind == layout.Integer || c.kind == layout.Bool) && v == c.integers[code] && code != c.missing
	}

	return false
}

// proveGraphs also has graphs that were invented obey the rules of the published ones.
func (c *Corpus) proveGraphs(ctx context.Context) error {
	if err := c.Verify(ctx); err != nil || c.info.Source != layout.Synthetic {
		return err
	}

	d, err := graphtest.Read(ctx, c.URI())
	if err != nil {
		return err
	}
	return verifyRules(d)
}

// verifyRules makes AuthorNet and the names again, from the papers.
func verifyRules(d *graphtest.DBLP) error {
	net := layout.NewNetwork(d.Authors())
	titles, names := map[string]int{}, map[string]int{}
	next := 0 // the author who appears next

	for i := range d.Papers() {
		titles[d.Title(i)] = i
		var authors []uint32

		for _, author := range d.Paper(i).Authors {
			if author < 0 {
				continue
			}

			if author >= next {
				names[d.Author(next).Name] = next
				next++
			}

			authors = append(authors, uint32(author))
		}

		net.Add(uint32(i), authors)
	}

	if next != d.Authors() {
		return fmt.Errorf("%w: the papers name %d authors of %d", layout.ErrDamaged, next, d.Authors())
	}

	if !maps.Equal(titles, d.Titles) {
		return fmt.Errorf("%w: a title stands for another paper", layout.ErrDamaged)
	}

	if !maps.Equal(names, d.Names) {
		return fmt.Errorf("%w: a name stands for another author", layout.ErrDamaged)
	}

	papers := net.Papers()
	if len(net.Ends) != d.Edges() {
		return fmt.Errorf("%w: %d edges of AuthorNet; the papers make %d", layout.ErrDamaged, d.Edges(), len(net.Ends))
	}

	for e := range d.Edges() {
		edge, want := d.Edge(e), papers.List(e)
		if edge.Weight != len(want) || len(edge.Papers) != len(want) {
			return fmt.Errorf("%w: edge %d has the weight %d and %d papers; expected %d", layout.ErrDamaged, e,
				edge.Weight, len(edge.Papers), len(want))
		}

		for k, p := range want {
			if cited := d.Paper(int(p)).NCitation; edge.Papers[k] != int(p) || edge.NCitation[k] != cited {
				return fmt.Errorf("%w: entry %d of edge %d is paper %d with %d citations; expected %d with %d",
					layout.ErrDamaged, k, e, edge.Papers[k], edge.NCitation[k], p, cited)
			}
		}
	}

	return nil
}
