package sqltool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-sqlite3"

	"toolevo/envs"
	"toolevo/toolqa"
)

const (
	wrongSQL       = "There is something wrong with the SQL command you send. Please modify it."
	wrongArguments = "There is something wrong with the arguments you send for SQL. Please modify it."
)

// Call runs the statement in the argument SQL. An error of the statement, its deadline and its caps are observations
// with the outcome ToolError; an error is a broken corpus file or the end of ctx.
func (in *Interpreter) Call(ctx context.Context, s toolqa.Session, args envs.Args) (toolqa.Session, envs.Result,
	error) {
	query, ok := args.Text("SQL")
	if !ok {
		return s, envs.Result{Observation: wrongArguments, Outcome: envs.InvocationError}, nil
	}

	if len(query) > maxSQL {
		return s, envs.Result{Observation: wrongSQL, Outcome: envs.ToolError}, nil
	}

	stmt, err := translate(query, in.temporary)
	if err != nil {
		return s, envs.Result{Observation: wrongSQL, Outcome: envs.ToolError}, nil
	}

	r, err := in.remembered(ctx, stmt)

	return s, r, envs.Fail(envs.StageTool, fmt.Sprintf("SQLInterpreter[%s]", shorten(query)), err)
}

// remembered returns the result of a statement: as it was a moment ago; as it was before, where that came close to a
// limit; or else as it is now.
func (in *Interpreter) remembered(ctx context.Context, stmt string) (envs.Result, error) {
	if r, ok := in.recent.get(stmt); ok {
		return r, nil
	}

	if in.memory != nil {
		if r, ok, err := in.memory.Recall(ctx, in.key(stmt)); ok || err != nil {
			return r, err
		}
	}

	start := time.Now()

	r, share, err := in.result(ctx, stmt)
	if err != nil {
		return r, err
	}

	if time.Since(start) < in.opts.Timeout/slowShare && share < largeShare {
		in.recent.put(stmt, r)
		return r, nil
	}

	if in.memory != nil {
		err = in.memory.Remember(ctx, in.key(stmt), r)
	}

	return r, err
}

// key identifies everything that a result depends on beside the corpora.
func (in *Interpreter) key(stmt string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%v %d %d %v\x00%s", in.opts.Timeout, in.opts.MaxRows, in.opts.MaxBytes, in.opts.TextColumns, stmt)
	return "sql " + hex.EncodeToString(h.Sum(nil))
}

// result runs a statement and phrases what came of it. Share is how much of the memory and of the temporary files that
// it might have it took.
func (in *Interpreter) result(ctx context.Context, stmt string) (r envs.Result, share float64, err error) {
	observation, share, err := in.run(ctx, stmt)
	stopped := func(why string, limit any) {
		r = envs.Result{
			Observation: fmt.Sprintf(why+" and was stopped. Please modify it.", limit),
			Outcome:     envs.ToolError,
		}
	}

	switch {
	case err == nil:
		return envs.Result{Observation: observation}, share, nil
	case ctx.Err() != nil:
		return envs.Result{}, share, ctx.Err()
	case errors.Is(err, errCut):
		r = envs.Result{Observation: observation, Outcome: envs.ToolError}
	case errors.Is(err, errLate):
		stopped("The SQL command ran longer than %v", in.opts.Timeout)
	case errors.Is(err, errMemory):
		share = 1

		stopped("The SQL command took more than %s of memory", size(in.opts.MaxMemory))
	case errors.Is(err, errSpill):
		share = 1

		stopped("The SQL command took more than %s for sorting and grouping", size(in.opts.MaxSpill))
	case !ours(err):
		r = envs.Result{Observation: wrongSQL, Outcome: envs.ToolError}
	default:
		return envs.Result{}, share, err
	}

	return r, share, nil
}

// size writes a number of bytes.
func size(n int64) string {
	if n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}

	return fmt.Sprintf("%d bytes", n)
}

// errCut is the error of an output that was longer than allowed.
var errCut = errors.New("sqltool: output cut")

