package sqltool

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-sqlite3"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/toolqa"
)

const (
	wrongSQL       = "There is something wrong with the SQL command you send. Please modify it."
	wrongArguments = "There is something wrong with the arguments you send for SQL. Please modify it."
)

// Call runs the statement in the argument SQL. An error of the statement, its deadline and its caps are observations
// with the outcome ToolError; an error is a broken corpus file or the end of ctx.
func (in *Interpreter) Call(ctx context.Context, s toolqa.Session, args envs.Args) (toolqa.Session, envs.Result, error) {
	query, ok := args.Text("SQL")
	if !ok {
		return s, envs.Result{Observation: wrongArguments, Outcome: envs.InvocationError}, nil
	}
	stmt, err := translate(query, in.temporary)
	if err != nil {
		return s, envs.Result{Observation: wrongSQL, Outcome: envs.ToolError}, nil
	}
	r, err := in.remembered(ctx, stmt)
	return s, r, envs.Fail(envs.StageTool, fmt.Sprintf("SQLInterpreter[%s]", shorten(query)), err)
}

// remembered recalls the result of a statement that was slow before, or runs it and remembers the result if it is.
func (in *Interpreter) remembered(ctx context.Context, stmt string) (envs.Result, error) {
	if in.memory == nil {
		return in.result(ctx, stmt)
	}
	key := in.key(stmt)
	if r, ok, err := in.memory.Recall(ctx, key); ok || err != nil {
		return r, err
	}
	start := time.Now()
	r, err := in.result(ctx, stmt)
	if err == nil && time.Since(start) >= in.opts.Timeout/slowShare {
		err = in.memory.Remember(ctx, key, r)
	}
	return r, err
}

// key identifies everything that a result depends on beside the corpora.
func (in *Interpreter) key(stmt string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%v %d %d %v\x00%s", in.opts.Timeout, in.opts.MaxRows, in.opts.MaxBytes, in.opts.TextColumns, stmt)
	return "sql " + hex.EncodeToString(h.Sum(nil))
}

// result runs a statement and phrases what came of it.
func (in *Interpreter) result(ctx context.Context, stmt string) (envs.Result, error) {
	observation, err := in.run(ctx, stmt)
	switch {
	case err == nil:
		return envs.Result{Observation: observation}, nil
	case ctx.Err() != nil:
		return envs.Result{}, ctx.Err()
	case errors.Is(err, errCut):
		return envs.Result{Observation: observation, Outcome: envs.ToolError}, nil
	case errors.Is(err, context.DeadlineExceeded):
		observation = fmt.Sprintf("The SQL command ran longer than %v and was stopped. Please modify it.", in.opts.Timeout)
		return envs.Result{Observation: observation, Outcome: envs.ToolError}, nil
	case !ours(err):
		return envs.Result{Observation: wrongSQL, Outcome: envs.ToolError}, nil
	}
	return envs.Result{}, err
}

// errCut is the error of an output that was longer than allowed.
var errCut = errors.New("sqltool: output cut")

// run returns the output of a statement. With errCut it is the part that is allowed, and a line that says so.
func (in *Interpreter) run(ctx context.Context, stmt string) (string, error) {
	conn, err := in.db.Conn(ctx)
	if err != nil {
		return "", broken{err}
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, in.opts.Timeout)
	defer cancel()
	rows, err := conn.QueryContext(ctx, stmt)
	if err != nil {
		return "", late(ctx, err)
	}
	defer rows.Close()
	out, err := in.print(rows)
	return strings.ToValidUTF8(out, "\uFFFD"), late(ctx, err)
}

// late returns the deadline's error when the deadline has passed: the driver may report an interrupt instead.
func late(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// print writes a line for each row.
func (in *Interpreter) print(rows *sql.Rows) (string, error) {
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	values, slots := make([]any, len(columns)), make([]any, len(columns))
	for i := range columns {
		columns[i] = untranslate(columns[i])
		slots[i] = &values[i]
	}
	var b strings.Builder
	for n := 0; rows.Next(); n++ {
		if n == in.opts.MaxRows {
			return fmt.Sprintf("%s\n[The output was cut after %d rows. Please ask for less.]", b.String(), n), errCut
		}
		if err := rows.Scan(slots...); err != nil {
			return "", err
		}
		before := b.Len()
		if n > 0 {
			b.WriteByte('\n')
		}
		for i, name := range columns {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(name)
			b.WriteString(": ")
			b.WriteString(format(values[i]))
		}
		if b.Len() > in.opts.MaxBytes {
			return fmt.Sprintf("%s\n[The output was cut after %d bytes. Please ask for less.]", b.String()[:before], before), errCut
		}
	}
	return b.String(), rows.Err()
}

// format returns a value as Python prints it.
func format(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return pytext.FormatFloat(v)
	case string:
		return v
	case []byte:
		return string(v)
	default:
		return fmt.Sprint(v)
	}
}

// broken marks the error of a connection that could not be opened.
type broken struct{ error }

func (b broken) Unwrap() error { return b.error }

// ours reports whether an error is a failure of the database and not of the statement.
func ours(err error) bool {
	var b broken
	if errors.As(err, &b) || errors.Is(err, driver.ErrBadConn) {
		return true
	}
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB, sqlite3.ErrIoErr, sqlite3.ErrCantOpen, sqlite3.ErrNomem, sqlite3.ErrFull,
		sqlite3.ErrInternal, sqlite3.ErrMisuse:
		return true
	}
	return false
}

// shorten keeps an error message readable when the statement is not.
func shorten(query string) string {
	if len(query) > 200 {
		return strings.ToValidUTF8(query[:200], "") + "..."
	}
	return query
}
