package pytool

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/singleflight"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/sandbox"
	"toolevo/toolqa"
)

const (
	nothingPrinted = "You should print the variable you want to obtain the python result."
	outOfTime      = "TimeoutError: the code ran too long and was stopped"
	tooLong        = "SyntaxError: the code is too long: it has %d bytes, at most %d are run"
	wrongArguments = "There is something wrong with the arguments you send for python. Please modify it."
)

// maxProgram is the longest program that is run, in bytes. A longer one is the agent's mistake: an
// engine's frames and a child's memory are for programs that a model writes, not for data.
const maxProgram = 256 << 10

// Options are the limits and variants of the tool. The zero value of each field means its default.
type Options struct {
	Limits sandbox.Limits

	// Memory remembers results by program, limits and capture, not by engine: what a program showed
	// once it shows under any engine. Each result names the [sandbox.Stamp] of the engine that made
	// it. The default is none.
	Memory envs.Memory

	// PublishedCapture shows what the published code shows. Print statements are those of the
	// program itself and those directly in the body of one of its if, while, for or def, not in an
	// else. With at most one of them only the last statement of the program shows anything: its
	// value, or what it prints. With more, each statement that holds some shows what it prints,
	// after what its text has between "print(" and the next closing parenthesis, each time, and a
	// colon; a statement without such a text ("print (x)") shows its output alone. What other
	// statements print is lost, and those behind the last print do not run. A number is rounded to
	// four decimals, and output of more than 500 characters loses its middle.
	PublishedCapture bool
}

// Interpreter is the tool PythonInterpreter[Python]. It is safe for concurrent use and keeps
// nothing between calls.
type Interpreter struct {
	engine sandbox.Engine
	maker  string // the engine, as results name it
	opts   Options
	flight singleflight.Group
}

// New returns the tool on an engine, which its owner closes when no call is left.
func New(engine sandbox.Engine, opts Options) *Interpreter {
	opts.Limits = opts.Limits.WithDefaults()
	return &Interpreter{engine: engine, maker: engine.Stamp().String(), opts: opts}
}

// Call runs the program in the argument Python. Whatever the program does is an observation; an
// error is an interpreter that does not start, a failing Memory, or the end of ctx.
func (in *Interpreter) Call(ctx context.Context, s toolqa.Session, args envs.Args) (
	toolqa.Session, envs.Result, error) {
	code, ok := args.Text("Python")
	if !ok {
		return s, envs.Result{Observation: wrongArguments, Outcome: envs.InvocationError}, nil
	}

	if len(code) > maxProgram {
		text := fmt.Sprintf(tooLong, len(code), maxProgram)
		return s, envs.Result{Observation: text, Outcome: envs.ToolError}, nil
	}

	if in.opts.PublishedCapture {
		code = unfencePublished(code)
	} else {
		code = unfence(code)
	}

	// By the code without fences, so that what differs only there is run and remembered once.
	key := in.key(code)
	for {
		v, err, shared := in.flight.Do(key, func() (any, error) {
			return envs.Remembered(ctx, in.opts.Memory, key, func() (envs.Result, error) {
				return in.result(ctx, code)
			})
		})
		if err == nil {
			return s, v.(envs.Result), nil
		}

		// The program may have run under the context of an equal call, which was given up. This one
		// was not, so it tries again.
		stopped := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
		if shared && stopped && ctx.Err() == nil {
			continue
		}

		action := fmt.Sprintf("PythonInterpreter[%s]", excerpt(code))
		return s, envs.Result{}, envs.Fail(envs.StageTool, action, err)
	}
}

// key identifies everything that a result depends on, except the engine.
func (in *Interpreter) key(code string) string {
	return envs.SHA256(fmt.Sprintf("%v\x00%+v\x00%s", in.opts.PublishedCapture, in.opts.Limits,
		code))
}

// seed is the first four bytes of the SHA-256 of a program, as a big-endian number.
func seed(code string) uint32 {
	sum := sha256.Sum256([]byte(code))
	return binary.BigEndian.Uint32(sum[:])
}

// result runs a program and makes an observation of its reply.
func (in *Interpreter) result(ctx context.Context, code string) (envs.Result, error) {
	program := sandbox.Program{Code: code, Published: in.opts.PublishedCapture, Seed: seed(code)}

	reply, err := in.engine.Run(ctx, program, in.opts.Limits)
	if err != nil {
		return envs.Result{}, err
	}

	r := in.observe(reply)
	r.Maker = in.maker
	return r, nil
}

// observe makes an observation of a reply.
func (in *Interpreter) observe(r sandbox.Reply) envs.Result {
	// Output that was cut may end within an address.
	text := withoutAddresses(strings.ToValidUTF8(r.Output, "\uFFFD"), r.End == sandbox.OutOfSpace)
	text = strip(text, r.End == sandbox.Raised && !in.opts.PublishedCapture)
	note := ""

	switch r.End {
	case sandbox.Finished, sandbox.Raised:
		// A result reaches the agent only if it is printed, so printing nothing is an error, too.
		if r.End == sandbox.Finished && text != "" {
			return envs.Result{Observation: text}
		}

		if text == "" {
			text = nothingPrinted
		}
		return envs.Result{Observation: text, Outcome: envs.ToolError}
	case sandbox.OutOfTime:
		note = outOfTime
	case sandbox.OutOfSpace:
		note = fmt.Sprintf("[The output was cut after %d bytes and the code was stopped.]",
			in.opts.Limits.Output)
	case sandbox.Died:
		note = fmt.Sprintf("SystemError: the interpreter ended (%s)", r.Detail)
	}

	// What a stopped program has printed so far may still help the agent.
	if text != "" {
		note = text + "\n" + note
	}
	return envs.Result{Observation: note, Outcome: envs.ToolError}
}

// strip removes white space around what a program shows. With indented it keeps that before the
// first word: the report of a syntax error is indented, and so is what follows it.
func strip(text string, indented bool) string {
	words := pytext.Strip(text)
	if !indented || words == "" {
		return words
	}

	before := text[:strings.Index(text, words)]
	return before[strings.LastIndexByte(before, '\n')+1:] + words
}

// excerpt keeps an error message readable when the program is long.
func excerpt(code string) string {
	if len(code) > 200 {
		return strings.ToValidUTF8(code[:200], "") + "..."
	}
	return code
}
