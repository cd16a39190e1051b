package questions

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/mattn/go-sqlite3"

	"toolevo/envs/pytext"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// Corpus is a corpus as templates read it: the file, for their queries, and its table, whose rows
// are drawn. It is safe for concurrent use; Close it after use.
type Corpus struct {
	dataset    toolqa.Dataset
	table      *corpus.Table // nil where the dataset has none
	db         *sql.DB
	statements sync.Map // *sql.Stmt by query
	answers    sync.Map // of rules: a question that is drawn again is not answered again
	lists      sync.Map // []int64 by query
}

// Load returns an opened corpus as templates read it. The opened one must outlive it.
func Load(ctx context.Context, c *corpus.Corpus) (*Corpus, error) {
	s := &Corpus{dataset: c.Dataset(), table: c.Table()}
	s.db = sql.OpenDB(ruleConnector{c.URI(), s})
	return s, s.db.PingContext(ctx)
}

// Close closes the corpus file.
func (c *Corpus) Close() error { return c.db.Close() }

// query is a query over the tables of the corpus ([corpus.SchemaOf]), with the names of its
// parameters, e.g. :date.
type query struct {
	text       string
	parameters []string
}

// newQuery returns a query with those of the parameters that occur in it.
func newQuery(text string, parameters ...string) *query {
	q := &query{text: text}

	for _, name := range parameters {
		if regexp.MustCompile(":" + name + `\b`).MatchString(text) {
			q.parameters = append(q.parameters, name)
		}
	}

	return q
}

// each runs the query and calls row with the values of every row, which are its own.
func (q *query) each(c *Corpus, values map[string]any, row func(columns []string, row []any)) error {
	// Draws ask the same few queries thousands of times, so their statements are kept.
	stmt, err := c.prepare(q.text)
	if err != nil {
		return err
	}

	args := make([]any, len(q.parameters))
	for i, name := range q.parameters {
		args[i] = sql.Named(name, values[name])
	}

	rows, err := stmt.Query(args...)
	if err != nil {
		return err
	}
	defer rows.Close()

	columns, err := rows.Columns()
	if err != nil {
		return err
	}

	for rows.Next() {
		// New for every row: what gets them may keep them.
		cells, to := make([]any, len(columns)), make([]any, len(columns))
		for i := range cells {
			to[i] = &cells[i]
		}

		if err := rows.Scan(to...); err != nil {
			return err
		}

		row(columns, cells)
	}
	return rows.Err()
}

// record returns the values of the last row by the names of their columns; nil where there is no
// row, or one is NULL.
func (q *query) record(c *Corpus, values map[string]any) (record map[string]string, err error) {
	err = q.each(c, values, func(columns []string, row []any) {
		record = map[string]string{}
		for i, name := range columns {
			if record == nil || row[i] == nil {
				record = nil
				return
			}

			record[name] = sqlText(row[i])
		}
	})
	return record, err
}

// list returns the numbers that a query of one column without parameters finds. They are kept.
func (c *Corpus) list(q *query) (numbers []int64, err error) {
	if known, ok := c.lists.Load(q.text); ok {
		return known.([]int64), nil
	}

	err = q.each(c, nil, func(_ []string, row []any) {
		if n, ok := row[0].(int64); ok {
			numbers = append(numbers, n)
		}
	})
	if err == nil {
		c.lists.Store(q.text, numbers)
	}

	return numbers, err
}

// answered is what a rule has found.
type answered struct {
	text string
	err  error
}

// rule makes the rule of a query of one column. Its rows, without those that are NULL, are the
// answer.
func (t *Template) rule(text string, unique bool, join string) rule {
	names := make([]string, len(t.slots))
	for i, s := range t.slots {
		names[i] = s.name
	}

	q := newQuery(text, names...)
	// What becomes of the rows belongs to the answer as much as the query does.
	asked := fmt.Sprintf("%s\x00%v\x00%s", text, unique, join)
	return func(c *Corpus, slots slotValues) (string, error) {
		// Slots that the query does not name cannot change its answer, so they are not in the key.
		values, key := map[string]any{}, asked
		for _, name := range q.parameters {
			values[name] = slots.get(name)
			key += "\x00" + slots.get(name)
		}

		if found, ok := c.answers.Load(key); ok {
			return found.(answered).text, found.(answered).err
		}

		var cells []string

		n := 0
		err := q.each(c, values, func(_ []string, row []any) {
			n++
			if row[0] != nil {
				cells = append(cells, sqlText(row[0]))
			}
		})

		a := answered{strings.Join(cells, cmp.Or(join, ", ")), err}
		// Where only one row can answer, several leave open which does.
		if err == nil && (a.text == "" || unique && n > 1) {
			a = answered{"", errNoAnswer}
		}

		c.answers.Store(key, a)
		return a.text, a.err
	}
}

