package action

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/envtest"
)

// react returns an action with a thought.
func react(name, input string) string {
	return "Thought: so be it.\n\nAction: " + name + "\n\nAction Input: " + input
}

func TestSplit(t *testing.T) {
	tests := []struct{ text, name, input string }{ // name "" for malformed
		{"Thought: x\nAction: LoadDB\nAction Input: {\"DBName\": \"coffee\"}", "LoadDB", `{"DBName": "coffee"}`},
		{"Action:LoadDB Action Input:{ }", "LoadDB", "{ }"},
		{"Action: LoadDB\nAction Input: {}", "", ""},
		{"Action: LoadDB\nAction Input: }{x}", "", ""},
		{"Action: LoadDB", "", ""},
		{"Action Input: {\"a\": 1}", "", ""},
		{"Action: \u3000\x1c\nAction Input: {\"a\": 1}", "", ""},
		{"action: LoadDB\nAction Input: {\"a\": 1}", "", ""},
		{"Action: LoadDB\nAction Input {\"a\": 1}", "", ""},
		{"Action: LoadDB\nAction Input: coffee", "", ""},
		{"Action: LoadDB\nplease\nAction Input: {\"a\": 1}", "LoadDB\nplease", `{"a": 1}`},
		// Two actions: the name of the first, the braces of both.
		{"Action: A\nAction Input: {\"a\": 1}\nAction: B\nAction Input: {\"b\": 2}", "A",
			"{\"a\": 1}\nAction: B\nAction Input: {\"b\": 2}"},
		{"Action: A\nAction Input: none\nAction Input:\u2003\n{\"a\": 1} so }", "A", `{"a": 1} so }`},
		{"Action: A Action: B Action Input: {\"a\": 1}", "A Action: B", `{"a": 1}`},
		{"Action Input: {\"a\": 1} Action: A Action Input: {\"b\": 2}", "A",
			`{"a": 1} Action: A Action Input: {"b": 2}`},
	}
	for _, tt := range tests {
		name, input, ok := ReAct{}.split(tt.text)
		if ok != (tt.name != "") || ok && (name != tt.name || input != tt.input) {
			t.Errorf("split(%q) = %q, %q, %v, want %q, %q", tt.text, name, input, ok, tt.name, tt.input)
		}
	}
}

func TestParse(t *testing.T) {
	got, err := ReAct{}.Parse(react("LoadDB", `{"DBName": "coffee", "n": 2.50}`))

	want := envs.Call{Name: "LoadDB", Args: envs.Args{
		{Name: "DBName", Value: "coffee"}, {Name: "n", Value: envs.Number("2.50")},
	}}
	if diff := gocmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}

	if got, err = (ReAct{}).Parse("LoadDB"); !errors.Is(err, ErrMalformed) || got.Name != "" {
		t.Errorf("no call at all: %v, %v", got, err)
	}

	got, err = ReAct{}.Parse(react("LoadDB", `{'DBName': 'coffee'}`))

	const argument = "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"
	if err == nil || err.Error() != argument || got.Name != "LoadDB" || got.Args != nil {
		t.Errorf("arguments that are not JSON: %v, %v", got, err)
	}
}

func TestActionsEndWithTheirCall(t *testing.T) {
	finish := react("Finish", `{"answer": "9 } {"}`)
	object := FunctionCall{}.Format("It is {9}.", call("Finish", "answer", "9"))

	tagged := "<tool_call>\n" + FunctionCall{}.Format("", call("Finish", "answer", "9")) + "\n</tool_call>"

	for _, tt := range []struct {
		codec      Codec
		text, want string // want "" for the text
	}{
		{ReAct{}, finish + "\n```\n\nThought: I {might} say more.", finish},
		{ReAct{}, finish + "\nAction: B\nAction Input: {\"b\": 2}", finish},
		{ReAct{}, finish + "}", finish},
		{ReAct{}, finish + " \n", ""},
		{ReAct{}, "Thought: {\"b\": 2}\nAction: B\nAction Input: {\"b\": 2} so",
			"Thought: {\"b\": 2}\nAction: B\nAction Input: {\"b\": 2}"},
		{ReAct{}, react("Finish", `{'answer': 9} and }`), ""},
		{ReAct{}, "no call }", ""},
		{ReAct{LastBrace: true}, finish + "\n```", ""},
		{ReAct{LastBrace: true}, finish + "}", ""},
		{FunctionCall{}, object + "\n```\n{}", object},
		{FunctionCall{}, tagged + " {}", tagged},
		{FunctionCall{}, object + " \n</tool_call>\n", ""},
		{FunctionCall{}, "no call } so", ""},
	} {
		want := cmp.Or(tt.want, tt.text)
		if got := tt.codec.Trim(tt.text); got != want {
			t.Errorf("%v: Trim(%q) = %q, want %q", tt.codec, tt.text, got, want)
		}
	}

	if _, err := (ReAct{LastBrace: true}).Parse(finish + "}"); err == nil || err.Error() != "Extra data: line 1 "+
		"column 20 (char 19)" {
		t.Errorf("the published code's way: %v", err)
	}
}

