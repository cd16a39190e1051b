package table

import (
	"context"
	"fmt"
	"strings"

	"toolevo/envs"
	"toolevo/toolqa"
)

// FilterDB is the tool FilterDB[condition]: it narrows the selection to the rows that satisfy every
// piece of the condition. Its fields restore what the published code does differently.
type FilterDB struct {
	// Partial undoes a failing call only when a piece selects no row: after an unknown column or a
	// missing operator, the pieces before it stay applied. By default a failing call changes
	// nothing.
	Partial bool

	// Split takes a comma and a space for the end of a piece wherever they are, searches a piece
	// for the operators in the order >=, <=, >, <, =, and ends a value at the operator's second
	// occurrence. By default values may hold all these.
	Split bool

	// Regex takes the value of categories=VALUE for a regular expression, of Go's syntax, which is
	// Python's without back references, looking around, possessive quantifiers (C++) and atomic
	// groups; one that is invalid, or longer than a thousand bytes, is a failing piece. By default
	// it is plain text.
	Regex bool

	// Cast turns a column that was compared as numbers into numbers, until the next LoadDB:
	// GetValue prints them without quotes when several rows are selected, and a comparison with a
	// text fails, or for = selects nothing. A call that fails leaves so the column of its first
	// piece.
	Cast bool
}

// Call applies the argument condition.
func (f *FilterDB) Call(ctx context.Context, s toolqa.Session, args envs.Args) (toolqa.Session, envs.Result, error) {
	condition, ok := args.Text("condition")

	view, err := viewOf(s)
	if err != nil {
		return s, envs.Result{}, envs.Fail(envs.StageTool, fmt.Sprintf("FilterDB[%s]", condition), err)
	}

	if view == nil {
		return s, noTable("FilterDB"), nil
	}

	if !ok {
		return s, envs.Result{
			Observation: "There is something wrong with the arguments you send for filtering. Please modify it.",
			Outcome:     envs.InvocationError,
		}, nil
	}

	narrowed, failure, err := f.apply(ctx, view, condition)
	if err != nil {
		return s, envs.Result{}, envs.Fail(envs.StageTool, fmt.Sprintf("FilterDB[%s]", condition), err)
	}

	if failure == nil {
		s.Table = narrowed
		return s, envs.Result{Observation: fmt.Sprintf("We have successfully filtered the data (%d rows).",
			narrowed.n)}, nil
	}

	switch {
	// The published code undoes a call only where a piece selects no row.
	case f.Partial && !failure.empty:
		s.Table = narrowed
	// It casts columns even in the table that it goes back to: see failure.
	case failure.cast != view.cast:
		s.Table = view.withCast(failure.cast)
	}

	return s, envs.Result{Observation: failure.observation, Outcome: envs.ToolError}, nil
}

// failure is why a piece of a condition could not be applied.
type failure struct {
	observation string
	empty       bool // the piece is well formed and selects no row

	// cast are the columns that are numbers after the call all the same: those before it, and that
	// of its first piece, which the published code casts in the table that it goes back to.
	cast castSet
}

func incorrect(piece string) *failure {
	return &failure{observation: fmt.Sprintf("The filtering query %s is incorrect. Please modify the condition.",
		piece)}
}

func failed(piece string) *failure {
	return &failure{observation: fmt.Sprintf("we have failed when conducting the %s command. Please make changes.",
		piece)}
}

// apply narrows view by the pieces of a condition up to the first that fails.
func (f *FilterDB) apply(ctx context.Context, view *tableView, condition string) (*tableView, *failure, error) {
	cast, selected := view.cast, view.selection()
	surviving := cast

	// Only those that leave out a row: all are applied again when the rows are selected anew.
	var filters []predicate

	result := func() *tableView {
		// The search recognises equal states by their view, so one that did not change stays the
		// same.
		if len(filters) == 0 && cast == view.cast {
			return view
		}
		return view.after(filters, selected, cast)
	}
	fail := func(left *tableView, why *failure) (*tableView, *failure, error) {
		why.cast = surviving
		return left, why, nil
	}

	for first, more := true, true; more; first = false {
		// A condition may have any number of pieces.
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}

		var p piece
		var text string
		var err error

		if p, text, condition, more, err = f.next(view, condition); err != nil {
			return nil, nil, err
		}

		if p.operator == "" {
			return fail(result(), incorrect(text))
		}

		filter, nextCast, ok, err := f.compare(view.source.table, p, cast)
		if err != nil {
			return nil, nil, err
		}

		if !ok {
			return fail(result(), failed(text))
		}

		// The published code casts the first column in the very table that a failing call goes back
		// to.
		if first {
			surviving = nextCast
		}

		narrowed := selected.narrow(filter, view.source.table.Rows())
		if narrowed.n == 0 {
			why := incorrect(text)
			why.empty = true
			return fail(view, why)
		}

		if narrowed.n < selected.n {
			selected, filters = narrowed, append(filters, filter)
		}

		cast = nextCast
	}
	return result(), nil, nil
}

// next returns the first piece of a condition, its text, and what follows it.
func (f *FilterDB) next(view *tableView, condition string) (p piece, text, rest string, more bool, err error) {
	if f.Split {
		text, rest, more = strings.Cut(condition, separator)
		return parsePublished(text), text, rest, more, nil
	}
	return cut(view.source.table, condition)
}

func noTable(tool string) envs.Result {
	return envs.Result{
		Observation: fmt.Sprintf("Please first load the relevant database using `LoadDB` before proceeding with `%s`.",
			tool),
		Outcome: envs.ToolError,
	}
}
