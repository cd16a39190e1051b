package action

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/envs/envtest"
	"toolevo/envs/pytext"
)

func TestToolsParse(t *testing.T) {
	load := call("LoadDB", "DBName", "coffee")

	for text, want := range map[string]envs.Call{
		`{"content": "I load it.", "calls": [{"name": "LoadDB", "arguments": {"DBName": "coffee"}}]}`: load,
		`{"calls": [{"name": "LoadDB", "arguments": {"DBName": "coffee"}}, {"name": "Finish"}]}`:      load,
		"<think>\n{}\n</think>\n\n" + Tools{}.Format("", load):                                        load,
		`{"calls": [{"name": "A-b_2", "arguments": {"x": 2.50}}]}`:                                    call("A-b_2", "x", envs.Number("2.50")),
		`{"calls": [{"name": "None", "arguments": {}}]}`:                                              {Name: "None", Args: envs.Args{}},
	} {
		got, err := Tools{}.Parse(text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Parse(%q): %v, -want +got:\n%s", text, err, diff)
		}
	}
}

// What cannot be a call in the protocol is malformed, and later prompts show it as content.
func TestToolsMalformed(t *testing.T) {
	long := strings.Repeat("x", 65)

	for text, want := range map[string]string{
		"":                          "",
		"I am done.":                "I am done.",
		`{"content": "I am done."}`: "I am done.",
		`{"name": "LoadDB", "arguments": {"DBName": "coffee"}}`: `{"name": "LoadDB", "arguments": {"DBName": "coffee"}}`,
		`{"content": "So:", "calls": [{"name": "LoadDB", "arguments": "{\"DBName\": \"cof"}]}`: "So:\n" +
			`{"name": "LoadDB", "arguments": "{\"DBName\": \"cof"}`,
		`{"calls": [{"name": "LoadDB", "arguments": []}]}`:       `{"name": "LoadDB", "arguments": []}`,
		`{"calls": [{"name": "LoadDB", "arguments": null}]}`:     `{"name": "LoadDB", "arguments": null}`,
		`{"calls": [{"name": "Load DB", "arguments": {}}]}`:      `{"name": "Load DB", "arguments": {}}`,
		`{"calls": [{"name": "` + long + `", "arguments": {}}]}`: `{"name": "` + long + `", "arguments": {}}`,
		`{"calls": []}`: "",
		`{"calls": [{"name": "A", "arguments": {}}], "cut": true}`: `{"name": "A", "arguments": {}}`,
		"<think>\nso\n</think>\n\n" + `{"content": "Done."}`:       "<think>\nso\n</think>\n\nDone.",
	} {
		var unreadable *pytext.Error

		got, err := Tools{}.Parse(text)
		if !errors.Is(err, ErrMalformed) && !errors.As(err, &unreadable) || got.Args != nil {
			t.Errorf("Parse(%q) = %v, %v, want no call", text, got, err)
		}

		if (unreadable != nil) != strings.Contains(text, `\"cof`) || (got.Name != "") != (unreadable != nil) {
			t.Errorf("Parse(%q) = %v, %v", text, got, err)
		}

		if got := (Tools{}).Message(text); got.Content != want || len(got.Calls) > 0 {
			t.Errorf("Message(%q) = %+v, want the content %q", text, got, want)
		}
	}
}

func TestToolsText(t *testing.T) {
	for _, tt := range []struct {
		message Message
		want    string
	}{
		{Message{}, ""},
		{Message{Content: "Hm."}, `{"content": "Hm."}`},
		{
			Message{"So.", []ToolCall{{"A", `{"x":2.50,  "b":"é\u00e9"}`}}, false},
			`{"content": "So.", "calls": [{"name": "A", "arguments": {"x": 2.50, "b": "éé"}}]}`,
		},
		{Message{Calls: []ToolCall{{"A", `{"x": `}}}, `{"calls": [{"name": "A", "arguments": "{\"x\": "}]}`},
		{Message{Calls: []ToolCall{{"A", `{} {}`}}}, `{"calls": [{"name": "A", "arguments": "{} {}"}]}`},
		{Message{Calls: []ToolCall{{"A", " "}}}, `{"calls": [{"name": "A", "arguments": {}}]}`},
		{Message{Content: "4", Cut: true}, `{"content": "4", "cut": true}`},
		{Message{Content: "a</think>b"}, `{"content": "a\u003c/think>b"}`},
	} {
		if got := tt.message.Text(); got != tt.want {
			t.Errorf("the text of %+v is %s, want %s", tt.message, got, tt.want)
		}
	}
}

