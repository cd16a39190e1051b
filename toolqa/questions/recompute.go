package questions

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"embed"
	"fmt"
	"strings"
	"sync"

	"github.com/mattn/go-sqlite3"

	"toolevo/envs/pytext"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// Recomputer finds answers a second time, by each template's query over the corpus file instead of its rule. It is safe
// for concurrent use; Close it after use.
type Recomputer struct {
	db   *sql.DB
	rows Corpus
}

// NewRecomputer returns the recomputer of an opened corpus.
func NewRecomputer(ctx context.Context, c *corpus.Corpus) (*Recomputer, error) {
	rows, err := Load(c)
	if err != nil {
		return nil, err
	}

	r := &Recomputer{sql.OpenDB(checkConnector{c.URI()}), rows}
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
	if m.Template.check() == "" {
		return Gold(m, r.rows)
	}

	fail := func(err error) (string, error) {
		return "", fmt.Errorf("questions: recompute %q (%s): %w", m.Question(), m.Template.Name, err)
	}
	var args []any
	query := m.Template.check()

	for _, s := range m.Slots {
		if strings.Contains(query, ":"+s.Name) {
			args = append(args, sql.Named(s.Name, s.Value))
		}
	}

	rows, err := r.db.QueryContext(ctx, query, args...)
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

// checkFiles are the second opinions: a file for each dataset.
//
//go:embed checks/*.yaml
var checkFiles embed.FS

// checks are the queries of all templates, by their names.
var checks = sync.OnceValue(func() map[string]string {
	all := map[string]string{}

	for _, ds := range toolqa.Datasets() {
		if families()[ds].open == nil {
			continue
		}

		file := toolqa.DecodeFile[struct{ Parts, Queries map[string]string }](checkFiles, "checks/"+string(ds)+".yaml")

		var parts []string
		for name, part := range file.Parts {
			parts = append(parts, "{"+name+"}", part)
		}

		for name, query := range file.Queries {
			all[name] = strings.NewReplacer(parts...).Replace(query)
		}
	}

	return all
})

// check returns a query over the dataset's corpus file that finds the right answer without the rule: a second opinion.
// It uses the typed tables (corpus.SchemaOf) and slots as parameters, e.g. :date, and returns one column.
func (t *Template) check() string { return checks()[t.Name] }

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
	"py_round": func(f float64, digits int64) float64 { return pytext.Round(f, int(digits)) },
}
