package code

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/sandbox"
	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
)

// Bounds of a program.
const (
	mostCalls   = 64
	mostCode    = 256 << 10 // bytes of the program
	mostWritten = 1 << 20   // bytes that one run may write, the frame included
	mostKnown   = 8 << 20   // bytes of all answers
	mostText    = 500       // bytes of what a verdict quotes
)

//go:embed prelude/core.py
var core string

// frameMark begins the line of a frame. A program may write frames itself: it asks a question or
// gives a RESULT by that, and the last one counts.
const frameMark = "\n\x1e"

// ending is how a run of a program ended.
type ending struct {
	verdict Verdict // Class is "" if it finished
	result  any
	server  *server
}

// run runs a program in a case of a reference program.
func (g *Grader) run(ctx context.Context, p *stategen.Program, c stategen.Case, text string) (
	ending, error,
) {
	values := p.Values(c)

	state, err := g.Surface.Domain.Begin(p, values)
	if err != nil {
		return ending{}, fmt.Errorf("code: begin case %s: %w", c.Path, err)
	}

	text = asPublished(p, text)
	e := ending{server: &server{surface: &g.Surface, state: state}}
	e.verdict.Case = c.Path

	if len(text) > mostCode {
		e.fail(Execution, Space,
			fmt.Sprintf("the program has %d bytes, more than %d", len(text), mostCode))
		return e, nil
	}

	// The program runs from its beginning again for each call that it makes, with the answers
	// so far. Equal seeds let it draw the same each time.
	seed := sha256.Sum256([]byte(text))
	answers, known := []any{}, 0

	for {
		reply, err := g.Engine.Run(ctx, sandbox.Program{
			Code: g.source(text, values, answers), Seed: binary.BigEndian.Uint32(seed[:]),
		}, g.limits())
		if err != nil {
			return ending{}, fmt.Errorf("code: run a program: %w", err)
		}

		asked, ok := e.read(reply)
		if !ok {
			e.verdict.Calls = e.server.calls
			return e, nil
		}

		if e.server.calls == mostCalls {
			e.verdict.Calls = mostCalls
			e.fail(Execution, TooManyCalls,
				fmt.Sprintf("the program makes more than %d calls", mostCalls))
			return e, nil
		}

		answer, err := e.server.answer(ctx, asked.call)
		if err != nil {
			return ending{}, fmt.Errorf("code: answer %s: %w", short(asked.text), err)
		}

		// Every further run is given all answers so far.
		known += len(asked.text) + len(pytext.AppendJSON(nil, answer))
		if known > mostKnown {
			e.fail(Execution, Space, "the program asks and reads too much")
			return e, nil
		}

		answers = append(answers, []any{asked.text, answer})
	}
}

// limits returns the limits of one run, with room for a frame.
func (g *Grader) limits() sandbox.Limits {
	l := g.Limits
	l.Output = max(l.Output, mostWritten)
	return l
}

// source returns the whole text that an engine runs: the layer between the program and the service,
// and the program with its variables and the answers so far.
func (g *Grader) source(text string, values map[string]any, answers []any) string {
	variables, apis, unchanged := envs.Args{}, envs.Args{}, []any{}

	for _, name := range slices.Sorted(maps.Keys(values)) {
		variables = variables.With(name, values[name])
	}

	for _, api := range g.Surface.apis() {
		apis = apis.With(api.Name, envs.Listed(toolapi.ParameterNames(api.Parameters)))

		if g.Surface.Base.Has(api) {
			unchanged = append(unchanged, api.Name)
		}
	}

	data := pytext.AppendJSON(nil, envs.Object(
		"code", text,
		"variables", variables,
		"apis", apis,
		"unchanged", unchanged,
		"base_url", baseURL,
		"answers", answers,
	))

	// Engines look at the syntax tree of what they run. As a text, the program is only a string in
	// that tree.
	return "exec(" + pytext.Repr(core+"\n\n"+g.Surface.style().stubs()) + ")\n" +
		"run(json.loads(" + pytext.Repr(string(data)) + "))\n"
}

