package answers

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
)

// The published answers become what was published with them.
func TestPublishedAnswers(t *testing.T) {
	t.Parallel()

	examples := filepath.Join(os.Getenv("TOOLEVO_SHARED_DATA"), "stabletoolbench", "data_example")
	if _, err := os.Stat(examples); err != nil {
		t.Skipf("the published data is not here: %v (set TOOLEVO_SHARED_DATA)", err)
	}

	for model, steps := range map[string]map[string]int{
		"virtual_chatgpt_cot": {"588": 8, "608": 6, "1073": 6},
		"virtual_chatgpt_dfs": {"588": 8, "608": 6, "1073": 6},
	} {
		all := map[string]*Answer{}

		folder := filepath.Join(examples, "answer", model, "G1_instruction")
		for _, entry := range entries(t, folder) {
			id, method, ok := Split(entry)
			if !ok {
				t.Fatalf("%s is no name of an answer file", entry)
			}

			a, err := Read(method, read(t, filepath.Join(folder, entry)))
			if err != nil {
				t.Fatalf("%s: %v", entry, err)
			}

			if all[id] = a; len(a.Nodes) != steps[id] {
				t.Errorf("%s %s has %d nodes, want %d", model, id, len(a.Nodes), steps[id])
			}
		}

		text, err := Encode(all)
		if err != nil {
			t.Fatal(err)
		}

		want := read(t, filepath.Join(examples, "model_predictions_converted", model, "G1_instruction.json"))
		if diff := cmp.Diff(value(t, want), value(t, text)); diff != "" || len(all) != len(steps) {
			t.Errorf("%s, %d answers: %s", model, len(all), diff)
		}

		again, _, err := Decode(want)
		if diff := cmp.Diff(all, again, cmpopts.IgnoreFields(Answer{}, "Functions")); diff != "" || err != nil {
			t.Errorf("%s, read again: %v %s", model, err, diff)
		}
	}
}

// Messages of tools may be texts, which are cut in published files: they are kept as they stand,
// and say what was called. Of a file the answers that can be read are read.
func TestDecodeTexts(t *testing.T) {
	t.Parallel()

	answer := func(nodes ...string) string {
		next := "[]"
		for _, n := range slices.Backward(nodes) {
			next = `[{` + n + `, "next": ` + next + `}]`
		}
		return `{"query": "q", "available_tools": [], "answer": {"method": "chatgpt_CoT", "total_steps": 2,
			"final_answer": "9 degrees", "answer_details": ` + next + `}}`
	}

	const (
		called   = `{'name': 'say_\'hi\'', 'arguments': '{}', 'response': '{"error": "", "resp`
		finished = `{'name': 'Finish', 'arguments': '{}', 'response': ''}`
	)

	text := func(role, message string) string {
		return `"role": "` + role + `", "message": ` + pytext.JSON(message)
	}
	file := `{"1": ` + answer(text("tool", called), text("tool", finished)) +
		`, "2": ` + answer(text("tool", "Thought: hm")) + `, "3": {"is_solved": {"0": "AnswerStatus.Solved"}},
		"4": ` + answer(text("user", "q"), text("assistant", "hm")) + `, "5": null, "6": 7, "7": ` +
		answer(text("tool", "{'name': ''")) + `}`

	all, unread, err := Decode([]byte(file))
	if err != nil {
		t.Fatal(err)
	}

	want := []Node{
		{Role: roleTool, Text: called, Call: Call{Name: "say_'hi'"}},
		{Role: roleTool, Text: finished, Call: Call{Name: finish}},
	}
	if diff := cmp.Diff(want, all["1"].Nodes); diff != "" || len(all) != 2 {
		t.Errorf("%d answers: %s", len(all), diff)
	}

	if o := all["1"].Outcome(); !o.Finished || o.Text != "9 degrees" || all["4"].Outcome().Finished {
		t.Errorf("they end as %+v and %+v", o, all["4"].Outcome())
	}

	if steps, final := all["1"].Steps(); steps[0] != "Step 1: "+called || final != "Final step: "+finished {
		t.Errorf("the steps are %q and %q", steps, final)
	}

	for id, why := range map[string]string{
		"2": "query 2: node 1: the message of a tool", "3": `no "answer"`, "5": `no "answer"`, "6": "number",
		"7": "does not begin with a call",
	} {
		if err := unread[id]; err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s is not read because of %v, want %s", id, err, why)
		}
	}

	again, err := Encode(all)
	if err != nil {
		t.Fatal(err)
	}

	if back, _, err := Decode(again); cmp.Diff(all["1"].Nodes, back["1"].Nodes) != "" || err != nil {
		t.Errorf("read again: %v, %v", back["1"], err)
	}

	for _, none := range []string{`[]`, `{"1": {"is_solved": {}}}`, `{"win": true, "try_count": 1}`} {
		if all, _, err := Decode([]byte(none)); err == nil {
			t.Errorf("%s is read: %v", none, all)
		}
	}
}

