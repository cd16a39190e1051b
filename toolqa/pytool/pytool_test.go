package pytool

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"toolevo/envs"
	"toolevo/envs/sandbox"
	"toolevo/toolqa"
)

func run(t testing.TB, in *Interpreter, code any) envs.Result {
	t.Helper()

	_, r, err := in.Call(t.Context(), toolqa.Session{}, envs.Args{{Name: "Python", Value: code}})
	if err != nil {
		t.Fatalf("%.200v: %v", code, err)
	}
	return r
}

// answering is an engine that answers every program alike and keeps the last one.
type answering struct {
	reply   sandbox.Reply
	err     error
	program sandbox.Program
	limits  sandbox.Limits
}

func (a *answering) Stamp() sandbox.Stamp {
	return sandbox.Stamp{Engine: "answering", Python: "3.11.2"}
}
func (a *answering) Close() error { return nil }

func (a *answering) Run(_ context.Context, p sandbox.Program, l sandbox.Limits) (sandbox.Reply, error) {
	a.program, a.limits = p, l
	return a.reply, a.err
}

func TestObservations(t *testing.T) {
	const died = "SystemError: the interpreter ended (signal: aborted)"
	const traceback = "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n    x\nE: y"

	const syntax = "  File \"<string>\", line 1\n    x =\n       ^\nSyntaxError: invalid syntax"
	for name, tt := range map[string]struct {
		reply sandbox.Reply
		want  envs.Result
	}{
		"output":  {sandbox.Reply{Output: "1\n"}, envs.Result{Observation: "1"}},
		"nothing": {sandbox.Reply{}, envs.Result{Observation: nothingPrinted, Outcome: envs.ToolError}},
		"blank": {sandbox.Reply{Output: " \n\x1e"},
			envs.Result{Observation: nothingPrinted, Outcome: envs.ToolError}},
		"padding":   {sandbox.Reply{Output: "\x1c\u3000a\x1db \x1f"}, envs.Result{Observation: "a\x1db"}},
		"not UTF-8": {sandbox.Reply{Output: "a\xffb"}, envs.Result{Observation: "a\uFFFDb"}},
		"raised": {sandbox.Reply{Output: traceback + "\n", End: sandbox.Raised},
			envs.Result{Observation: traceback, Outcome: envs.ToolError}},
		"raised, indent": {sandbox.Reply{Output: "\n\n" + syntax + "\n", End: sandbox.Raised},
			envs.Result{Observation: syntax, Outcome: envs.ToolError}},
		"raised, nothing": {sandbox.Reply{Output: "\n", End: sandbox.Raised},
			envs.Result{Observation: nothingPrinted, Outcome: envs.ToolError}},
		"time": {sandbox.Reply{End: sandbox.OutOfTime}, envs.Result{Observation: outOfTime, Outcome: envs.ToolError}},
		"time, output": {sandbox.Reply{Output: "so far\n", End: sandbox.OutOfTime}, envs.Result{
			Observation: "so far\n" + outOfTime,
			Outcome:     envs.ToolError,
		}},
		"space": {sandbox.Reply{Output: "yes\n", End: sandbox.OutOfSpace},
			envs.Result{
				Observation: "yes\n[The output was cut after 4 bytes and the code was stopped.]",
				Outcome:     envs.ToolError,
			}},
		"space, address": {sandbox.Reply{Output: "<A object at 0x7f3a", End: sandbox.OutOfSpace},
			envs.Result{
				Observation: "<A object at 0x7f0000000000\n[The output was cut after 4 bytes and the code was " +
					"stopped.]",
				Outcome: envs.ToolError,
			}},
		"died": {sandbox.Reply{Output: "<A object at 0x7f3a9c0b5d90>", End: sandbox.Died, Detail: "signal: aborted"},
			envs.Result{Observation: "<A object at 0x7f0000000000>\n" + died, Outcome: envs.ToolError}},
	} {
		in := New(&answering{reply: tt.reply}, Options{Limits: sandbox.Limits{Output: 4}})

		tt.want.Maker = "answering python 3.11.2"
		if got := run(t, in, "x"); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", name, got, tt.want)
		}
	}

	in := New(&answering{reply: sandbox.Reply{Output: "  E: y", End: sandbox.Raised}}, Options{PublishedCapture: true})
	if got := run(t, in, "x").Observation; got != "E: y" {
		t.Errorf("published: got %q", got)
	}
}