// question is a call that a program makes.
type question struct {
	text string // as the program wrote it, and has to write again
	call envs.Args
}

// read reads what an engine reports on a run: a question, or the end.
func (e *ending) read(reply sandbox.Reply) (asked question, ok bool) {
	// A frame from before a run was cut off does not count.
	switch reply.End {
	case sandbox.OutOfTime:
		e.fail(Execution, Time, "the program used up its time")
		return question{}, false
	case sandbox.OutOfSpace:
		e.fail(Execution, Space, "the program wrote too much")
		return question{}, false
	case sandbox.Died:
		e.fail(Execution, Crash, "the interpreter died: "+reply.Detail)
		return question{}, false
	}

	frame, err := lastFrame(reply.Output)
	if err != nil {
		e.fail(Execution, Broken, err.Error())
		return question{}, false
	}

	// The program may have written the frame itself, so what cannot be read is its mistake.
	if text, asks := frame.Text("call"); asks {
		call, _, err := pytext.DecodeObject(text)
		if err != nil {
			e.fail(Execution, Broken, "a call that cannot be read: "+err.Error())
		}
		return question{text, call}, err == nil
	}

	e.end(frame)
	return question{}, false
}

// lastFrame returns the last frame in an output.
func lastFrame(output string) (envs.Args, error) {
	i := strings.LastIndex(output, frameMark)
	if i < 0 {
		return nil, fmt.Errorf("the program ended itself, and left no RESULT")
	}

	line, _, _ := strings.Cut(output[i+len(frameMark):], "\n")

	frame, _, err := pytext.DecodeObject(line)
	if err != nil {
		return nil, fmt.Errorf("a frame that cannot be read: %w", err)
	}
	return frame, nil
}

// end reads the last frame of a program that ended.
func (e *ending) end(frame envs.Args) {
	text, _ := frame.Text("text")

	switch how, _ := frame.Text("end"); how {
	case "done":
		e.result, _ = frame.Get("result")
		e.verdict.Result = pytext.JSON(e.result)
	case "no result":
		e.fail(Result, e.server.cause(NoResult), "the program assigns no RESULT")
	case "odd result":
		e.fail(Result, NoResult, "RESULT is a value of the type "+text)
	case "changed":
		e.fail(Execution, Unsteady, "the program is not deterministic: when it ran again, "+text)
	case "syntax":
		e.raised(frame, Syntax, Unparsable)
	case "raised":
		kind, _ := frame.Text("type")
		e.raised(frame, Execution, e.server.cause(causeOf(kind)))
	default:
		e.fail(Execution, Broken, "the program left a frame of no known kind")
	}
}

// raised reads an exception.
func (e *ending) raised(frame envs.Args, class Class, cause Cause) {
	kind, _ := frame.Text("type")
	text, _ := frame.Text("text")
	line, _ := frame.Get("line")

	e.verdict.Line = asInt(line)
	e.fail(class, cause, kind+": "+text)
}

func (e *ending) fail(class Class, cause Cause, text string) {
	e.verdict.Class, e.verdict.Cause, e.verdict.Text = class, cause, short(text)
}

// cause returns the cause of a failure: a refused call, the last one first, or else what it looks
// like.
func (s *server) cause(looks Cause) Cause {
	switch {
	case s.last != nil:
		return s.last.cause
	case s.refusal != nil:
		return s.refusal.cause
	}

	return looks
}

// causeOf returns the cause of an exception by its type.
func causeOf(kind string) Cause {
	switch kind {
	case "NameError", "UnboundLocalError":
		return NoVariable
	case "ModuleNotFoundError", "ImportError":
		return NoModule
	case "KeyError", "IndexError", "TypeError", "AttributeError", "ValueError", "JSONDecodeError":
		return Data
	case "MemoryError":
		return Space
	}

	return Exception
}
