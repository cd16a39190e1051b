package stategen_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
)

// echo answers every call with its arguments.
func echo(_ string, args envs.Args) (any, error) { return args, nil }

func value(t *testing.T, text string) any {
	t.Helper()

	v, err := pytext.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestPrograms(t *testing.T) {
	for _, tt := range []struct {
		name, program, values string
		want, fault           string // the result as JSON, or how the program fails
		path                  string
	}{
		{
			"a part of a result", `{"main":[{"call":{"assign":"r","tool":"t","args":[{"name":"a","expr":{"var":"x"}}]}}],
			"result":{"var":"r","path":["a","1","k"]}}`, `{"x":[1,{"k":"v"}]}`, `"v"`, "", "main",
		},
		{
			"an edit changes a copy", `{"main":[{"edit":{"var":"x","path":["a","b"],"to":{"value":2}}},
			{"edit":{"var":"x","path":["new"],"to":{"var":"y"}}}],"result":{"list":[{"var":"x"},{"var":"y"}]}}`,
			`{"x":{"a":{"b":1}},"y":"z"}`, `[{"a": {"b": 2}, "new": "z"}, "z"]`, "", "main",
		},
		{
			"an edit reaches into a list", `{"main":[{"edit":{"var":"x","path":["1","k"],"to":{"value":2}}}],
			"result":{"var":"x"}}`, `{"x":[{"k":1},{"k":1}]}`, `[{"k": 1}, {"k": 2}]`, "", "main",
		},
		{
			"functions", `{"main":[],"result":{"list":[{"func":"length","list":[{"var":"l"}]},
			{"func":"sentences","list":[{"var":"s"}]}]}}`,
			`{"l":[1,2],"s":"One. Two! Is it three?"}`, `[2, 3]`, "", "main",
		},
		{
			"the test holds", `{"main":[],"branch":{"test":{"left":{"var":"n"},"right":{"var":"c"}},
			"if":{"stmts":[],"result":{"value":"yes"}},"else":{"stmts":[],"result":{"value":"no"}}}}`,
			`{"n":1,"c":1.0}`, `"yes"`, "", "if",
		},
		{
			"no element passes", `{"main":[],"branch":{"test":{"left":{"var":"l"},"any":["k"],"right":{"var":"c"}},
			"if":{"stmts":[],"result":{"value":"yes"}},"else":{"stmts":[],"result":{"value":"no"}}}}`,
			`{"l":[{"k":1},{"other":2},3],"c":2}`, `"no"`, "", "else",
		},
		{
			"a call for each", `{"main":[{"each":{"item":"i","in":{"var":"l"},"where":{"left":{"var":"i","path":["k"]},
			"right":{"value":2}},"do":{"assign":"r","tool":"t","args":[{"name":"a","expr":{"var":"i"}}]}}}],
			"result":{"var":"r"}}`, `{"l":[{"k":1},{"k":2}]}`, `{"a": {"k": 2}}`, "", "main",
		},
		{
			"an object", `{"main":[],"result":{"object":[{"name":"a","expr":{"var":"x"}},{"name":"b","expr":{"value":1}}]}}`,
			`{"x":[]}`, `{"a": [], "b": 1}`, "", "main",
		},
		{
			"one element passes", `{"main":[],"branch":{"test":{"left":{"var":"l"},"any":["k"],"right":{"var":"c"}},
			"if":{"stmts":[],"result":{"value":"yes"}},"else":{"stmts":[],"result":{"value":"no"}}}}`,
			`{"l":[3,{"k":1},{"k":2}],"c":2.0}`, `"yes"`, "", "if",
		},
		{
			"nothing has the member", `{"main":[],"branch":{"test":{"left":{"var":"l"},"any":["k"],"right":{"value":null}},
			"if":{"stmts":[],"result":{"value":"yes"}},"else":{"stmts":[],"result":{"value":"no"}}}}`,
			`{"l":[{"j":1},2]}`, `"no"`, "", "else",
		},
		{
			"a constant without a value is what is there", `{"main":[],"branch":{"test":{"left":{"var":"l"},"any":["k"],
			"right":{"var":"c"}},"if":{"stmts":[],"result":{"var":"c"}},"else":{"stmts":[],"result":{"value":"no"}}}}`,
			`{"l":[{"k":1},{"k":2}],"c":null}`, `1`, "", "if",
		},
		{
			"the first element of a list", `{"main":[],"result":{"list":[{"var":"x","path":["0"]},{"var":"x","path":["1"]}]}}`,
			`{"x":["a","b"]}`, `["a", "b"]`, "", "main",
		},
		{
			"a call that nobody keeps", `{"main":[{"call":{"tool":"t","args":[]}}],"result":{"var":""}}`, `{}`, `[]`, "", "main",
		},
		{
			"calls for some", `{"main":[{"each":{"item":"i","in":{"var":"l"},"where":{"left":{"var":"i"},"right":{"value":1}},
			"do":{"assign":"r","tool":"t","args":[{"name":"a","expr":{"var":"i"}}]}}}],"result":{"var":"r"}}`,
			`{"l":[1,2]}`, `{"a": 1}`, "", "main",
		},
		{
			"nothing to take a constant from", `{"main":[],"branch":{"test":{"left":{"var":"l"},"any":["k"],"right":{"var":"c"}},
			"if":{"stmts":[],"result":{"var":"c"}},"else":{"stmts":[],"result":{"value":"no"}}}}`,
			`{"l":[],"c":null}`, "", "no element 0", "",
		},
		{
			"no such left side", `{"main":[],"branch":{"test":{"left":{"var":"z"},"any":["k"],"right":{"var":"c"}},
			"if":{"stmts":[],"result":{"var":"c"}},"else":{"stmts":[],"result":{"value":"no"}}}}`,
			`{"c":null}`, "", "there is no variable z", "",
		},
		{
			"no such right side", `{"main":[],"branch":{"test":{"left":{"var":"l"},"any":["k"],"right":{"var":"z"}},
			"if":{"stmts":[],"result":{"var":"c"}},"else":{"stmts":[],"result":{"value":"no"}}}}`,
			`{"l":[]}`, "", "there is no variable z", "",
		},
		{
			"any of no list", `{"main":[],"branch":{"test":{"left":{"var":"l"},"any":["k"],"right":{"value":1}},
			"if":{"stmts":[],"result":{"var":"c"}},"else":{"stmts":[],"result":{"value":"no"}}}}`,
			`{"l":"text"}`, "", "'text' is not a list", "",
		},
		{
			"an edit of nothing", `{"main":[{"edit":{"var":"z","path":[],"to":{"value":1}}}],"result":{"value":1}}`, `{}`, "",
			"there is no variable z", "",
		},
		{
			"an edit to nothing", `{"main":[{"edit":{"var":"x","path":[],"to":{"var":"z"}}}],"result":{"value":1}}`, `{"x":1}`,
			"", "there is no variable z", "",
		},
		{
			"an edit within a text", `{"main":[{"edit":{"var":"x","path":["a","b"],"to":{"value":1}}}],"result":{"value":1}}`,
			`{"x":{"a":"text"}}`, "", "no member b", "",
		},
		{
			"a call without its argument", `{"main":[{"call":{"tool":"t","args":[{"name":"a","expr":{"var":"z"}}]}}],
			"result":{"value":1}}`, `{}`, "", "there is no variable z", "",
		},
		{
			"each of nothing", `{"main":[{"each":{"item":"i","in":{"var":"z"},"where":{"left":{},"right":{}},
			"do":{"tool":"t","args":[]}}}],"result":{"value":1}}`, `{}`, "", "there is no variable z", "",
		},
		{
			"each of a text", `{"main":[{"each":{"item":"i","in":{"value":"abc"},"where":{"left":{},"right":{}},
			"do":{"tool":"t","args":[]}}}],"result":{"value":1}}`, `{}`, "", "'abc' is not a list", "",
		},
		{
			"each by nothing", `{"main":[{"each":{"item":"i","in":{"value":[1]},"where":{"left":{"var":"z"},"right":{}},
			"do":{"tool":"t","args":[]}}}],"result":{"value":1}}`, `{}`, "", "there is no variable z", "",
		},
		{
			"a member of nothing", `{"main":[],"result":{"object":[{"name":"a","expr":{"var":"z"}}]}}`, `{}`, "",
			"there is no variable z", "",
		},
		{"an element of nothing", `{"main":[],"result":{"list":[{"var":"z"}]}}`, `{}`, "",
			"there is no variable z", ""},
		{
			"the length of two", `{"main":[],"result":{"func":"length","list":[{"value":[]},{"value":[]}]}}`, `{}`, "",
			"length of 2 values", "",
		},
		{"the length of a text", `{"main":[],"result":{"func":"length","list":[{"value":"a"}]}}`,
			`{}`, "", "length of 'a'", ""},
		{"sentences of a list", `{"main":[],"result":{"func":"sentences","list":[{"value":[]}]}}`,
			`{}`, "", "sentences of []", ""},
		{"no element before the first", `{"main":[],"result":{"var":"x","path":["-1"]}}`,
			`{"x":[1]}`, "", "no element -1", ""},
		{"no number of an element", `{"main":[],"result":{"var":"x","path":["a"]}}`, `{"x":[1]}`,
			"", "no element a", ""},
		{"a part of a number", `{"main":[],"result":{"var":"x","path":["a"]}}`, `{"x":1}`, "",
			"no member a", ""},
		{"no variable", `{"main":[],"result":{"var":"x"}}`, `{}`, "", "there is no variable x", ""},
		{"no member", `{"main":[],"result":{"var":"x","path":["b"]}}`, `{"x":{"a":1}}`, "", "no member b", ""},
		{
			"an edit past the end", `{"main":[{"edit":{"var":"x","path":["1"],"to":{"value":2}}}],"result":{"var":"x"}}`,
			`{"x":[1]}`, "", "no element 1", "",
		},
		{"no element", `{"main":[],"result":{"var":"x","path":["2"]}}`, `{"x":[1]}`, "", "no element 2", ""},
		{
			"not a list", `{"main":[],"result":{"func":"length","list":[{"value":3}]}}`, `{}`, "", "length of 3", "",
		},
		{"no result", `{"main":[]}`, `{}`, "", "no result", ""},
	} {
		var p stategen.Program
		if err := json.Unmarshal([]byte(tt.program), &p); err != nil {
			t.Fatal(tt.name, err)
		}

		values := map[string]any{}
		for _, m := range value(t, tt.values).(envs.Args) {
			values[m.Name] = m.Value
		}

		got, err := p.Run(values, echo)

		var f *stategen.Fault
		if tt.fault != "" {
			if !errors.As(err, &f) || !strings.Contains(f.Text, tt.fault) {
				t.Errorf("%s: the error is %v, want %q", tt.name, err, tt.fault)
			}

			continue
		}

		if text := string(pytext.AppendJSON(nil, got.Result)); err != nil || text != tt.want || got.Path != tt.path {
			t.Errorf("%s: %s on the path %s (%v), want %s on %s", tt.name, text, got.Path, err, tt.want, tt.path)
		}

		if text := string(pytext.AppendJSON(nil, values["x"])); tt.name == "an edit changes a copy" &&
			text != `{"a": {"b": 1}}` {
			t.Errorf("the value that was given is %s now", text)
		}
	}
}

// What a call fails with is what the program does, on whichever path; nothing is kept of it.
func TestFailingCalls(t *testing.T) {
	t.Parallel()

	cause := errors.New("the disk is full")
	fails := func(string, envs.Args) (any, error) { return "nothing", cause }
	call := stategen.Stmt{Call: &stategen.Call{Assign: "r", Tool: "t"}}
	each := stategen.Stmt{Each: &stategen.Each{
		Item: "i", In: stategen.Literal([]any{"a"}), Do: *call.Call,
		Where: stategen.Test{Left: stategen.Var("i"), Right: stategen.Literal("a")},
	}}
	other := each
	unlike := *each.Each
	unlike.Where.Right = stategen.Literal("b")
	other.Each = &unlike

	for name, s := range map[string]stategen.Stmt{"call": call, "each": each} {
		vars := map[string]any{}
		if err := stategen.Do(vars, fails, other, s); !errors.Is(err, cause) || vars["r"] != nil {
			t.Errorf("%s: %v, and the variables are %v", name, err, vars)
		}

		path := stategen.Path{Stmts: []stategen.Stmt{s}, Result: stategen.Literal("done")}
		branch := &stategen.Branch{
			Test: stategen.Test{Left: stategen.Literal("x"),
				Right: stategen.Literal("x")}, If: path,
		}

		for _, p := range []stategen.Program{
			{Main: path.Stmts, Result: &path.Result}, {Branch: branch}, {Main: path.Stmts,
				Branch: &stategen.Branch{}},
		} {
			if got, err := p.Run(nil, fails); !errors.Is(err, cause) || got.Result != nil {
				t.Errorf("%s: it comes to %+v (%v)", name, got, err)
			}
		}
	}

	if err := stategen.Do(nil, fails, stategen.Stmt{}); err == nil {
		t.Error("an empty statement is done")
	}

	vars := map[string]any{"x": []any{"a"}, "y": []any{"a"}}
	vars["same"] = vars["x"]
	edit := stategen.Stmt{Edit: &stategen.Edit{Var: "x", Path: []string{"0"},
		To: stategen.Literal("b")}}

	if err := stategen.Do(vars, fails, edit); err != nil ||
		!stategen.Equal(vars["same"], vars["y"]) {
		t.Errorf("an edit changes what it does not name: %v (%v)", vars, err)
	}

	v, err := stategen.Eval(vars, stategen.Var("x", "0"))
	if err != nil || v != "b" {
		t.Errorf("the element is %v (%v)", v, err)
	}

	_, err = stategen.Eval(vars, stategen.Var("z"))
	if err == nil || err.Error() != "there is no variable z" {
		t.Errorf("the error is %v", err)
	}

	if err := stategen.Refuse("no %s", "box"); err.Error() != "no box" {
		t.Errorf("the refusal is %v", err)
	}
}

func TestEqual(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true},
		{`1`, `"1"`, false},
		{`null`, `null`, true},
		{`null`, `false`, false},
		{`{"a":1,"b":[2]}`, `{"b":[2.0],"a":1}`, true},
		{`{"a":1}`, `{"a":1,"b":2}`, false},
		{`{}`, `{"a":1}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`NaN`, `NaN`, false},
		{`"a"`, `["a"]`, false},
	} {
		if got := stategen.Equal(value(t, tt.a), value(t, tt.b)); got != tt.want {
			t.Errorf("Equal(%s, %s) = %v", tt.a, tt.b, got)
		}

		if got := stategen.Equal(value(t, tt.b), value(t, tt.a)); got != tt.want {
			t.Errorf("Equal(%s, %s) = %v", tt.b, tt.a, got)
		}
	}
}

// FuzzProgram runs any program whose calls echo: it ends, and what it comes to can be written down.
func FuzzProgram(f *testing.F) {
	f.Add(`{"main":[{"call":{"assign":"r","tool":"t","args":[{"name":"a","expr":{"var":"x"}}]}}],"result":{"var":"r"}}`)
	f.Add(`{"main":[{"edit":{"var":"x","path":["a"],"to":{"var":"x"}}}],"branch":{"test":{"left":{"var":"x"},
		"any":[],"right":{"var":"c"}},"if":{"stmts":[],"result":{}},"else":{"stmts":[{}],"result":{}}}}`)

	f.Fuzz(func(t *testing.T, text string) {
		var p stategen.Program
		if json.Unmarshal([]byte(text), &p) != nil {
			return
		}

		values := p.Values(stategen.Case{})
		values["x"], values["c"] = envs.Args{{Name: "a", Value: []any{envs.Number("1")}}}, nil

		if o, err := p.Run(values, echo); err == nil && !json.Valid(pytext.AppendASCII(nil, o.Result)) {
			t.Errorf("%v", o.Result)
		}
	})
}
