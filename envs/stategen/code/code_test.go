package code

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/drift"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/sandboxtest"
	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
)

func TestMain(m *testing.M) {
	confine.Main()
	os.Exit(m.Run())
}

func version(t testing.TB, c *toolapi.Catalog, name string) *toolapi.Version {
	t.Helper()

	v, err := c.Version(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// made returns the i-th drifted version of a catalog.
func made(t testing.TB, c *toolapi.Catalog, i int) *toolapi.Version {
	t.Helper()

	m, err := drift.NewMaker(c, "p_c", nil, 7)
	if err != nil {
		t.Fatal(err)
	}

	spec, _ := m.Version(i)

	with, err := c.With(spec)
	if err != nil {
		t.Fatal(err)
	}
	return version(t, with, spec.Version)
}

func toyGrader(t testing.TB) *Grader {
	t.Helper()

	base := version(t, catalog(t, toy{}), "p_c")
	return &Grader{Surface: Surface{Domain: toy{}, Base: base, Deployed: base}, Engine: sandboxtest.Engine(t)}
}

const toyProgram = `r_1 = write(text=user_variable_0)
r_2 = write(text="second", size=user_variable_1["size"])
if r_1["text"] == user_constant_0:
    r_3 = join(notes=[r_1, r_2], between=" + ")
    post(note=r_3, wall=user_variable_1["wall"])
    RESULT = r_3
else:
    post(note=r_1, wall="south")
    RESULT = [r_1, r_2]
`

func TestRenderFunctions(t *testing.T) {
	base := version(t, catalog(t, toy{}), "p_c")
	s := Surface{Domain: toy{}, Base: base, Deployed: base}

	got, err := s.Render(&toyTask().Program)
	if diff := cmp.Diff(toyProgram, got); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
}

func grade(t *testing.T, g *Grader, task *stategen.Task, program string) Verdict {
	t.Helper()

	v, err := g.Grade(t.Context(), task, program)
	if err != nil {
		t.Fatalf("%s\n%v", program, err)
	}
	return v
}

// The reference, written for a version, passes where it is deployed; written for the base it passes
// where nothing of what it calls has changed, and nowhere else.
func TestReferencePassesUnderDrift(t *testing.T) {
	g, c := toyGrader(t), catalog(t, toy{})
	task := toyTask()
	changed := 0

	for i := range 12 {
		g.Surface.Deployed = made(t, c, i)

		text, err := g.Surface.Render(&task.Program)
		if err != nil {
			t.Errorf("%s: %v", g.Surface.Deployed.Name, err)
			continue
		}

		if v := grade(t, g, task, text); !v.Passed() {
			t.Errorf("%s: %+v\n%s", g.Surface.Deployed.Name, v, text)
		}

		v := grade(t, g, task, toyProgram)
		if v.Passed() != (text == toyProgram) {
			t.Errorf("%s: the base's program gives %+v, and this one's is\n%s", g.Surface.Deployed.Name, v, text)
		}

		if !v.Passed() {
			changed++
		}
	}

	if changed == 0 {
		t.Error("no version changed anything")
	}
}

// caught is what becomes of a program.
type caught struct {
	program string
	class   Class
	cause   Cause
	text    string // a part of what is said
}

// What was done is compared with what the reference does: its tools, each as often.
func TestOtherTools(t *testing.T) {
	g := toyGrader(t)

	for name, c := range map[string]struct {
		program string
		other   bool
	}{
		"as the reference":  {toyProgram, false},
		"with another text": {change(t, `"second"`, `"third"`), false},
		"with another end":  {change(t, "RESULT = r_3", "RESULT = r_1"), false},
		"after a refusal":   {"try:\n    write()\nexcept TypeError:\n    pass\n" + toyProgram, false},
		"and one more":      {toyProgram + "write(text='more')\n", true},
		"and no last one":   {change(t, `    post(note=r_3, wall=user_variable_1["wall"])`+"\n", ""), true},
		"and none":          {"RESULT = 1", true},
	} {
		if v := grade(t, g, toyTask(), c.program); v.OtherTools != c.other {
			t.Errorf("calls %s: %+v, want other tools %v", name, v, c.other)
		}
	}
}

// judge grades programs of the toy task.
func judge(t *testing.T, g *Grader, programs map[string]caught) {
	for name, want := range programs {
		t.Run(name, func(t *testing.T) {
			v := grade(t, g, toyTask(), want.program)
			if v.Class != want.class || v.Cause != want.cause || !strings.Contains(v.Text, want.text) {
				t.Errorf("%+v, want %s, %s and %q", v, want.class, want.cause, want.text)
			}

			if again, err := ReadVerdict(v.Observation()); again != v || err != nil {
				t.Errorf("%+v is read back as %+v, %v", v, again, err)
			}
		})
	}
}

// change returns the reference program with another text in place of one that it has.
func change(t *testing.T, from, to string) string {
	t.Helper()

	if !strings.Contains(toyProgram, from) {
		t.Fatalf("the program has no %q", from)
	}
	return strings.ReplaceAll(toyProgram, from, to)
}

func TestPrograms(t *testing.T) {
	change := func(from, to string) string { return change(t, from, to) }
	inFunction := "def main():\n    global RESULT\n    " + strings.ReplaceAll(toyProgram, "\n", "\n    ") + "\nmain()\n"
	nested := "RESULT = " + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000)
	noPost := change(`    post(note=r_3, wall=user_variable_1["wall"])`+"\n", "")
	tried := "try:\n    write()\nexcept TypeError:\n    pass\n"

	judge(t, toyGrader(t), map[string]caught{
		"the reference":         {toyProgram, "", "", ""},
		"attributes":            {change(`r_1["text"]`, "r_1.text"), "", "", ""},
		"positions":             {change(`text="second", size=`, `"second", `), "", "", ""},
		"a function":            {inFunction, "", "", ""},
		"a caught mistake":      {tried + toyProgram, "", "", ""},
		"it prints and exits":   {"print('x' * 10)\n" + toyProgram + "exit()\nRESULT = RESULT\n", "", "", ""},
		"it ends with sys.exit": {toyProgram + "import sys\nsys.exit()\n", "", "", ""},

		"unbalanced":   {change("[r_1, r_2]", "[r_1, r_2"), Syntax, Unparsable, "SyntaxError"},
		"a null byte":  {"RESULT = 1\x00", Syntax, Unparsable, ""},
		"nested":       {nested, Syntax, Unparsable, ""},
		"an empty one": {"", Result, NoResult, "no RESULT"},
		"no RESULT":    {change("RESULT", "result"), Result, NoResult, "no RESULT"},

		"no such API":        {change("post(", "publish("), Execution, UnknownAPI, "'publish' is not defined"},
		"no such variable":   {change("user_variable_0", "user_variable_9"), Execution, NoVariable, "user_variable_9"},
		"no such module":     {"import torch\n" + toyProgram, Execution, NoModule, "torch"},
		"no such key":        {change(`["size"]`, `["length"]`), Execution, Data, "KeyError: 'length'"},
		"no such parameter":  {change("between=", "middle="), Execution, Arguments, "middle"},
		"too many arguments": {change(`text="second", size=`, `"second", 1, 2, `), Execution, Arguments, "TypeError"},
		"of the wrong type":  {change("note=r_1", "note=1"), Execution, Arguments, "want string"},
		"no such object":     {change("note=r_3", `note="note_9"`), Execution, Refused, "there is no note note_9"},
		"an assertion":       {"assert False, 'no'\n", Execution, Exception, "AssertionError: no"},
		"not what JSON says": {change("RESULT = r_3", "RESULT = {1, 2}"), Result, NoResult, "set"},
		"half a character":   {"raise ValueError('\\ud800')", Execution, Data, "ValueError"},
		"a long exception":   {"raise ValueError('x' * 100000)", Execution, Data, "…"},

		"the wrong text":   {change(`"second"`, `"third"`), Result, WrongState, ""},
		"the wrong wall":   {change(`wall=user_variable_1["wall"]`, `wall="west"`), Result, WrongState, ""},
		"the other RESULT": {change("RESULT = r_3", "RESULT = r_1"), Result, WrongResult, ""},
		"an empty object":  {change("RESULT = r_3", "RESULT = {}"), Result, WrongResult, ""},
		"null":             {change("RESULT = r_3", "RESULT = None"), Result, WrongResult, ""},
		"no side effect":   {noPost, Result, WrongState, ""},
	})
}

// A program can do nothing to who grades it: it ends in a verdict on itself, whatever it writes,
// asks or breaks.
func TestHostilePrograms(t *testing.T) {
	g := toyGrader(t)
	g.Limits.CPU, g.Limits.Wall = time.Second, time.Minute

	const calling = "while True:\n    try:\n        write(text='x')\n    except BaseException:\n        pass\n"

	const replaced = "write = lambda **more: {'text': user_constant_0}\n"

	const patched = "import json, os\njson.dumps = os.write = os._exit = None\n"

	const clock = "import time\nwrite(text=str(time.perf_counter_ns()))\nwrite(text='x')\n"

	// leaving is a program that writes a frame of its own and ends.
	frame := func(text string) string { return "import os\nos.write(1, b'\\n\\x1e" + text + "\\n')\n" }
	leaving := func(text string) string { return frame(text) + "os._exit(0)\n" }

	judge(t, g, map[string]caught{
		"time":            {"while True: pass", Execution, Time, ""},
		"memory":          {"x = 'x' * (1 << 40)", Execution, Space, "MemoryError"},
		"a crash":         {"import ctypes\nctypes.string_at(0)\n", Execution, Crash, "died"},
		"endless calls":   {"while True:\n    write(text='x')\n", Execution, TooManyCalls, "64"},
		"caught calls":    {calling, Execution, TooManyCalls, ""},
		"another clock":   {clock, Execution, Unsteady, "deterministic"},
		"its own end":     {"import os\nos._exit(0)\n", Execution, Broken, "ended itself"},
		"a flood":         {"import os\nwhile True: os.write(1, b'x' * 65536)\n", Execution, Space, "wrote too much"},
		"a printed flood": {"for i in range(100): print('x' * (1 << 20))\n" + toyProgram, "", "", ""},
		"a large program": {"RESULT = '" + strings.Repeat("x", mostCode) + "'", Execution, Space, "bytes"},

		"a forged RESULT":  {leaving(`{"end": "done", "result": "note_1"}`), Result, WrongState, ""},
		"half a frame":     {leaving(`{"end"`), Execution, Broken, "cannot be read"},
		"another frame":    {leaving(`{"end": "passed"}`), Execution, Broken, "no known kind"},
		"half a call":      {leaving(`{"call": "["}`), Execution, Broken, "cannot be read"},
		"an empty call":    {leaving(`{"call": "{}"}`), Execution, TooManyCalls, ""},
		"a frame too soon": {frame(`{"end": "done", "result": 1}`) + toyProgram, "", "", ""},

		"a file":          {"RESULT = open('/etc/passwd').read()", Execution, Exception, "PermissionError"},
		"a process":       {"import os\nos.fork()\n", Execution, Exception, "PermissionError"},
		"a socket":        {"import socket\nsocket.socket()\n", Execution, Exception, "PermissionError"},
		"a stub replaced": {replaced + toyProgram, Execution, Arguments, ""},
		"patched modules": {patched + toyProgram, Execution, Data, ""},
	})
}

// What breaks in the comparison is a failure of ours, and no verdict.
func TestComparisonThatPanics(t *testing.T) {
	g := toyGrader(t)
	g.Surface.Domain = toy{panics: true}

	want := stategen.Oracle{Result: "x"}
	if _, _, err := g.compare(ending{server: &server{state: board{}}}, want); err == nil {
		t.Error("a comparison that panics is none")
	}
}