func entries(t *testing.T, dir string) (names []string) {
	t.Helper()

	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}

	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

func read(t *testing.T, path string) []byte {
	t.Helper()

	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func value(t *testing.T, text []byte) (v any) {
	t.Helper()

	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// Of a tree whose attempts all failed the one that was tried last is taken; who asks for another
// attempt is nobody.
func TestRead(t *testing.T) {
	t.Parallel()

	const generation = `"answer_generation": {"query": "q", "function": [], "final_answer": "", "valid_data": `

	call := func(name, input, response string) Node {
		return Node{Role: roleTool, Call: Call{name, input, response}}
	}

	for text, want := range map[string][]Node{
		`{` + generation + `false}, "tree": {"tree": {"node_type": "Action Input", "children": [
			{"node_type": "Thought", "description": "no", "children": []},
			{"node_type": "Action", "description": "f", "children": [
				{"node_type": "Action Input", "description": "{}", "observation": "1", "children": [
					{"node_type": "Thought", "description": "hm", "children": []}]}]}]}}}`: {
			call("f", "{}", "1"), {Role: roleAssistant, Text: "hm"},
		},
		`{` + generation + `false}, "trys": [{"chain": [{"node_type": "Action", "description": "Finish"},
			{"node_type": "Action Input", "description": "{}", "observation": "done"}]}, {"chain": []}]}`: {
			call("Finish", "{}", ""),
		},
		`{` + generation + `true, "train_messages": [[], [{"role": "system", "content": "s"}, {"role": "user"},
			{"role": "user", "content": "again", "valid": false},
			{"role": "assistant", "content": "so", "function_call": {"name": "f", "arguments": "{}"}},
			{"role": "function", "name": "f", "content": "1"}, {"role": "assistant", "content": "done"}]]}}`: {
			call("f", "{}", "1"), {Role: roleAssistant, Text: "done"},
		},
	} {
		a, err := Read("CoT@1", []byte(text))
		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(append(start(), want...), a.Nodes); diff != "" {
			t.Error(diff)
		}
	}

	for text, want := range map[string]string{
		`[]`:                         "not an answer file",
		`{}`:                         `no "answer_generation"`,
		`{"answer_generation": {}}`:  `no "function"`,
		`{` + generation + `false}}`: `neither "trys" nor a "tree"`,
		`{` + generation + `true}}`:  `no "train_messages"`,
		`{` + generation + `false}, "trys": [{"chain": [{"node_type": "Action", "description": "f"}]}]}`: "the action f has no",
		`{` + generation + `false}, "trys": [{"chain": [{"node_type": "Action Input"}]}]}`:               "an input without",
		`{` + generation + `false}, "trys": [{"chain": [{"node_type": "Idea"}]}]}`:                       `unknown node_type`,
		`{` + generation + `true, "train_messages": [[{"role": "assistant", "function_call": {"name": "f"}}]]}}`: "the call of " +
			"f has no response",
	} {
		if _, err := Read("CoT@1", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}

// An episode is an answer: what failed is an error of a response, what is no call a text.
func TestEpisode(t *testing.T) {
	t.Parallel()

	e := &Episode{
		QuestionID: "G1_x-7", Policy: "scripted:reader",
		Question: "How warm is it?",
		Tools: `[{"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": ` +
			`"object", "properties": {"a": {"type": "number", "default": 3}, "b": {"type": "string"}}, ` +
			`"required": ["a"]}}}]`,
		Turns: []Turn{
			{Action: "hm", Outcome: envs.Malformed, Observation: "filtered"},
			{API: "f", Key: `f {"b": "x"}`, Outcome: envs.InvocationError, Observation: `"a" is missing`},
			{API: "f", Key: `f {"a": 1}`, Outcome: envs.OK, Observation: `{"error": "", "response": 9}`},
			{API: "Finish", Key: `Finish {"answer": "9 degrees"}`, Outcome: envs.Correct, Observation: "Answer is CORRECT"},
		},
	}

	a, err := e.Answer()
	if err != nil {
		t.Fatal(err)
	}

	final := `{"return_type": "give_answer", "final_answer": "9 degrees"}`

	want := append(start(),
		Node{Role: roleAssistant, Text: "hm"},
		Node{Role: roleTool, Call: Call{"f", `{"b": "x"}`, `{"error": "\"a\" is missing", "response": ""}`}},
		Node{Role: roleTool, Call: Call{"f", `{"a": 1}`, `{"error": "", "response": 9}`}},
		Node{Role: roleTool, Call: Call{"Finish", final, ""}},
	)
	if diff := cmp.Diff(want, a.Nodes); diff != "" || a.Final != final || a.Query != "How warm is it?" {
		t.Errorf("%s, %s, %s", a.Query, a.Final, diff)
	}

	function := `{"name": "f", "description": "d", "parameters": {"type": "object", "properties": {"a": {"type": ` +
		`"number", "example_value": 3}, "b": {"type": "string"}}, "required": ["a"], "optional": ["b"]}}`
	if !strings.Contains(string(a.Functions), function) || !strings.Contains(string(a.Functions), `"name": "Finish"`) {
		t.Errorf("the functions are %s", a.Functions)
	}

	if group, id, err := e.Query(); group != "G1_x" || id != "7" || err != nil {
		t.Errorf("it is about %s %s, %v", group, id, err)
	}

	e.Tools, e.QuestionID = "", "7"

	if _, err := e.Answer(); err == nil {
		t.Error("a question of another suite is taken")
	}

	if _, _, err := e.Query(); err == nil {
		t.Error("the ID of another suite is taken")
	}
}

// A turn of several calls is a step for each call that was run, with the answer to it.
func TestEpisodeOfSeveralCalls(t *testing.T) {
	t.Parallel()

	const key = `a {"x": 1}` + "\n" + `b {"x": 2}` + "\n" + `b {"x": 3}`

	e := &Episode{Tools: "[]", Turns: []Turn{
		{API: "b", Key: key, Outcome: envs.OK,
			Observation: action.JoinResults([]string{"one", "two", "three"})},
		{
			API: "b", Key: key, Outcome: envs.InvocationError,
			Observation: action.JoinResults([]string{"one", "no", action.NotRun}),
		},
		{
			API: "Finish", Key: `a {"x": 1}` + "\n" + `Finish {"answer": "9"}`,
			Outcome:     envs.Correct,
			Observation: action.JoinResults([]string{"one", "Answer is CORRECT"}),
		},
		{
			API: "c", Key: `c {}` + "\n" + `a {"x": 1}`, Outcome: envs.InvalidAction,
			Observation: action.JoinResults([]string{"no tool c", action.NotRun}),
		},
	}}

	a, err := e.Answer()
	if err != nil {
		t.Fatal(err)
	}

	final := `{"return_type": "give_answer", "final_answer": "9"}`

	want := start()
	for _, call := range []Call{
		{"a", `{"x": 1}`, "one"},
		{"b", `{"x": 2}`, "two"},
		{"b", `{"x": 3}`, "three"},
		{"a", `{"x": 1}`, "one"},
		{"b", `{"x": 2}`, `{"error": "no", "response": ""}`},
		{"a", `{"x": 1}`, "one"},
		{"Finish", final, ""},
		{"c", `{}`, `{"error": "no tool c", "response": ""}`},
	} {
		want = append(want, Node{Role: roleTool, Call: call})
	}

	if diff := cmp.Diff(want, a.Nodes); diff != "" || a.Final != final {
		t.Errorf("%s %s", a.Final, diff)
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()

	if id, method, ok := Split("588_DFS_woFilter_w2.json"); id != "588" || method != "DFS_woFilter_w2" || !ok {
		t.Errorf("split into %q and %q", id, method)
	}

	for _, name := range []string{"588.json", "588_.json", "_CoT@1.json", "588_CoT@1.txt"} {
		if _, _, ok := Split(name); ok {
			t.Errorf("%s is an answer file", name)
		}
	}
}
