package sqltool

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"github.com/mattn/go-sqlite3"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// Options are the limits and variants of the tool. The zero value of each field means its default.
type Options struct {
	Timeout  time.Duration // how long one statement may run; default 5 s
	MaxRows  int           // how many rows it may print; default 10,000
	MaxBytes int           // how many bytes it may print; default 1 MiB
	Conns    int           // how many statements run at once; default 4

	// TextColumns reproduces the published database, in which every column is text: MAX, ORDER BY and comparisons go
	// by characters unless the statement casts.
	TextColumns bool
}

func (o Options) withDefaults() Options {
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}
	if o.MaxRows == 0 {
		o.MaxRows = 10_000
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 1 << 20
	}
	if o.Conns == 0 {
		o.Conns = 4
	}
	return o
}

// Interpreter is the tool SQLInterpreter[SQL]. It is safe for concurrent use; Close releases its connections.
type Interpreter struct {
	db     *sql.DB
	opts   Options
	rename map[string]string // see translate
	memory toolqa.Memory     // may be nil
}

// New returns the tool over the given corpora. Each is the schema of its dataset's name.
func New(ctx context.Context, opts Options, corpora ...*corpus.Corpus) (*Interpreter, error) {
	if opts.Timeout < 0 || opts.MaxRows < 0 || opts.MaxBytes < 0 || opts.Conns < 0 {
		return nil, fmt.Errorf("sqltool: negative limit in %+v", opts)
	}
	opts = opts.withDefaults()
	in := &Interpreter{opts: opts, rename: map[string]string{}}
	if opts.TextColumns {
		for _, c := range corpora {
			in.rename[strings.ToLower(c.Schema().Table)] = c.Schema().TextTable()
		}
	}
	in.db = sql.OpenDB(newConnector(opts, corpora))
	in.db.SetMaxOpenConns(opts.Conns)
	in.db.SetMaxIdleConns(opts.Conns)
	if err := in.db.PingContext(ctx); err != nil {
		in.db.Close()
		return nil, fmt.Errorf("sqltool: open the corpora: %w", err)
	}
	return in, nil
}

// slowShare is the share of the deadline from which on a statement counts as slow.
const slowShare = 10

// WithMemory returns the same tool with a memory for slow statements: on another day, or on another machine, what took a
// tenth of the deadline or more might end beyond it, and give another observation. Close the original only.
func (in *Interpreter) WithMemory(m toolqa.Memory) *Interpreter {
	c := *in
	c.memory = m
	return &c
}

// Close waits for the statements that are running and closes the connections.
func (in *Interpreter) Close() error { return in.db.Close() }

// connector opens connections that can read the corpora and do nothing else.
type connector struct{ driver *sqlite3.SQLiteDriver }

func newConnector(opts Options, corpora []*corpus.Corpus) *connector {
	visible := map[string]string{}
	attach := []string{
		"PRAGMA trusted_schema = OFF",
		"PRAGMA temp_store = FILE", // a large sort spills instead of filling the memory
		"PRAGMA cache_size = -8000",
	}
	for _, c := range corpora {
		ds := string(c.Dataset())
		table := c.Schema().Table
		if opts.TextColumns {
			table = c.Schema().TextTable()
		}
		visible[strings.ToLower(table)] = ds
		attach = append(attach,
			fmt.Sprintf("ATTACH DATABASE '%s' AS %s", strings.ReplaceAll(c.URI(), "'", "''"), ds),
			fmt.Sprintf("SELECT 1 FROM %s.%s LIMIT 1", ds, table)) // reads the schema, which the authorizer would refuse
	}
	return &connector{&sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
		for _, stmt := range attach {
			if _, err := c.Exec(stmt, nil); err != nil {
				return fmt.Errorf("%s: %w", stmt, err)
			}
		}
		if err := registerFunctions(c); err != nil {
			return err
		}
		for id, limit := range limits {
			c.SetLimit(id, limit)
		}
		c.RegisterAuthorizer(authorizer(visible))
		return nil
	}}}
}

// Connect opens one connection.
func (c *connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(":memory:") }

// Driver returns the driver.
func (c *connector) Driver() driver.Driver { return c.driver }
