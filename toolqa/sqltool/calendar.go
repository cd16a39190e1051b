package sqltool

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/mattn/go-sqlite3"
)

// dateFunctions are SQLite's functions that can read the clock, each with the number of arguments
// without which it does.
var dateFunctions = map[string]int{
	"date": 1, "time": 1, "datetime": 1, "julianday": 1, "unixepoch": 1, "strftime": 2,
}

var errClock = errors.New("sqltool: the clock and the time zone are not available")

// calendar replaces SQLite's date functions: it refuses what depends on the clock or the time zone
// of the machine, and computes the rest on a connection of its own, where the functions are still
// SQLite's.
type calendar struct {
	conn  *sqlite3.SQLiteConn
	stmts map[string]*sqlite3.SQLiteStmt
	known map[string]any // what calls returned: a statement asks for few dates, but often
	key   []byte
}

// maxKnown and maxKnownSize bound how many calls a calendar knows, and the bytes of each.
const (
	maxKnown     = 1 << 14
	maxKnownSize = 128
)

func newCalendar() (*calendar, error) {
	conn, err := (&sqlite3.SQLiteDriver{}).Open(":memory:")
	if err != nil {
		return nil, fmt.Errorf("open the calendar: %w", err)
	}

	c := &calendar{conn: conn.(*sqlite3.SQLiteConn), stmts: map[string]*sqlite3.SQLiteStmt{},
		known: map[string]any{}}
	c.conn.SetLimit(sqlite3.SQLITE_LIMIT_LENGTH, limits[sqlite3.SQLITE_LIMIT_LENGTH])
	return c, nil
}

// register replaces SQLite's functions by the calendar.
func (c *calendar) register(to *sqlite3.SQLiteConn) error {
	for name, least := range dateFunctions {
		call := func(args ...any) (any, error) {
			if len(args) < least || readsClock(name, args) {
				return nil, errClock
			}

			if v, ok := alone(name, args); ok {
				return v, nil
			}
			return c.call(name, args)
		}
		if err := to.RegisterFunc(name, call, true); err != nil {
			return fmt.Errorf("register %s: %w", name, err)
		}
	}

	return nil
}

// alone returns what MySQL's DATE or TIME makes of a text or a whole number alone: they read more
// forms, and refuse invalid days. It reports false of other calls, and of a number with a fraction,
// which is a Julian day.
func alone(name string, args []any) (any, bool) {
	v := args[0]
	if f, ok := v.(float64); ok && f == math.Trunc(f) {
		v = toInt(f)
	}

	_, isText := v.(string)
	if _, isWhole := v.(int64); len(args) > 1 || !isText && !isWhole {
		return nil, false
	}

	switch name {
	case "date":
		return ofMoment(func(m moment) any { return m.Format(time.DateOnly) })([]any{v}), true
	case "time":
		return ofClock(func(d time.Duration) any { return clockText(d) })([]any{v}), true
	}
	return nil, false
}

// readsClock reports whether a call names the present or the time zone of the machine.
func readsClock(name string, args []any) bool {
	if name == "strftime" {
		args = args[1:]
	}

	for i, arg := range args { // a time, and modifiers
		switch word := strings.ToLower(cText(arg)); word {
		case "now", "localtime", "utc":
			return true
		case "subsec", "subsecond": // a modifier, too
			if i == 0 {
				return true
			}
		}
	}

	return false
}

// cText returns what SQLite's date functions read from an argument that is not a number: all before
// its first NUL.
func cText(arg any) string {
	s, ok := arg.(string)
	if !ok {
		b, _ := arg.([]byte)
		s = string(b)
	}

	s, _, _ = strings.Cut(s, "\x00")
	return s
}

// call returns what SQLite's function returns.
func (c *calendar) call(name string, args []any) (any, error) {
	c.key = appendCall(c.key[:0], name, args)
	if v, ok := c.known[string(c.key)]; ok {
		return v, nil
	}

	key := string(c.key)

	v, err := c.ask(name, args)
	if err != nil {
		return nil, err
	}

	text, _ := v.(string)
	if len(key)+len(text) <= maxKnownSize {
		if len(c.known) == maxKnown {
			clear(c.known)
		}

		c.known[key] = v
	}
	return v, nil
}

// ask runs the function on the connection of the calendar.
func (c *calendar) ask(name string, args []any) (_ any, err error) {
	// There are only a few functions, with a few numbers of arguments: their statements are kept.
	query := "SELECT " + name + "(?" + strings.Repeat(",?", len(args)-1) + ")"

	stmt, ok := c.stmts[query]
	if !ok {
		prepared, err := c.conn.Prepare(query)
		if err != nil {
			return nil, err
		}

		stmt = prepared.(*sqlite3.SQLiteStmt)
		c.stmts[query] = stmt
	}

	values := make([]driver.NamedValue, len(args))
	for i, arg := range args {
		values[i] = driver.NamedValue{Ordinal: i + 1, Value: arg}
	}

	// SQLite calls this from within a statement, and has no context to hand over.
	rows, err := stmt.QueryContext(context.Background(), values)
	if err != nil {
		return nil, err
	}

	// A kept statement can be run again only when its rows are closed.
	defer func() { err = errors.Join(err, rows.Close()) }()

	var result [1]driver.Value
	if err := rows.Next(result[:]); err != nil {
		return nil, err
	}
	return result[0], nil
}

// appendCall appends a text that two calls share only if they are equal.
func appendCall(b []byte, name string, args []any) []byte {
	b = append(b, name...)

	for _, arg := range args {
		switch v := arg.(type) {
		case int64:
			b = binary.BigEndian.AppendUint64(append(b, 'i'), uint64(v))
		case float64:
			b = binary.BigEndian.AppendUint64(append(b, 'f'), math.Float64bits(v))
		case string:
			b = append(binary.AppendUvarint(append(b, 's'), uint64(len(v))), v...)
		case []byte:
			kind := byte('b')
			if v == nil { // NULL
				kind = 'n'
			}

			b = append(binary.AppendUvarint(append(b, kind), uint64(len(v))), v...)
		}
	}
	return b
}
