package code

import (
	"context"
	"regexp"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// Made is a call of a tool of the base version that a program made, with its result.
type Made struct {
	Tool   string
	Args   envs.Args
	Result any
}

// Run is what a program did in a case.
type Run struct {
	Verdict Verdict // its Class is "" if the program finished
	Calls   []Made  // those that the service did
	Result  any     // RESULT, with handles for objects of the service

	Content, Effects any // of RESULT and of the calls, for comparison
}

// Watch runs a program in a case, and returns what it does. An error means that the engine or the
// service failed.
func (g *Grader) Watch(ctx context.Context, p *stategen.Program, c stategen.Case, program string) (
	Run, error,
) {
	e, err := g.run(ctx, p, c, program)
	if err != nil {
		return Run{}, err
	}

	r := Run{Verdict: e.verdict, Calls: e.server.made, Result: e.result}
	if r.Verdict.Passed() {
		r.Content = g.Surface.Domain.Content(e.server.state, e.result)
		r.Effects = g.Surface.Domain.Effects(e.server.state)
	}

	return r, nil
}

// addressInBraces matches the service's address in programs for StateEval, whose evaluator replaces
// it in the text.
var addressInBraces = regexp.MustCompile(`\{\{?\s*BASE_URL\s*\}?\}`)

// asPublished returns a program for the paper's APIs as StateEval's evaluator runs it, and others
// as they are.
func asPublished(p *stategen.Program, text string) string {
	if p.APIs != stategen.Paper {
		return text
	}
	return addressInBraces.ReplaceAllString(text, baseURL)
}
