package questions

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/mattn/go-sqlite3"

	"toolevo/envs/pytext"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// Corpus is a corpus as templates read it: the file, for the queries of their rules, and in memory what questions are
// drawn from. It is safe for concurrent use; Close it after use.
type Corpus struct {
	dataset    toolqa.Dataset
	table      *corpus.Table // nil where the dataset has none
	relations  []corpus.Relation
	network    *network
	db         *sql.DB
	statements sync.Map // *sql.Stmt by query
	answers    sync.Map // found by the queries of rules: a question that is drawn again is not answered again
}

// Load returns an opened corpus as templates read it. The opened one must outlive it.
func Load(ctx context.Context, c *corpus.Corpus) (*Corpus, error) {
	s := &Corpus{dataset: c.Dataset(), table: c.Table()}

	var err error
	switch s.dataset {
	case toolqa.SciREX:
		s.relations, err = c.Relations(ctx)
	case toolqa.DBLP:
		var graph *corpus.DBLP
		graph, err = c.DBLP(ctx)
		s.network = newNetwork(graph)
	}

	s.db = sql.OpenDB(ruleConnector{c.URI(), s})

	return s, err
}

// Close closes the corpus file.
func (s *Corpus) Close() error { return s.db.Close() }

// column returns a column of the table, which must be there.
func (s *Corpus) column(name string) (*corpus.Vector, error) {
	v, err := s.table.Column(name)
	if err == nil && v == nil {
		err = fmt.Errorf("questions: %s has no column %q", s.dataset, name)
	}

	return v, err
}

// columns sets each of the vectors to the column of its name.
func (s *Corpus) columns(named map[string]**corpus.Vector) error {
	for name, to := range named {
		var err error
		if *to, err = s.column(name); err != nil {
			return err
		}
	}

	return nil
}

// query makes the rule of a query over the typed tables of the corpus ([corpus.SchemaOf]), which has the slots as
// parameters, e.g. :date, and returns one column. Its rows, without those that are NULL, are the answer.
func (t *Template) query(query string, unique bool, join string) rule {
	var parameters []string

	for _, s := range t.slots {
		if regexp.MustCompile(":" + s.name + `\b`).MatchString(query) {
			parameters = append(parameters, s.name)
		}
	}

	if join == "" {
		join = ", "
	}

	return func(s *Corpus, slots slotValues) (string, error) {
		args, key := make([]any, len(parameters)), query
		for i, name := range parameters {
			value := slots.get(name)
			args[i], key = sql.Named(name, value), key+"\x00"+value
		}

		if found, ok := s.answers.Load(key); ok {
			return found.(answered).text, found.(answered).err
		}

		cells, rows, err := s.cells(query, args)
		a := answered{strings.Join(cells, join), err}

		if err == nil && (a.text == "" || unique && rows > 1) {
			a = answered{"", errNoAnswer}
		}

		s.answers.Store(key, a)

		return a.text, a.err
	}
}

// answered is what a rule has found.
type answered struct {
	text string
	err  error
}

// prepare returns the statement of a query.
func (s *Corpus) prepare(query string) (*sql.Stmt, error) {
	if stmt, ok := s.statements.Load(query); ok {
		return stmt.(*sql.Stmt), nil
	}

	prepared, err := s.db.Prepare(query)
	if err != nil {
		return nil, err
	}

	stmt, _ := s.statements.LoadOrStore(query, prepared)

	return stmt.(*sql.Stmt), nil
}

// cells returns the cells of a query that are not NULL, and the number of its rows.
func (s *Corpus) cells(query string, args []any) (cells []string, n int, err error) {
	stmt, err := s.prepare(query)
	if err != nil {
		return nil, 0, err
	}

	rows, err := stmt.Query(args...)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()

	for ; rows.Next(); n++ {
		var v any
		if err := rows.Scan(&v); err != nil {
			return nil, 0, err
		}

		if v != nil {
			cells = append(cells, sqlText(v))
		}
	}

	return cells, n, rows.Err()
}

// ruleConnector opens connections that have the functions the queries use.
type ruleConnector struct {
	uri    string
	source *Corpus
}

// Driver returns the driver.
func (c ruleConnector) Driver() driver.Driver { return &sqlite3.SQLiteDriver{} }

// Connect opens one connection.
func (c ruleConnector) Connect(context.Context) (driver.Conn, error) {
	return (&sqlite3.SQLiteDriver{ConnectHook: func(conn *sqlite3.SQLiteConn) error {
		for name, f := range c.source.functions() {
			if err := conn.RegisterFunc(name, f, true); err != nil {
				return fmt.Errorf("register %s: %w", name, err)
			}
		}

		return nil
	}}).Open(c.uri)
}

// functions are what the queries need beyond SQLite's own: Python's way of printing, and what some datasets need.
// Those of numbers are NULL for NULL.
func (s *Corpus) functions() map[string]any {
	return map[string]any{
		// str(v)
		"py_str": func(v any) any { return ofNumber(v, func(float64) any { return sqlText(v) }) },
		// "%.1f" % f for 1 digit
		"py_fixed": func(v any, digits int64) any {
			return ofNumber(v, func(f float64) any { return pytext.FormatFixed(f, int(digits)) })
		},
		// round(f, digits)
		"py_round": func(v any, digits int64) any {
			return ofNumber(v, func(f float64) any { return pytext.Round(f, int(digits)) })
		},
		"py_strip": func(v any) any { // v.strip()
			if text, ok := v.(string); ok {
				return pytext.Strip(text)
			}

			return nil
		},
		"score_number": func(score string) any {
			if x, ok := scoreNumber(score); ok {
				return x
			}

			return nil
		},
		"published_score": publishedScore,
		"matches":         matches,
		"clock24":         corpus.ClockText, // 09:00:00 for 9:00 AM
		"page": func(number any) any { // int(float(number))
			if n, err := pageNumber(sqlText(number)); err == nil {
				return n
			}

			return nil
		},
		"minutes": func(clock string) any { // after midnight, of 09:00:00
			if m, ok := minutesOf(clock); ok {
				return m
			}

			return nil
		},
		"clock12": func(minutes int64) string { return clock12(int(minutes)) }, // 9:00 AM for 540
		// the cell of a row as it is published
		"stored": func(name string, rowid int64) (string, error) {
			column, err := s.stored(name)
			if err != nil {
				return "", err
			}

			return column.Text(int(rowid) - 1), nil
		},
	}
}

// expressions are the compiled regular expressions of matches; nil where one cannot be compiled.
var expressions sync.Map

// matches reports whether a text matches a regular expression. It is NULL where the published code could not run it.
func matches(pattern string, text any) any {
	compiled, ok := expressions.Load(pattern)
	if !ok {
		re, _ := regexp.Compile(pattern)
		compiled, _ = expressions.LoadOrStore(pattern, re)
	}

	re := compiled.(*regexp.Regexp)
	if list, isText := text.(string); re != nil && isText {
		return re.MatchString(list)
	}

	return nil
}

// ofNumber returns f of a number of SQLite's, and NULL for what is none.
func ofNumber(v any, f func(float64) any) any {
	switch v := v.(type) {
	case int64:
		return f(float64(v))
	case float64:
		return f(v)
	}

	return nil
}

// sqlText prints a value of SQLite's as Python's str does.
func sqlText(v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return pytext.FormatFloat(v)
	case []byte:
		return string(v)
	default:
		return pytext.Str(v)
	}
}
