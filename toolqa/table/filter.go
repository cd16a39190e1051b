package table

import (
	"context"
	"fmt"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// FilterDB is the tool FilterDB[condition]: it narrows the selection to the rows that satisfy every piece of the
// condition.
type FilterDB struct {
	// Partial reproduces the published code, which undoes a failing call only when a piece selects no row: after an
	// unknown column or a missing operator, the pieces before it stay applied. By default a failing call changes
	// nothing.
	Partial bool
}

// Call applies the argument condition.
func (f *FilterDB) Call(ctx context.Context, s toolqa.Session, args envs.Args) (toolqa.Session, envs.Result, error) {
	condition, ok := args.Text("condition")
	if !ok {
		return s, envs.Result{
			Observation: "There is something wrong with the arguments you send for filtering. Please modify it.",
			Outcome:     envs.InvocationError,
		}, nil
	}
	view, err := viewOf(s)
	if err != nil {
		return s, envs.Result{}, envs.Fail(envs.StageTool, fmt.Sprintf("FilterDB[%s]", condition), err)
	}
	if view == nil {
		return s, noTable("FilterDB"), nil
	}
	narrowed, failure, err := apply(ctx, view, condition)
	if err != nil {
		return s, envs.Result{}, envs.Fail(envs.StageTool, fmt.Sprintf("FilterDB[%s]", condition), err)
	}
	if failure == nil {
		s.Table = narrowed
		return s, envs.Result{Observation: fmt.Sprintf("We have successfully filtered the data (%d rows).", narrowed.n)}, nil
	}
	if f.Partial && !failure.empty {
		s.Table = narrowed
	}
	return s, envs.Result{Observation: failure.observation, Outcome: envs.ToolError}, nil
}

// failure is why a piece of a condition could not be applied.
type failure struct {
	observation string
	empty       bool // the piece is well formed and selects no row
}

// apply narrows view by the pieces of a condition up to the first that fails.
func apply(ctx context.Context, view *View, condition string) (*View, *failure, error) {
	for piece := range strings.SplitSeq(condition, ", ") {
		if err := ctx.Err(); err != nil { // a condition may have any number of pieces
			return nil, nil, err
		}
		incorrect := &failure{observation: fmt.Sprintf("The filtering query %s is incorrect. Please modify the condition.", piece)}
		p, ok := parsePiece(piece)
		if !ok {
			return view, incorrect, nil
		}
		column := view.table.Column(p.column)
		if column == nil {
			return view, &failure{observation: fmt.Sprintf("we have failed when conducting the %s command. Please make changes.", piece)}, nil
		}
		lo, hi := p.bounds(column)
		next := view.narrow(column, lo, hi)
		if next.n == 0 {
			incorrect.empty = true
			return view, incorrect, nil
		}
		view = next
	}
	return view, nil, nil
}

// operators in the order in which a piece is searched for them.
var operators = [...]string{">=", "<=", ">", "<", "="}

// piece is one comparison of a condition.
type piece struct{ column, operator, value string }

// parsePiece splits a piece at the first occurrence of its operator. A second occurrence ends the value, as it does in
// the published code: "a=b=c" compares a with b.
func parsePiece(text string) (piece, bool) {
	for _, op := range operators {
		column, rest, found := strings.Cut(text, op)
		if !found {
			continue
		}
		value, _, _ := strings.Cut(rest, op)
		return piece{pytext.Strip(column), op, pytext.Strip(value)}, true
	}
	return piece{}, false
}

// bounds returns the codes of the column's words that satisfy the comparison.
func (p piece) bounds(column *corpus.Vector) (lo, hi int) {
	lo, hi = column.Bounds(p.value)
	switch p.operator {
	case ">=":
		return lo, column.Words()
	case ">":
		return hi, column.Words()
	case "<=":
		return 0, hi
	case "<":
		return 0, lo
	default:
		return lo, hi
	}
}

func noTable(tool string) envs.Result {
	return envs.Result{
		Observation: fmt.Sprintf("Please first load the relevant database using `LoadDB` before proceeding with `%s`.", tool),
		Outcome:     envs.ToolError,
	}
}
