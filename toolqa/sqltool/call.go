package sqltool

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"toolevo/envs"
	"toolevo/envs/sandbox/worker"
	"toolevo/toolqa"
)

const (
	wrongSQL       = "There is something wrong with the SQL command you send. Please modify it."
	wrongArguments = "There is something wrong with the arguments you send for SQL. Please modify it."
)

// Call runs the statement in the argument SQL. An error of the statement, its deadline and its caps
// are observations with the outcome ToolError; an error is a broken corpus file or the end of ctx.
func (in *Interpreter) Call(ctx context.Context, s toolqa.Session, args envs.Args) (
	toolqa.Session, envs.Result, error) {
	query, ok := args.Text("SQL")
	if !ok {
		return s, envs.Result{Observation: wrongArguments, Outcome: envs.InvocationError}, nil
	}

	if len(query) > maxSQL {
		return s, envs.Result{Observation: wrongSQL, Outcome: envs.ToolError}, nil
	}

	query, views := in.deployed(query)

	stmt, err := translate(query, in.temporary, views...)
	if err != nil {
		return s, envs.Result{Observation: wrongSQL, Outcome: envs.ToolError}, nil
	}

	r, err := in.remembered(ctx, stmt)
	return s, r, envs.Fail(envs.StageTool, fmt.Sprintf("SQLInterpreter[%s]", shorten(query)), err)
}

const (
	recentStatements = 1024    // in each generation
	recentBytes      = 8 << 10 // of the longest observation that is kept
)

// remembered returns the result of a statement: the recent one; the remembered one, if that came
// close to a limit; or else a new one.
func (in *Interpreter) remembered(ctx context.Context, stmt string) (envs.Result, error) {
	if r, ok := in.recent.Get(stmt); ok {
		return r, nil
	}

	if in.memory != nil {
		if r, ok, err := in.memory.Recall(ctx, in.key(stmt)); ok || err != nil {
			return r, err
		}
	}

	r, marginal, err := in.result(ctx, stmt)

	switch {
	case err != nil:
		return r, err
	case !marginal && len(r.Observation) <= recentBytes:
		in.recent.Put(stmt, r)
	case !marginal:
	case in.memory != nil:
		return envs.Remember(ctx, in.memory, in.key(stmt), r)
	}

	return r, err
}

// key identifies everything that a result depends on beside the corpora.
func (in *Interpreter) key(stmt string) string {
	return "sql " + envs.SHA256(fmt.Sprintf("%v %d %d %v\x00%s", in.opts.Timeout, in.opts.MaxRows,
		in.opts.MaxBytes, in.opts.TextColumns, stmt))
}

// result runs a statement and makes an observation of its result. marginal says that the result
// might be another on another day.
func (in *Interpreter) result(ctx context.Context, stmt string) (r envs.Result, marginal bool,
	err error) {
	stopped := func(why string, limit any) (envs.Result, bool, error) {
		r := envs.Result{
			Observation: fmt.Sprintf(why+" and was stopped. Please modify it.", limit),
			Outcome:     envs.ToolError,
		}
		return r, true, nil
	}

	v, text, spilled, err := in.run(ctx, stmt)

	// Temporary files are measured outside the child, which does not know their limit.
	switch {
	case errors.Is(err, worker.ErrScratch) || spilled > in.opts.MaxSpill:
		return stopped("The SQL command took more than %s for sorting and grouping",
			size(in.opts.MaxSpill))
	case err != nil:
		return envs.Result{}, false, err
	}

	// This near to a limit, a busier machine might have stopped it.
	marginal = v.Took >= in.opts.Timeout/slowShare || v.Share >= largeShare ||
		float64(spilled) >= largeShare*float64(in.opts.MaxSpill)

	switch v.Problem {
	case none:
		return envs.Result{Observation: text}, marginal, nil
	case cut:
		return envs.Result{Observation: text, Outcome: envs.ToolError}, marginal, nil
	case late:
		return stopped("The SQL command ran longer than %v", in.opts.Timeout)
	case large, unstable:
		return stopped("The SQL command took more than %s of memory", size(in.opts.MaxMemory))
	case damaged:
		return envs.Result{}, false, fmt.Errorf("sqltool: SQLite: %s", text)
	}

	// Whatever SQLite says, the published tool has one sentence for it.
	return envs.Result{Observation: wrongSQL, Outcome: envs.ToolError}, marginal, nil
}

// size writes a number of bytes.
func size(n int64) string {
	if n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// stretch is how many times the time limit a statement may take that a busy machine keeps from
// running: what it answers is part of a tree, which has to grow again in the same way.
const stretch = 12

// answerMargin is how much larger an answer can be than what a statement may print.
const answerMargin = 1 << 16

// run runs a statement in a child. It returns what the child says, and the size of the statement's
// temporary files.
func (in *Interpreter) run(ctx context.Context, stmt string) (v verdict, text string, spilled int64,
	err error) {
	frame, spilled, err := in.pool.Call(ctx, []byte(stmt), worker.Limits{
		Time:    in.opts.Timeout,
		Stretch: stretch,
		Answer:  in.opts.MaxBytes + answerMargin,
		Scratch: in.opts.MaxSpill,
	})

	var died *worker.DiedError

	switch {
	case err == nil:
		head, err := binary.Decode(frame, binary.BigEndian, &v)
		return v, string(frame[head:]), spilled, err
	case errors.Is(err, worker.ErrLate):
		return verdict{Problem: late}, "", 0, nil
	// A statement that SQLite does not survive is the agent's mistake.
	case errors.As(err, &died) && !died.Killed:
		return verdict{Problem: wrong, Share: 1}, "", 0, nil
	}

	return verdict{}, "", 0, err
}

// shorten keeps an error message readable when the statement is not.
func shorten(query string) string {
	if len(query) > 200 {
		return strings.ToValidUTF8(query[:200], "") + "..."
	}
	return query
}
