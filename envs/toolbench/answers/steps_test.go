package answers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOutcome(t *testing.T) {
	t.Parallel()

	call := func(name string) Node { return Node{Role: roleTool, Call: Call{Name: name}} }

	for name, test := range map[string]struct {
		final string
		nodes []Node
		want  Outcome
	}{
		"answered": {
			`{"return_type": "give_answer", "final_answer": " 9 degrees\n"}`, []Node{call("f"), call(finish)},
			Outcome{Finished: true, Text: "9 degrees"},
		},
		"gave up": {
			`{"return_type": "give_up_and_restart"}`, []Node{call(finish)}, Outcome{Finished: true, GaveUp: true},
		},
		"says that it gave up": {
			`{"return_type": "give_answer", "final_answer": "give_up_and_restart"}`, []Node{call(finish)},
			Outcome{Finished: true, GaveUp: true, Text: "give_up_and_restart"},
		},
		"no object":         {"9 degrees", []Node{call(finish)}, Outcome{Finished: true, Text: "9 degrees"}},
		"stopped":           {"", []Node{call("f")}, Outcome{}},
		"talks at the end":  {"", []Node{call("f"), {Role: roleAssistant, Text: "9"}}, Outcome{}},
		"nothing was done":  {"", start(), Outcome{}},
		"no text, a number": {`{"final_answer": 9}`, []Node{call(finish)}, Outcome{Finished: true, Text: "9"}},
	} {
		a := &Answer{Final: test.final, Nodes: append(start(), test.nodes...)}
		if got := a.Outcome(); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

// Texts between calls are no steps; the last of all is one, whatever it is.
func TestSteps(t *testing.T) {
	t.Parallel()

	a := &Answer{Nodes: append(start(),
		Node{Role: roleAssistant, Text: "so"},
		Node{Role: roleTool, Call: Call{"f", `{"a": "it's"}`, "1"}},
		Node{Role: roleAssistant, Text: "done"},
	)}

	steps, final := a.Steps()
	want := []string{`Step 1: {'name': 'f', 'arguments': '{"a": "it\'s"}', 'response': '1'}`, "Step 2: done"}

	if diff := cmp.Diff(want, steps); diff != "" || final != "Final step: done" {
		t.Errorf("%s, %s", final, diff)
	}

	if steps, final := (&Answer{Nodes: start()}).Steps(); steps != nil || final != "" {
		t.Errorf("of nothing: %v, %q", steps, final)
	}
}

func TestDecodeErrors(t *testing.T) {
	t.Parallel()

	node := func(node string) string { return `{"7": {"answer": {"answer_details": [` + node + `]}}}` }

	for text, want := range map[string]string{
		`[]`:                                    "not a converted file",
		`{"7": null}`:                           `query 7: there is no "answer"`,
		node(`{"role": "tool", "message": ""}`): "query 7: node 1: the message of a tool is a text that does not begin with a call",
		node(`{"role": "user", "message": 7}`):  "neither a text nor a call",
		node(`{"role": "tool", "message": {"name": "f", "arguments": {}}}`): "its call has no text",
	} {
		if _, _, err := Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}

func TestFileName(t *testing.T) {
	t.Parallel()

	if got := FileName("openai:a/b p_c-1.5"); got != "openai_a_b_p_c-1.5" {
		t.Error(got)
	}
}
