package sqltool

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/mattn/go-sqlite3"

	"toolevo/envs/pytext"
	"toolevo/envs/sandbox/worker"
	"toolevo/toolqa/corpus"
)

// childName is what the children that run statements are called.
const childName = "sql"

func init() { worker.Serve(childName, serve) }

// setup is the first request to a child: what it opens, and what a statement may take.
type setup struct {
	Options Options
	Prepare []string          // the statements that prepare the connection
	Visible map[string]string // see authorizer
	schemas []corpus.Schema   // of the visible tables; a child does not need them
}

// problem is why a statement has no result.
type problem uint8

const (
	none     problem = iota
	wrong            // it is refused, or fails
	cut              // its output was longer than allowed
	late             // its deadline passed, which the child does not know
	large            // it wanted more memory than it may have
	unstable         // as large, and the child cannot be used any more
	damaged          // the file or the disk is damaged
)

// verdict is what a child says about a statement, before its output or SQLite's error.
type verdict struct {
	Problem problem
	Took    time.Duration
	Share   float64 // of the memory that it might have, how much it took
}

// What a child may take beside what SQLite counts, in bytes.
const (
	dataLimit   = 1 << 30   // of memory that it can write
	goMemory    = 128 << 20 // of Go, above which it collects all the time
	fileMargin  = 64 << 20  // of a temporary file, beyond MaxSpill, which is checked from time to time
	mostRequest = 1 << 20
)

// serve opens a connection and answers statements until there are no more.
func serve(in io.Reader, out io.Writer) error {
	c, err := setUp(in)
	if err != nil {
		return err
	}
	return c.serve(in, out)
}

// setUp reads the setup and opens a connection.
func setUp(in io.Reader) (*conn, error) {
	frame, err := worker.ReadFrame(in, mostRequest)
	if err != nil {
		return nil, err
	}

	var s setup
	if err := json.Unmarshal(frame, &s); err != nil {
		return nil, err
	}

	if err := s.limit(); err != nil {
		return nil, err
	}
	return s.open()
}

// serve says that the child is ready, and answers statements.
func (c *conn) serve(in io.Reader, out io.Writer) error {
	if err := worker.WriteFrame(out, nil); err != nil {
		return err
	}

	for {
		stmt, err := worker.ReadFrame(in, mostRequest)
		if err != nil {
			return err
		}

		v, text := c.answer(string(stmt))

		head, err := binary.Append(nil, binary.BigEndian, v)
		if err != nil {
			return err
		}

		if err := worker.WriteFrame(out, append(head, text...)); err != nil || v.Problem == unstable {
			return err
		}
	}
}

// limit bounds what this process may take.
func (s setup) limit() error {
	runtime.GOMAXPROCS(2)   // one for SQLite, one for the runtime
	debug.SetGCPercent(400) // there is little to collect
	debug.SetMemoryLimit(goMemory)
	signal.Ignore(syscall.SIGXFSZ) // writing fails instead

	for resource, most := range map[int]uint64{
		syscall.RLIMIT_DATA:  dataLimit + uint64(s.Options.MaxMemory),
		syscall.RLIMIT_FSIZE: uint64(s.Options.MaxSpill) + fileMargin,
		syscall.RLIMIT_CORE:  0,
	} {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(resource, &now); err != nil {
			return os.NewSyscallError("getrlimit", err)
		}

		most = min(most, now.Max) // the user's limits cannot be raised
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return os.NewSyscallError("setrlimit", err)
		}
	}

	return nil
}

// conn is the connection of a child.
type conn struct {
	*sqlite3.SQLiteConn
	opts   Options
	budget *budget
}

// open opens the connection, attaches the corpora, and then removes its access to everything that a
// statement does not need.
func (s setup) open() (*conn, error) {
	// No mutex: only one goroutine uses it.
	opened, err := (&sqlite3.SQLiteDriver{}).Open("file::memory:?_mutex=no")
	if err != nil {
		return nil, fmt.Errorf("open a connection: %w", err)
	}

	c := &conn{SQLiteConn: opened.(*sqlite3.SQLiteConn), opts: s.Options, budget: &budget{}}

	// First, because the limits and the authorizer below would refuse ATTACH and PRAGMA.
	for _, stmt := range s.Prepare {
		if _, err := c.Exec(stmt, nil); err != nil {
			return nil, fmt.Errorf("%s: %w", stmt, err)
		}
	}

	hidden, err := hiddenTables(c.SQLiteConn, s.Visible)
	if err != nil {
		return nil, err
	}

	calendar, err := newCalendar()
	if err != nil {
		return nil, err
	}

	// Some of these take the place of SQLite's own functions, such as those that read the clock.
	if err := errors.Join(registerFunctions(c.SQLiteConn), registerAggregates(c.SQLiteConn, c.budget),
		calendar.register(c.SQLiteConn)); err != nil {
		return nil, err
	}

	for id, limit := range limits {
		c.SetLimit(id, limit)
	}

	c.RegisterAuthorizer(authorizer(s.Visible, hidden))
	return c, nil
}

