package code

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/sandbox"
	"toolevo/envs/stategen"
)

// Grader runs and grades programs that models wrote. It is safe for concurrent use.
type Grader struct {
	Surface Surface
	Engine  sandbox.Engine
	Limits  sandbox.Limits // of each run; zero values are the defaults of package sandbox
}

// Grade runs a program in every case of a task, each from the start, up to the first that it fails.
// An error means that the engine, the service or the comparison failed.
func (g *Grader) Grade(ctx context.Context, t *stategen.Task, program string) (Verdict, error) {
	var v Verdict

	for _, c := range t.Cases {
		var err error
		if v, err = g.grade(ctx, &t.Program, c, program); err != nil {
			return Verdict{}, fmt.Errorf("code: grade a program of task %s: %w", t.ID, err)
		}

		if !v.Passed() {
			return v, nil
		}
	}
	return v, nil
}

func (g *Grader) grade(ctx context.Context, p *stategen.Program, c stategen.Case, program string) (
	Verdict, error,
) {
	// Replayed, as the outcome recorded in a case may be only a digest, and has no calls.
	var tools []string

	want, err := stategen.Replay(g.Surface.Domain, p, c, func(tool string, _ envs.Args) {
		tools = append(tools, tool)
	})
	if err != nil {
		return Verdict{}, fmt.Errorf("replay the reference in case %s: %w", c.Path, err)
	}

	e, err := g.run(ctx, p, c, program)
	if err != nil {
		return Verdict{}, err
	}

	if !e.verdict.Passed() {
		e.classifyName(&g.Surface, program)
		return e.verdict, nil
	}

	var called []string
	for _, m := range e.server.made {
		called = append(called, m.Tool)
	}

	// Sorted, since a program may take the steps of its task in another order.
	slices.Sort(tools)
	slices.Sort(called)
	e.verdict.OtherTools = !slices.Equal(tools, called)

	right, left, err := g.compare(e, want)

	// The effects first: the cause WrongResult says that RESULT alone is wrong.
	switch {
	case err != nil:
		return Verdict{}, err
	case !left:
		e.fail(Result, e.server.cause(WrongState), "the calls have not left what was wanted")
	case !right:
		e.fail(Result, e.server.cause(WrongResult), "RESULT is not what was wanted")
	}

	return e.verdict, nil
}

// compare reports whether RESULT and what the calls have left are what was wanted. A panic in it is
// an error, not a verdict: it is no mistake of the program.
func (g *Grader) compare(e ending, want stategen.Oracle) (right, left bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("compare RESULT %s: panic: %v", short(e.verdict.Result), p)
		}
	}()

	d := g.Surface.Domain
	right = d.Same(d.Content(e.server.state, e.result), want.Result)
	left = d.Same(d.Effects(e.server.state), want.Effects)
	return right, left, nil
}

var missingName = regexp.MustCompile(`^NameError: name '([^']+)' is not defined`)

// classifyName tells a missing function from a missing variable: the program calls it, or a version
// has an API of that name.
func (e *ending) classifyName(s *Surface, program string) {
	found := missingName.FindStringSubmatch(e.verdict.Text)
	if found == nil || e.verdict.Cause != NoVariable {
		return
	}

	_, inBase := s.Base.API(found[1])

	switch {
	case inBase || s.deprecated(found[1]) != "":
		e.verdict.Cause = OutdatedAPI
	case strings.Contains(program, found[1]+"("):
		e.verdict.Cause = UnknownAPI
	}
}

// asInt returns a number as an int, and 0 for anything else.
func asInt(v any) int {
	n, _ := v.(envs.Number)
	i, _ := strconv.Atoi(string(n))
	return i
}

// short shortens a text for a verdict, and makes it one that can be stored.
func short(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) > mostText {
		text = strings.ToValidUTF8(text[:mostText], "") + "…"
	}
	return pytext.Strip(text)
}