// prepare returns the statement of a query.
func (c *Corpus) prepare(query string) (*sql.Stmt, error) {
	if stmt, ok := c.statements.Load(query); ok {
		return stmt.(*sql.Stmt), nil
	}

	prepared, err := c.db.Prepare(query)
	if err != nil {
		return nil, err
	}

	stmt, _ := c.statements.LoadOrStore(query, prepared)
	return stmt.(*sql.Stmt), nil
}

// mapped is how much of the file a connection reads without copying it: draws look at many rows.
const mapped = 8 << 30

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

		_, err := conn.Exec(fmt.Sprintf("PRAGMA mmap_size = %d", mapped), nil)
		return err
	}}).Open(c.uri)
}

// functions are what the queries need beyond SQLite's own: Python's way of printing, places on the
// Earth, and what some datasets need. Those of numbers are NULL for NULL.
func (c *Corpus) functions() map[string]any {
	return map[string]any{
		// str(v)
		"py_str": func(v any) any { return ofNumbers(func([]float64) any { return sqlText(v) })(v) },
		// "%.1f" % f for 1 digit
		"py_fixed": ofNumbers(func(x []float64) any { return pytext.FormatFixed(x[0], int(x[1])) }),
		// round(f, digits)
		"py_round": ofNumbers(func(x []float64) any { return pytext.Round(x[0], int(x[1])) }),
		"py_strip": func(v any) any { // v.strip()
			if text, ok := v.(string); ok {
				return pytext.Strip(text)
			}
			return nil
		},
		// metres(latitude, longitude, latitude, longitude)
		"metres": ofNumbers(func(x []float64) any { return place{x[0], x[1]}.metresTo(place{x[2], x[3]}) }),
		// ahead_lat(latitude, longitude, bearing, metres), and the longitude of that place
		"ahead_lat":  ofNumbers(func(x []float64) any { return place{x[0], x[1]}.ahead(x[2], x[3]).lat }),
		"ahead_long": ofNumbers(func(x []float64) any { return place{x[0], x[1]}.ahead(x[2], x[3]).long }),
		"item":       item,
		"words":      func(text string) int { return len(strings.FieldsFunc(text, isGap)) },
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
		// These query the corpus on another connection, since theirs is in the middle of a query.
		"distance": c.distance,
		"alone":    c.alone,
		// The cell of a row as it is published: the typed table has times on 24 hours.
		"stored": func(name string, rowid int64) (string, error) {
			column, err := c.stored(name)
			if err != nil {
				return "", err
			}
			return column.Text(int(rowid) - 1), nil
		},
	}
}

// item returns one of the items of a list with a comma and a space between them, that at a share of
// its length.
func item(list any, share float64) any {
	text, ok := list.(string)
	if !ok {
		return nil
	}

	items := strings.Split(text, ", ")
	return items[int(share*float64(len(items)))]
}

// isGap says which characters may be between the words of an observation.
func isGap(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == ':' }

// expressions are the compiled regular expressions of matches; nil where one cannot be compiled.
var expressions sync.Map

// matches reports whether a text matches a regular expression. It is NULL where the published code
// could not run it.
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

// ofNumbers returns f as a function of SQL, which is NULL if an argument is not a number.
func ofNumbers(f func(x []float64) any) func(args ...any) any {
	return func(args ...any) any {
		numbers := make([]float64, len(args))

		for i, arg := range args {
			switch v := arg.(type) {
			case int64:
				numbers[i] = float64(v)
			case float64:
				numbers[i] = v
			default:
				return nil
			}
		}

		return f(numbers)
	}
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
