package silent

import (
	"regexp"
	"slices"
	"strings"
)

// query is a change of columns of the tables that a parameter queries in SQL. If a mark ends the
// query, the tool sees the tables as they are deployed ([Marked]); a caller that knows replaces
// each table named by one in which the columns are what they were.
type query struct {
	columns []string
	mark    string
	begin   string // of the replacement of a table, up to the table's name
}

// A mark is a note in an SQL comment, on a line of its own.
const (
	markBegin = "\n/* " + NoteWord
	markEnd   = " */"
)

// newQuery returns the change that a note describes; see recoded.
func newQuery(fields []string, note, former string) query {
	q := query{mark: markBegin + note + markEnd}
	for _, name := range fields {
		column := strings.ReplaceAll(name, " ", "_") // SQL names have no spaces
		q.columns = append(q.columns, column)
		q.begin += strings.ReplaceAll(former, "$", column) + " AS " + column + ", "
	}

	q.begin = "(SELECT " + q.begin + "* FROM "
	return q
}

var (
	named   = regexp.MustCompile(`(?i)\b((?:FROM|JOIN)\s+)(\w+\.\w+)\b`) // a table
	starred = regexp.MustCompile(`(?i)(?:\b(?:SELECT|DISTINCT|ALL)|[.,])\s*\*`)
	words   = regexp.MustCompile(`\w+`)
)

// isAsked reports whether a query may name one of the columns.
func (q query) isAsked(sql string) bool {
	isColumn := func(word string) bool {
		return slices.ContainsFunc(q.columns, func(name string) bool {
			return strings.EqualFold(name, word)
		})
	}
	return starred.MatchString(sql) || slices.ContainsFunc(words.FindAllString(sql, -1), isColumn)
}

func (q query) lift(sql string) string {
	if rest, ok := q.unmarked(sql); ok || !q.isAsked(sql) {
		return rest
	}

	lifted := named.ReplaceAllStringFunc(sql, func(table string) string {
		at := named.FindStringSubmatchIndex(table)
		return table[:at[4]] + q.begin + table[at[4]:] + ")"
	})
	if lifted == sql { // it names no table in the usual way
		return sql + q.mark
	}

	return lifted
}

func (q query) lower(sql string) string {
	if rest, ok := q.unmarked(sql); ok || !q.isAsked(sql) {
		return rest
	}

	within := regexp.MustCompile(regexp.QuoteMeta(q.begin) + `(\w+\.\w+)\)`)
	if lowered := within.ReplaceAllString(sql, "$1"); lowered != sql && q.lift(lowered) == sql {
		return lowered
	}
	return sql + q.mark
}

func (q query) unmarked(sql string) (rest string, ok bool) {
	before, after, ok := strings.Cut(sql, q.mark)
	return before + after, ok
}

// Marked returns a query without the marks at its end, and the changes that they denote, in the
// order in which they were made.
func Marked(sql string) (string, Changes) {
	var all Changes

	for {
		body, _ := strings.CutSuffix(sql, markEnd)
		at := strings.LastIndex(body, markBegin)

		if at < 0 || body == sql {
			return sql, all
		}

		c, ok := ParseNote(body[at+len(markBegin):])
		if !ok {
			return sql, all
		}

		all, sql = append(all, c), body[:at]
	}
}