// checkTrim checks what Trim promises of any text.
func checkTrim(t *testing.T, codec Codec, text string) {
	t.Helper()

	trimmed := codec.Trim(text)
	if !strings.HasPrefix(text, trimmed) || codec.Trim(trimmed) != trimmed {
		t.Errorf("Trim(%q) = %q", text, trimmed)
	}

	want, wantErr := codec.Parse(text)
	got, err := codec.Parse(trimmed)

	if fmt.Sprint(err) != fmt.Sprint(wantErr) || !gocmp.Equal(got, want) {
		t.Errorf("%q is %v, %v; trimmed it is %v, %v", text, want, wantErr, got, err)
	}
}

func TestParseStrict(t *testing.T) {
	for text, want := range map[string]string{
		"Action: A\nAction Input: {}":                                   `action does not begin with "Thought:"`,
		"Thought: x\nAction: A\nAction Input: {}\nObservation: made up": `action contains "Observation:"`,
		"Thought: x Action: A\nAction Input: {}":                        `action has no line "Action:"`,
		"Thought: x\nAction: A Action Input: {}":                        `action has no line "Action Input:"`,
		"Thought: x\nAction: A\nAction Input: []":                       "action input: not a JSON object",
		"Thought: x\nAction: A\nAction Input: {} so":                    `action input: text after the object: "so"`,
	} {
		if _, err := (ReAct{}).ParseStrict(text); err == nil || err.Error() != want {
			t.Errorf("ParseStrict(%q) = %v, want %s", text, err, want)
		}
	}

	got, err := ReAct{}.ParseStrict("\nThought: x\n\nAction: A\n\nAction Input: {\"a\": 1}\n")

	want := envs.Call{Name: "A", Args: envs.Args{{Name: "a", Value: envs.Number("1")}}}
	if diff := gocmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestThought(t *testing.T) {
	for text, want := range map[string]string{
		react("A", "{ }"):                 "so be it.",
		"Thought: no action.\n":           "no action.",
		"Action: A\nThought: \u3000late ": "late",
		"I think.\nAction: A":             "",
	} {
		if got := (ReAct{}).Thought(text); got != want {
			t.Errorf("Thought(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestKey(t *testing.T) {
	same := []string{
		react("LoadDB", `{"DBName": "coffee", "n": 1}`),
		"Action:LoadDB\nAction Input:{ \"DBName\" :\n\"c\\u006fffee\",\"n\":1 }\nso it goes",
		"Thought: another\xff.\nAction:  LoadDB  \nAction Input: {\"DBName\": 1, \"n\": 1, \"DBName\": \"coffee\"}",
		"Action: LoadDB\nAction Input: {\"DBName\": \"coffee\", \"n\": 1}",
	}

	want := `LoadDB {"DBName": "coffee", "n": 1}`
	for _, a := range same {
		if got := Key(ReAct{}, a); got != want {
			t.Errorf("Key(%q) = %q, want %q", a, got, want)
		}
	}

	for a, want := range map[string]string{
		react("LoadDB", `{"n": 1, "DBName": "coffee"}`): `LoadDB {"n": 1, "DBName": "coffee"}`,
		react("Init_DB", `{ }`):                         `Init_DB {}`,
		react("Load DB", `{ }`):                         `"Load DB" {}`,
		`LoadDB {"n": 1}`:                               `"LoadDB {\"n\": 1}"`,
		" no call\xff\n":                                "\"no call\uFFFD\"",
		"\nAction: A\nAction Input: {x}\u3000":          `"Action: A\nAction Input: {x}"`,
		"":                                              `""`,
	} {
		if got := Key(ReAct{}, a); got != want {
			t.Errorf("Key(%q) = %q, want %q", a, got, want)
		}
	}
}

// An empty object is the input of a tool without parameters, where that is wanted.
func TestEmptyInput(t *testing.T) {
	if _, err := (ReAct{}).Parse(react("Health", "{}")); !errors.Is(err, ErrMalformed) {
		t.Errorf("by the published rule: %v", err)
	}

	for _, input := range []string{"{}", "{ }", "{}\n"} {
		if call, err := (ReAct{EmptyInput: true}).Parse(react("Health", input)); err != nil || call.Name != "Health" ||
			len(call.Args) > 0 {
			t.Errorf("%q is the call %v, %v", input, call, err)
		}
	}

	for _, input := range []string{"}{", "{", "}"} {
		if _, err := (ReAct{EmptyInput: true}).Parse(react("Health", input)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%q: %v", input, err)
		}
	}
}

func FuzzReAct(f *testing.F) {
	for _, a := range envtest.Hostile() {
		if len(a) < 1000 {
			f.Add(string(a))
		}
	}

	f.Add(react("LoadDB", `{"DBName": "coffee"}`))
	f.Fuzz(func(t *testing.T, text string) {
		name, input, ok := ReAct{}.split(text)
		if ok && (name == "" || len(input) < 3 || !strings.HasPrefix(input, "{") || !strings.HasSuffix(input, "}") ||
			!strings.Contains(text, input)) {
			t.Errorf("split(%q) = %q, %q", text, name, input)
		}

		call, err := ReAct{}.Parse(text)
		if ok && call.Name != name || errors.Is(err, ErrMalformed) == ok {
			t.Errorf("Parse(%q) = %v, %v", text, call, err)
		}

		checkTrim(t, ReAct{}, text)
		checkTrim(t, ReAct{LastBrace: true}, text)
		checkTrim(t, ReAct{EmptyInput: true}, text)

		key := Key(ReAct{}, text)
		if strings.ContainsAny(key, "\r\n") || !utf8.ValidString(key) {
			t.Errorf("the key %q is not one line of text", key)
		}
	})
}