func TestArguments(t *testing.T) {
	in := New(&answering{}, Options{})
	for _, arg := range []any{nil, true, envs.Number("1"), []any{"print(1)"}, envs.Args{}} {
		if got := run(t, in, arg); got.Observation != wrongArguments || got.Outcome != envs.InvocationError {
			t.Errorf("%v: %+v", arg, got)
		}
	}
}

// The seed depends on what runs, not on the fence around it, and is the same in every engine and on
// every day.
func TestSeed(t *testing.T) {
	a := &answering{}
	in := New(a, Options{})

	want := sandbox.Program{Code: "print(1)", Seed: 0xd287bb7f} // as sha256sum says
	for _, code := range []string{"print(1)", "```python\nprint(1)\n```"} {
		if run(t, in, code); a.program != want {
			t.Errorf("%q: ran %+v, want %+v", code, a.program, want)
		}
	}

	run(t, New(a, Options{PublishedCapture: true}), "print(2)")

	if a.program.Seed == want.Seed || !a.program.Published {
		t.Errorf("published: ran %+v", a.program)
	}
}

func TestLimitsHaveDefaults(t *testing.T) {
	a := &answering{}
	run(t, New(a, Options{Limits: sandbox.Limits{CPU: 3 * time.Second}}), "x")

	if want := (sandbox.Limits{
		Wall:   12 * time.Second,
		CPU:    3 * time.Second,
		Memory: 1 << 30,
		Output: 64 << 10,
	}); a.limits != want {
		t.Errorf("got %+v, want %+v", a.limits, want)
	}
}

func TestFailureOfTheEngine(t *testing.T) {
	broken := errors.New("broken")

	_, _, err := New(&answering{err: broken}, Options{}).Call(t.Context(), toolqa.Session{},
		envs.Args{{Name: "Python", Value: strings.Repeat("x", 300)}})
	if stage, ok := envs.FailedStage(err); !ok || stage != envs.StageTool || !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}

	if n := len(err.Error()); n > 400 {
		t.Errorf("an error of %d bytes for a program of 300", n)
	}
}

func TestDescribe(t *testing.T) {
	for sentence, modules := range map[string][]string{
		"Only the modules of Python's standard library can be imported.":           nil,
		"Only the modules of Python's standard library and numpy can be imported.": {"numpy"},
		"Only the modules of Python's standard library, numpy, pandas and sympy can be imported.": {
			"numpy", "sympy", "pandas",
		},
	} {
		if got := Describe(modules); got != sentence {
			t.Errorf("got %q, want %q", got, sentence)
		}
	}
}

func TestUnfence(t *testing.T) {
	for code, want := range map[string][2]string{ // by default, and published
		"x = 1":                          {"x = 1", "x = 1"},
		"```python\nx = 1\n```":          {"x = 1", "x = 1"},
		"```\nx = 1\n```":                {"x = 1", "x = 1"},
		"``` Python x = 1```":            {"x = 1", "x = 1"},
		"`x = 1`":                        {"x = 1", "x = 1"},
		"python\nx = 1":                  {"x = 1", "x = 1"},
		"python_version":                 {"python_version", "_version"},
		"```python\n  if x:\n    y\n```": {"if x:\n  y", "if x:\n    y"},
		"\n\n  x = 1\n  print(x)\n":      {"x = 1\nprint(x)", "x = 1\n  print(x)"},
		"  if True:\n      x\n\n  y":     {"if True:\n    x\n\ny", "if True:\n      x\n\n  y"},
		"  x = '''\ny\n'''":              {"x = '''\ny\n'''", "x = '''\ny\n'''"},
		" \x1c`\u00a0python\x1fx`\x1d":   {"\x1c`\u00a0python\x1fx`\x1d", "x"},
		"":                               {"", ""},
		"```":                            {"", ""},
	} {
		if got := [2]string{unfence(code), unfencePublished(code)}; got != want {
			t.Errorf("%q\n got %q\nwant %q", code, got, want)
		}
	}
}

func FuzzUnfence(f *testing.F) {
	for _, code := range []string{"```python\nprint(1)\n```", "  if True:\n      print(1)\n\n  print(2)",
		"python_version = 3", "` `x``", "\tx\n\ty\n"} {
		f.Add(code)
	}

	f.Fuzz(func(t *testing.T, code string) {
		for _, out := range []string{unfence(code), unfencePublished(code)} {
			if len(out) > len(code) || strings.HasSuffix(out, "`") || out != strings.Trim(out, blanks) {
				t.Errorf("unfence(%q) = %q", code, out)
			}
		}
	})
}
