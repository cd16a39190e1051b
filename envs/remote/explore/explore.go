package explore

import (
	"context"
	"fmt"
	"math/rand/v2"

	"toolevo/envs"
	"toolevo/envs/toolapi"
)

// Tools are tools that can be called in states of type S, of which the zero value is where every
// task begins.
type Tools[S any] struct {
	APIs []*toolapi.API // without those of the environment

	// Known are calls that somebody made before: their values are tried as well.
	Known []envs.Call

	// Reads reports whether a tool only reads.
	Reads func(tool string) bool

	// Call calls a tool in a state, and returns the state after it. An error is a failure, not a
	// refusal, and ends the exploration.
	Call func(ctx context.Context, at S, tool string, args envs.Args) (S, Answer, error)
}

// Answer is what a call is answered.
type Answer struct {
	Said    string // as the agent reads it
	Value   any    // its JSON value, or else the text
	Refused bool
}

// Program is a list of calls, and a question about the answer of the last one.
type Program struct {
	Steps  []Step
	Asked  envs.Pointer
	Answer any  // the value there: a text, or an envs.Number
	Writes bool // some call changes what others answer
}

// Step is a call of a program. Its arguments may contain values of type [Ref].
type Step struct {
	API  *toolapi.API
	Args envs.Args
}

// Ref is a value in the answer of an earlier step, counted from 1.
type Ref struct {
	Step    int
	Pointer envs.Pointer
}

// Explorer draws programs.
type Explorer[S any] struct {
	tools    Tools[S]
	rng      *rand.Rand
	known    []place
	tried    map[string]*tries // by tool, parameter and place
	drawn    map[string]int    // how often a tool was drawn
	used     map[string]int    // programs with a tool
	Obstacle map[string]string // what a tool said that was refused, by tool
}

type tries struct{ taken, refused int }

// New returns an explorer of tools that has read what there is to read.
func New[S any](ctx context.Context, tools Tools[S], seed uint64) (*Explorer[S], error) {
	e := &Explorer[S]{
		tools: tools, rng: rand.New(rand.NewPCG(seed, 0)),
		tried: map[string]*tries{}, drawn: map[string]int{}, used: map[string]int{},
		Obstacle: map[string]string{},
	}

	for _, c := range tools.Known {
		e.learn(c.Tool, c.Args)
	}
	return e, e.survey(ctx)
}

// How much a survey asks.
const (
	surveys       = 3 // calls of a tool in a round
	surveyRounds  = 3
	mostTries     = 6 // to make a call that is not refused
	mostLastTries = 10
)

// survey calls the tools that only read, to learn values. Each round asks with what the last one
// found.
func (e *Explorer[S]) survey(ctx context.Context) error {
	var start S

	for range surveyRounds {
		before := len(e.known)

		for _, a := range e.tools.APIs {
			if !e.tools.Reads(a.Tool) {
				continue
			}

			for range surveys {
				if _, _, err := e.try(ctx, start, a, nil); err != nil {
					return err
				}
			}
		}

		if len(e.known) == before {
			break
		}
	}
	return nil
}

// madeCall is a call that was made, on the way of a program.
type madeCall[S any] struct {
	Step

	after  S
	answer Answer
}

// try makes one call of a tool after others, with drawn arguments. ok is false if it was refused.
func (e *Explorer[S]) try(ctx context.Context, at S, a *toolapi.API, before []madeCall[S]) (
	m madeCall[S], ok bool, err error,
) {
	d := e.draw(a, before)

	args, err := resolved(d.args, answersOf(before))
	if err != nil {
		return m, false, err
	}

	m = madeCall[S]{Step: Step{a, d.args}}
	if m.after, m.answer, err = e.tools.Call(ctx, at, a.Tool, args); err != nil {
		return m, false, fmt.Errorf("call %s: %w", a.Tool, err)
	}

	// Any of the values may be the reason of a refusal, so each is tried less often.
	for _, key := range d.from {
		if e.tried[key] == nil {
			e.tried[key] = &tries{}
		}

		if m.answer.Refused {
			e.tried[key].refused++
		} else {
			e.tried[key].taken++
		}
	}

	if m.answer.Refused {
		e.Obstacle[a.Tool] = m.answer.Said
		return m, false, nil
	}

	// Values of the initial state are there for every program; later ones only for their own.
	if len(before) == 0 && e.tools.Reads(a.Tool) {
		e.learn(a.Tool, m.answer.Value)
	}
	return m, true, nil
}

func answersOf[S any](all []madeCall[S]) (answers []any) {
	for _, m := range all {
		answers = append(answers, m.answer.Value)
	}
	return answers
}

// resolved returns arguments with values in place of references.
func resolved(args envs.Args, answers []any) (envs.Args, error) {
	var failed error

	all := envs.Map(args, func(part any) (any, bool) {
		ref, ok := part.(Ref)
		if !ok {
			return part, false
		}

		value, found := ref.Pointer.In(answers[ref.Step-1])
		if !found {
			failed = fmt.Errorf("the answer of step %d has nothing at %s", ref.Step, ref.Pointer)
		}
		return value, true
	})

	object, _ := all.(envs.Args)
	return object, failed
}
