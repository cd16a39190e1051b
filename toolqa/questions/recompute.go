package questions

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strconv"
	"strings"

	"github.com/mattn/go-sqlite3"

	"toolevo/envs/pytext"
	"toolevo/toolqa/corpus"
)

// Recomputer finds answers a second time, by each template's query over the corpus file instead of its rule. It is safe
// for concurrent use; Close it after use.
type Recomputer struct {
	db *sql.DB
}

// NewRecomputer returns the recomputer of an opened corpus.
func NewRecomputer(ctx context.Context, c *corpus.Corpus) (*Recomputer, error) {
	r := &Recomputer{sql.OpenDB(checkConnector{c.URI()})}
	if err := r.db.PingContext(ctx); err != nil {
		r.db.Close()
		return nil, fmt.Errorf("questions: recompute over %s: %w", c.Path(), err)
	}

	return r, nil
}

// Close closes the corpus file.
func (r *Recomputer) Close() error { return r.db.Close() }

// Answer returns what the template's query finds for a question. No row is an error for which IsNoAnswer holds.
func (r *Recomputer) Answer(ctx context.Context, m Match) (string, error) {
	fail := func(err error) (string, error) {
		return "", fmt.Errorf("questions: recompute %q (%s): %w", m.Question(), m.Template.Name, err)
	}
	var args []any

	for _, s := range m.Slots {
		if strings.Contains(m.Template.check, ":"+s.Name) {
			args = append(args, sql.Named(s.Name, s.Value))
		}
	}

	rows, err := r.db.QueryContext(ctx, m.Template.check, args...)
	if err != nil {
		return fail(err)
	}
	defer rows.Close()
	var cells []string

	for rows.Next() {
		var v any
		if err := rows.Scan(&v); err != nil {
			return fail(err)
		}

		if v == nil {
			continue
		}

		cells = append(cells, sqlText(v))
	}

	if err := rows.Err(); err != nil {
		return fail(err)
	}

	if len(cells) == 0 {
		return fail(errNoAnswer)
	}

	sep := m.Template.sep
	if sep == "" {
		sep = ", "
	}

	return strings.Join(cells, sep), nil
}

// checkConnector opens connections that have the functions the queries use.
type checkConnector struct{ uri string }

// Driver returns the driver.
func (c checkConnector) Driver() driver.Driver { return &sqlite3.SQLiteDriver{} }

// Connect opens one connection.
func (c checkConnector) Connect(context.Context) (driver.Conn, error) {
	return (&sqlite3.SQLiteDriver{ConnectHook: func(conn *sqlite3.SQLiteConn) error {
		for name, f := range checkFunctions {
			if err := conn.RegisterFunc(name, f, true); err != nil {
				return fmt.Errorf("register %s: %w", name, err)
			}
		}

		return nil
	}}).Open(c.uri)
}

// checkFunctions are what the queries need beyond SQLite's own: Python's way of printing, and what some
// datasets measure by.
var checkFunctions = map[string]any{
	"py_str": sqlText, // str(v)
	// "%.1f" % f for 1 digit
	"py_fixed": func(f float64, digits int64) string { return pytext.FormatFixed(f, int(digits)) },
	// round(f, digits)
	"py_round":       func(f float64, digits int64) float64 { return pytext.Round(f, int(digits)) },
	"geodesic_miles": geodesicMiles,
	"agenda_clock":   corpus.ClockText, // 09:00:00 for 9:00 AM
	"agenda_clock12": fromPrinted,      // 9:00 AM for 09:00:00
	"agenda_word":    agendaWord,       // a cell of the table cells
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
