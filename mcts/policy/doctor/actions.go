package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolevo/envs/display"
	"toolevo/mcts/policy/server"
)

// Turn is the first turn that the model wrote on a task, asked as a run asks it.
type Turn struct {
	Text       string
	Unreadable bool // no action can be read from it
	Reasons    bool // it has reasoning before its content
	Cut        bool // it was cut by the limit of a completion's length
	// Failed is how the server fails at this request alone; nil if it answered.
	Failed *server.RequestError
}

// Readable is from how many turns an action can be read.
func Readable(turns []Turn) (n int) {
	for _, t := range turns {
		if t.Failed == nil && !t.Unreadable {
			n++
		}
	}

	return n
}

// Actor has the model act as in a run.
type Actor interface {
	// Act returns the first turns of n tasks, and the dialect in which the server took them.
	Act(ctx context.Context, n int) ([]Turn, server.Dialect, error)
	// Better returns settings by key that ask the model in another way, and how many of n first
	// turns can be read then; 0 if no way is better.
	Better(ctx context.Context, n int) (settings map[string]string, readable int, err error)
}

// Numbers of first turns.
const (
	firstTurns      = 8
	quickFirstTurns = 2
	exampleLength   = 200 // of a turn that is shown
)

// actions finds out whether actions can be read from what the model writes, in the form in which it
// is asked.
func (p *examination) actions(ctx context.Context) (none Check, err error) {
	if p.o.Actor == nil {
		return none, nil
	}

	n := firstTurns
	if p.o.Quick {
		n = quickFirstTurns
	}

	turns, dialect, err := p.o.Actor.Act(ctx, n)
	p.report.Probes += len(turns)

	// Found only now where the server was too slow for its greeting; later probes need it, too.
	if dialect.String() != "" {
		p.o.Dialect = dialect
	}

	if err != nil {
		return none, err
	}

	// Requests that the server failed at say nothing about what the model writes. There may also be
	// fewer tasks than turns were asked for.
	written := slices.DeleteFunc(slices.Clone(turns), func(t Turn) bool { return t.Failed != nil })
	p.turns = written
	n = len(written)

	read := Readable(turns)
	seen := fmt.Sprintf("%d of %d first turns parse", read, n)

	example := ""

	for _, t := range written {
		if !t.Unreadable || example != "" {
			continue
		}

		if example = fmt.Sprintf("%q", display.Line(t.Text, exampleLength)); t.Cut {
			example += ", which is cut by server.sampling.max_tokens"
		}
	}

	// Comes before what can be read: a run would lose these questions whatever the model writes.
	for _, t := range turns {
		if t.Failed != nil {
			return p.finding("request-fails", fmt.Sprintf("%d of %d first turns do; of the others %s: %s",
				len(turns)-n, len(turns), seen, errorText(t.Failed))), nil
		}
	}

	// No model writes an action every time; a form that does not suit it shows in most turns.
	switch {
	case read == n:
		return passed("%s", seen), nil
	case 2*read >= n:
		return passed("%s; one that does not: %s", seen, example), nil
	}

	return p.cannotAct(ctx, read, seen+", such as "+example)
}

// cannotAct is the finding of a model that writes few actions or none, with a form in which it
// writes more.
func (p *examination) cannotAct(ctx context.Context, read int, seen string) (Check, error) {
	c := p.finding("actions-few", seen)
	if read == 0 {
		c = p.finding("actions-none", seen)
	}

	if p.o.Quick {
		return c, nil
	}

	better, n, err := p.o.Actor.Better(ctx, firstTurns)
	if err == nil && n > read {
		c.Set = better
		c.Do = fmt.Sprintf("%s, with which %d of %d parse", arguments(better), n, firstTurns)
	}

	return c, err
}

// arguments writes settings as they are given to a command.
func arguments(settings map[string]string) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		all = append(all, fmt.Sprintf("--set %s=%s", key, settings[key]))
	}
	return strings.Join(all, " ")
}

// reasoning reports whether the model reasons before it acts.
func (p *examination) reasoning(context.Context) (none Check, err error) {
	if len(p.turns) == 0 {
		return none, nil
	}

	n := 0
	for _, t := range p.turns {
		if t.Reasons {
			n++
		}
	}

	if n == 0 {
		return passed("none before %d first turns", len(p.turns)), nil
	}
	return passed("before %d of %d first turns (server.reasoning is %s)",
		n, len(p.turns), p.o.Reasoning), nil
}