// A second call answers what the model has not seen.
func TestToolsTrim(t *testing.T) {
	const first = "<think>\nso\n</think>\n\n" + `{"content": "a", "calls": [{"name": "A", "arguments": {"x": 1.0}}`

	for text, want := range map[string]string{
		first + "]}": first + "]}",
		first + `, {"name": "Finish", "arguments": {"answer": "7"}}]}`:                 first + "]}",
		`{"calls": [{"name": "A", "arguments": "x"}, {"name": "B", "arguments": {}}]}`: `{"calls": [{"name": "A", "arguments": "x"}, {"name": "B", "arguments": {}}]}`,
		"no message": "no message",
	} {
		if got := (Tools{}).Trim(text); got != want {
			t.Errorf("Trim(%s) = %s, want %s", text, got, want)
		}
	}
}

// With FinishText a turn without a call is the answer.
func TestToolsFinishText(t *testing.T) {
	const text = "<think>\nso\n</think>\n\n" + `{"content": " 42 "}`

	got, err := Tools{FinishText: true}.Parse(text)
	if diff := cmp.Diff(call(envs.FinishTool, "answer", "42"), got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}

	if got := (Tools{FinishText: true}).Thought(text); got != "so" {
		t.Errorf("the thought is %q", got)
	}

	for _, text := range []string{`{"content": " "}`, `{"content": "4", "cut": true}`} {
		if _, err := (Tools{FinishText: true}).Parse(text); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s is an answer: %v", text, err)
		}
	}
}

// Messages survive the parting of reasoning, whatever is in them.
func TestToolsJoin(t *testing.T) {
	words := rapid.SampledFrom([]string{"<think>", "</think>", "a", "\n", `"`, `\`, "{", "}", "[THINK]", "[/THINK]"})

	rapid.Check(t, func(t *rapid.T) {
		m := Message{Content: "c" + strings.Join(rapid.SliceOf(words).Draw(t, "content"), "")}
		text := Join("because", m.Text())

		if got := (Tools{}).Message(text); got.Content != (FunctionCall{}).Think("because", m.Content) {
			t.Fatalf("%q is read as %q", text, got.Content)
		}

		if got := Join("", m.Text()); got != m.Text() {
			t.Fatalf("%q became %q", m.Text(), got)
		}
	})
}

func TestCallIDs(t *testing.T) {
	for id, want := range map[string]string{CallID(1, 1): "call00101", CallID(12, 3): "call01203"} {
		if id != want {
			t.Errorf("%s, want %s", id, want)
		}
	}
}

func FuzzTools(f *testing.F) {
	for _, a := range envtest.Hostile() {
		if len(a) < 1000 {
			f.Add(string(a))
		}
	}

	f.Add(`{"content": "a", "calls": [{"name": "A", "arguments": {"x": 1}}, {"name": "B", "arguments": "{"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		codec := Tools{}
		trimmed := codec.Trim(text)

		a, errA := codec.Parse(text)
		b, errB := codec.Parse(trimmed)

		if diff := cmp.Diff(a, b); diff != "" || (errA == nil) != (errB == nil) || codec.Trim(trimmed) != trimmed {
			t.Errorf("Trim(%q) = %q", text, trimmed)
		}

		if m := codec.Message(text); errA == nil && len(m.Calls) != 1 || errA != nil && len(m.Calls) != 0 {
			t.Errorf("Message(%q) = %+v", text, m)
		}
	})
}
