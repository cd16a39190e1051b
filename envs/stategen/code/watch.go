package code

import (
	"context"
	"regexp"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// Made is a call of a tool of the base version that a program made, and what came of it.
type Made struct {
	Tool   string
	Args   envs.Args
	Result any
}

// Run is what a program did in a case.
type Run struct {
	Verdict Verdict // its Class is "" when the program came to its end
	Calls   []Made  // those that the service did
	Result  any     // RESULT, in which handles stand for objects of the service

	Content, Effects any // of RESULT and of the calls, for comparison
}

// Watch runs a program in a case, and returns what it does. The error is ours: of the engine or the
// service.
func (g *Grader) Watch(ctx context.Context, p *stategen.Program, c stategen.Case, program string) (Run, error) {
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

// addressInBraces is how programs for StateEval name the address of the service, which replaces it
// in the text itself.
var addressInBraces = regexp.MustCompile(`\{\{?\s*BASE_URL\s*\}?\}`)

// asPublished returns a program as StateEval's evaluator runs it, where it is for the paper's APIs.
func asPublished(p *stategen.Program, text string) string {
	if p.APIs != stategen.Paper {
		return text
	}
	return addressInBraces.ReplaceAllString(text, baseURL)
}