// grace is how long after its deadline a statement is waited for.
const grace = 20 * time.Millisecond

// run returns the output of a statement. With errCut it is the part that is allowed, and a line that says so.
//
// The statement ends by itself at its deadline, or shortly after. Where that takes it longer than the grace,
// as when the disk is slow, it is left to end alone, and its connection is free for others when it has.
func (in *Interpreter) run(ctx context.Context, stmt string) (out string, share float64, err error) {
	c, err := in.pool.take(ctx)
	if err != nil {
		return "", 0, broken{err}
	}
	type printed struct {
		out   string
		share float64
		err   error
	}

	c.budget.rearm()

	done := make(chan printed, 1)
	running := &running{budget: c.budget}

	late := time.NewTimer(in.opts.Timeout + grace)
	defer late.Stop()

	go func() {
		out, share, err := in.print(c, stmt)

		running.end()
		in.pool.give(c)

		done <- printed{out, share, err}
	}()

	select {
	case p := <-done:
		return p.out, p.share, p.err
	case <-late.C:
		return "", 1, errLate
	case <-ctx.Done():
		running.cancel()
	}

	late.Reset(grace)

	select {
	case <-done:
	case <-late.C:
	}

	return "", 0, ctx.Err()
}

// running is a statement that can be cancelled for as long as its connection is its own.
type running struct {
	mu     sync.Mutex
	budget *budget // nil when it has ended
}

func (r *running) cancel() {
	r.mu.Lock()
	defer r.mu.Unlock()

	if r.budget != nil {
		r.budget.cancel()
	}
}

func (r *running) end() {
	r.mu.Lock()
	defer r.mu.Unlock()

	r.budget = nil
}

// print runs a statement on a connection and writes a line for each row.
func (in *Interpreter) print(c *conn, stmt string) (out string, share float64, err error) {
	defer func() { share = c.budget.finish() }()

	c.room.begin(time.Now().Add(in.opts.Timeout + grace/2)) // later than by the clock of the budget

	columns, err := c.budget.start(stmt, in.opts.Timeout)
	if err != nil {
		return "", 0, err
	}

	for i, name := range columns {
		columns[i] = untranslate(name) + ": "
		if i > 0 {
			columns[i] = ", " + columns[i]
		}
	}
	var b []byte

	for n := 0; ; n++ {
		more, err := c.budget.next()
		switch {
		case err != nil:
			return "", 0, err
		case !more:
			return valid(b), 0, nil
		case n == in.opts.MaxRows:
			return fmt.Sprintf("%s\n[The output was cut after %d rows. Please ask for less.]", valid(b), n), 0, errCut
		}

		before := len(b)
		if n > 0 {
			b = append(b, '\n')
		}

		for i, name := range columns {
			b = c.budget.appendCell(append(b, name...), i)
			if len(b) > in.opts.MaxBytes {
				return fmt.Sprintf("%s\n[The output was cut after %d bytes. Please ask for less.]", valid(b[:before]),
					before), 0, errCut
			}
		}
	}
}

// valid returns a text without what is no UTF-8 in it.
func valid(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

// broken marks the error of a connection that could not be opened.
type broken struct{ error }

func (b broken) Unwrap() error { return b.error }

// ours reports whether an error is a failure of the database and not of the statement.
func ours(err error) bool {
	var b broken
	if errors.As(err, &b) {
		return true
	}

	var e sqliteError
	if !errors.As(err, &e) {
		return false
	}

	switch sqlite3.ErrNo(e.code) {
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB, sqlite3.ErrIoErr, sqlite3.ErrCantOpen, sqlite3.ErrFull,
		sqlite3.ErrInternal, sqlite3.ErrMisuse:
		return true
	}

	return e.host // SQLite calls a program that is too long "out of memory", too
}

// shorten keeps an error message readable when the statement is not.
func shorten(query string) string {
	if len(query) > 200 {
		return strings.ToValidUTF8(query[:200], "") + "..."
	}

	return query
}
