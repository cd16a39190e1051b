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
