package action

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/envtest"
	"toolevo/envs/pytext"
)

func TestFunctionCallParse(t *testing.T) {
	load := envs.Call{Name: "LoadDB", Args: envs.Args{{Name: "DBName", Value: "coffee"}}}
	nested := call("A b", "é", envs.Args{{Name: "y", Value: []any{}}})
	tags := call("A", "x", "<think>\n</think>")
	none := envs.Call{Name: "LoadDB", Args: envs.Args{}}

	for text, want := range map[string]envs.Call{
		`{"name": "LoadDB", "arguments": {"DBName": "coffee"}}`:                         load,
		`{"arguments": {"DBName": "coffee"}, "name": " LoadDB\n", "id": 7}`:             load,
		`{"name": "LoadDB", "parameters": {"DBName": "coffee"}}`:                        load,
		`{"name": "LoadDB", "arguments": "{\"DBName\": \"coffee\"}"}`:                   load,
		`{"name": "LoadDB", "arguments": {"DBName": "coffee"}, "parameters": {"x": 1}}`: load,
		"<think>\nIt is {this}.\n</think>\n\n" + FunctionCall{}.Format("", load):        load,
		"<tool_call>\n" + FunctionCall{}.Format("", load) + "\n</tool_call>":            load,
		" \n<think>a</think><tool_call>" + FunctionCall{}.Format("", load):              load,
		"I load it. " + FunctionCall{}.Format("", load) + " Then I {filter} it.":        load,
		FunctionCall{}.Format("", load) + FunctionCall{}.Format("", none):               load,
		"[" + FunctionCall{}.Format("", load) + "]":                                     load,
		"<think>never ends " + FunctionCall{}.Format("", load):                          load,
		`{"name": "LoadDB", "arguments": {}}`:                                           none,
		`{"name": "LoadDB", "arguments": "{}"}`:                                         none,
		`{"name": "A", "arguments": {"x": "</think> {"}}`:                               call("A", "x", "</think> {"),
		`{"name": "A", "arguments": {"x": 1.50}, "name": "B"}`:                          call("B", "x", envs.Number("1.50")),
		FunctionCall{}.Format("", tags):                                                 tags,
		FunctionCall{}.Format("t", nested):                                              nested,
	} {
		got, err := FunctionCall{}.Parse(text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Parse(%q): %v, -want +got:\n%s", text, err, diff)
		}
	}
}

func call(name, param string, value any) envs.Call {
	return envs.Call{Name: name, Args: envs.Args{{Name: param, Value: value}}}
}

func TestFunctionCallErrors(t *testing.T) {
	for _, text := range []string{
		"", "LoadDB", "<think>{}</think> done", `{}`, `{"name": "LoadDB"}`, `{"name": "LoadDB", "arguments": null}`,
		`{"name": "LoadDB", "arguments": ["coffee"]}`, `{"name": "LoadDB", "arguments": "[]"}`,
		`{"name": "", "arguments": {}}`, `{"name": 1, "arguments": {}}`, `{"arguments": {}}`,
		`{"name": " ", "arguments": "coffee"}`, react("LoadDB", `{"DBName": "coffee"}`),
	} {
		if got, err := (FunctionCall{}).Parse(text); !errors.Is(err, ErrMalformed) || got.Name != "" {
			t.Errorf("Parse(%q) = %v, %v, want a malformed action", text, got, err)
		}
	}

	for text, name := range map[string]string{
		`{"name": "LoadDB", "arguments": {"DBName": "coffee"}`:  "",
		`{'name': 'LoadDB', 'arguments': {'DBName': 'coffee'}}`: "",
		`{"name": "LoadDB", "arguments": "coffee"}`:             "LoadDB",
		strings.Repeat(`{"a":`, 2*pytext.MaxDepth):              "",
	} {
		got, err := FunctionCall{}.Parse(text)

		var wrong *pytext.Error
		if !errors.As(err, &wrong) || got.Name != name || got.Args != nil {
			t.Errorf("Parse(%.60q) = %v, %v, want an error of its JSON and the name %q", text, got, err, name)
		}
	}
}

func TestFunctionCallThought(t *testing.T) {
	object := FunctionCall{}.Format("", call("A", "x", "y"))
	for text, want := range map[string]string{
		object: "",
		"<think>\nso be {it}\n</think>\n\n" + object: "so be {it}",
		"<think>\nso be it\n":                        "so be it",
		" so be it\n<tool_call>" + object:            "so be it",
		"no call":                                    "no call",
	} {
		if got := (FunctionCall{}).Thought(text); got != want {
			t.Errorf("Thought(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestParseCodec(t *testing.T) {
	for _, c := range Codecs() {
		if got, err := ParseCodec(c.String()); got != c || err != nil {
			t.Errorf("ParseCodec(%s) = %v, %v", c, got, err)
		}
	}

	if _, err := ParseCodec("xml"); err == nil || !strings.Contains(err.Error(), "react, function-call") {
		t.Errorf("the error %v does not list the codecs", err)
	}
}

func FuzzFunctionCall(f *testing.F) {
	for _, a := range envtest.Hostile() {
		if len(a) < 1000 {
			f.Add(string(a))
		}
	}

	f.Add(FunctionCall{}.Format("so be it", call("LoadDB", "DBName", "coffee")))
	f.Add("<think></think><tool_call>" + `{"name": "A", "arguments": "{}"}` + "</tool_call>")
	f.Fuzz(func(t *testing.T, text string) {
		checkTrim(t, FunctionCall{}, text)
		call, err := FunctionCall{}.Parse(text)

		var wrong *pytext.Error
		if err == nil && (call.Name == "" || call.Args == nil) ||
			err != nil && !errors.Is(err, ErrMalformed) && !errors.As(err, &wrong) {
			t.Errorf("Parse(%q) = %v, %v", text, call, err)
		}

		if err != nil {
			return
		}

		text = strings.ToValidUTF8(text, "\uFFFD")
		call, _ = FunctionCall{}.Parse(text)
		again := FunctionCall{}.Format("", call)
		if key := Key(FunctionCall{}, text); key != Key(FunctionCall{}, again) {
			t.Errorf("%q is written %q, which has another key", text, again)
		}
	})
}