// answer runs a statement within its limits, and returns its output or SQLite's error.
func (c *conn) answer(stmt string) (v verdict, text string) {
	start := time.Now()
	heap := bound(c.opts.MaxMemory)
	c.budget.left, c.budget.over = c.opts.MaxMemory, false

	// The driver's aggregates do not expect that SQLite has no memory for the state of one.
	defer func() {
		if recover() != nil {
			v.Problem = unstable
		}

		v.Took, v.Share = time.Since(start), heap.share()
		heap.free()
	}()

	text, err := c.print(stmt)
	if v.Problem = c.problem(err); v.Problem > cut {
		text = err.Error()
	}
	return v, text
}

// errPrepare is a statement that cannot be prepared: it is not SQL, or too large.
var errPrepare = errors.New("sqltool: prepare")

// problem says why a statement failed.
func (c *conn) problem(err error) problem {
	var e sqlite3.Error

	switch {
	case err == nil:
		return none
	case errors.Is(err, errCut):
		return cut
	case c.budget.over:
		return large
	case errors.As(err, &e) && isDamage(e.Code):
		return damaged
	// Preparing says so of a program that is too long, too.
	case e.Code == sqlite3.ErrNomem && !errors.Is(err, errPrepare):
		return large
	}

	return wrong
}

// isDamage reports whether an error is a failure of the database and not of the statement.
func isDamage(code sqlite3.ErrNo) bool {
	switch code {
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB, sqlite3.ErrIoErr, sqlite3.ErrCantOpen, sqlite3.ErrFull,
		sqlite3.ErrInternal, sqlite3.ErrMisuse:
		return true
	}

	return false
}

// print runs a statement and writes a line for each row. With errCut it is the part that is
// allowed, and a line that says so.
func (c *conn) print(sql string) (out string, err error) {
	stmt, err := c.Prepare(sql)
	if err != nil {
		return "", fmt.Errorf("%w: %w", errPrepare, err)
	}
	defer stmt.Close()

	// The deadline is the caller's, who kills this process.
	rows, err := stmt.(driver.StmtQueryContext).QueryContext(context.Background(), nil)
	if err != nil {
		return "", err
	}
	defer rows.Close()

	// SQLite names a column without an alias after its text, which was translated.
	labels := rows.Columns()
	for i, name := range labels {
		labels[i] = untranslate(name) + ": "
		if i > 0 {
			labels[i] = ", " + labels[i]
		}
	}

	var b []byte

	for n, row := 0, make([]driver.Value, len(labels)); ; n++ {
		switch err := rows.Next(row); {
		case err == io.EOF:
			return validUTF8(b), nil
		case err != nil:
			return "", err
		// Known only now, when there is a row more: a result that just fits is not cut.
		case n == c.opts.MaxRows:
			return fmt.Sprintf("%s\n[The output was cut after %d rows. Please ask for less.]", validUTF8(b),
				n), errCut
		}

		// A row of which only a part fits is left out: the agent could take the part for all of it.
		before := len(b)
		if n > 0 {
			b = append(b, '\n')
		}

		for i, label := range labels {
			b = appendCell(append(b, label...), row[i])
			if len(b) > c.opts.MaxBytes {
				return fmt.Sprintf("%s\n[The output was cut after %d bytes. Please ask for less.]",
					validUTF8(b[:before]), before), errCut
			}
		}
	}
}

// errCut is the error of an output that was longer than allowed.
var errCut = errors.New("sqltool: output cut")

// appendCell appends a value as Python prints it.
func appendCell(to []byte, v driver.Value) []byte {
	switch v := v.(type) {
	case int64:
		return strconv.AppendInt(to, v, 10)
	case float64:
		return append(to, pytext.FormatFloat(v)...)
	case string:
		return append(to, v...)
	case []byte:
		return append(to, v...)
	}

	return append(to, "None"...)
}

// validUTF8 returns a text with anything that is not UTF-8 replaced.
func validUTF8(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }
