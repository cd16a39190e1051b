package sqltool

import (
	"fmt"
	"slices"
	"strings"

	"toolevo/envs/silent"
)

// view is a table that is deployed in another form than it is stored.
type view struct {
	table, schema string
	query         string // its definition, as a WITH has it
}

// deployed returns a query without the marks that end it (see silent.Marked), and views of the
// tables that they are about. Conversions are computed like those of answers: in decimal
// arithmetic.
func (in *Interpreter) deployed(sql string) (string, []view) {
	sql, changes := silent.Marked(sql)
	if len(changes) == 0 {
		return sql, nil
	}

	var views []view

	for _, schema := range in.schemas {
		// With text columns the table is itself a view in temp, whose columns have published names.
		from, changed := string(schema.Dataset), false
		if in.opts.TextColumns {
			from = "temp"
		}

		columns := make([]string, len(schema.Columns))
		for i, c := range schema.Columns {
			name, kind := quote(c.SQLName()), c.Kind.SQLType()
			if in.opts.TextColumns {
				name, kind = quote(publishedName(schema.Dataset, c.SQLName())), "TEXT"
			}

			columns[i] = name
			for _, change := range changes {
				columns[i] = recoded(change, c.Name, columns[i])
			}

			// A CAST, so that SQLite compares the expression as it compared the column.
			if columns[i] != name {
				columns[i] = fmt.Sprintf("CAST(%s AS %s) AS %s", columns[i], kind, name)
				changed = true
			}
		}

		// NOT MATERIALIZED, since SQLite would make a table of it where it is named twice.
		if changed {
			views = append(views, view{schema.Table, string(schema.Dataset),
				fmt.Sprintf("%s AS NOT MATERIALIZED (SELECT %s FROM %s.%[1]s)", schema.Table,
					strings.Join(columns, ", "), from)})
		}
	}

	return sql, views
}

// dayFirst is a text that begins with a date, $, with the day first.
const dayFirst = "CASE WHEN $ GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*' THEN substr($, 9, 2) || '/' || " +
	"substr($, 6, 2) || '/' || substr($, 1, 4) || substr($, 11) ELSE $ END"

// recoded returns the expression of a column after a change; was is the one before.
func recoded(change silent.Change, column, was string) string {
	switch {
	case change.Scaled != nil && slices.Contains(change.Scaled.Fields, column):
		return fmt.Sprintf("shift_point(%s, %d)", was, change.Scaled.Zeros)
	case change.Dated != nil && slices.Contains(change.Dated.Fields, column):
		return strings.ReplaceAll(dayFirst, "$", was)
	case change.Zoned != nil && slices.Contains(change.Zoned.Fields, column):
		return fmt.Sprintf("shift_time(%s, %d)", was, change.Zoned.Hours)
	}

	return was
}

// readViews makes a statement read views instead of the tables of their names.
func (s *statement) readViews(views []view) {
	var all []string

	for _, v := range views {
		all = append(all, v.query)

		for i := range s.tokens {
			if s.is(i+1, ".") && i+2 < len(s.tokens) && strings.EqualFold(s.tokens[i].identifier(), v.schema) &&
				strings.EqualFold(s.tokens[i+2].identifier(), v.table) {
				s.change(i, "")
				s.change(i+1, "")
			}
		}
	}

	with, recursive := strings.Join(all, ", "), 0
	if s.is(1, "RECURSIVE") {
		recursive = 1
	}

	switch {
	case with == "":
	case s.is(0, "WITH"):
		s.edits[recursive].after += " " + with + ","
	default:
		s.edits[0].before = "WITH " + with + " " + s.edits[0].before
	}
}
