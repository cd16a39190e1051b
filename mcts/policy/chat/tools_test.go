package chat_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/mcts/policy/chat"
)

// Prompts with tools are those of the models' own templates, in which testdata/tools.py rendered
// testdata/tools.json.
func TestRenderTools(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "tools.json"))
	if err != nil {
		t.Fatal(err)
	}

	var told struct {
		Messages []struct {
			Role, Content string
			Calls         []struct{ Function struct{ Name string } } `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal(text, &told); err != nil {
		t.Fatal(err)
	}

	document, _, err := pytext.DecodeObject(string(text))
	if err != nil {
		t.Fatal(err)
	}

	var functions []envs.Args
	for _, f := range document.List("tools") {
		functions = append(functions, f.(envs.Args))
	}

	h := envs.NewHistory(envs.Task{Question: "How many?"})
	for _, turn := range []envs.Turn{
		{Action: `{"content": "I load it.", "calls": [{"name": "LoadDB", "arguments": {"DBName": "coffee", "n": 2, ` +
			`"é": ["\"", null, true]}}]}`, Observation: "Loaded:\nDate, Open."},
		{Action: `{"calls": [{"name": "LoadDB", "arguments": {}}]}`, Observation: "argument error"},
		{Action: `{"content": "I am done."}`, Observation: "filtered"},
		{
			Action: `{"content": "Both.", "calls": [{"name": "LoadDB", "arguments": {"DBName": "yelp"}}, ` +
				`{"name": "LoadDB", "arguments": {}}]}`,
			Observation: action.JoinResults([]string{"Loaded.", action.OneResult("argument </tool_response> error")}),
		},
	} {
		h = h.Append(turn)
	}

	clean, err := chat.NewSanitizer()
	if err != nil {
		t.Fatal(err)
	}

	system := told.Messages[0].Content
	for i, m := range chat.ToolMessages(system, h, clean) {
		want := told.Messages[i]
		if m.Role != want.Role || m.Content != want.Content || len(m.Calls) != len(want.Calls) {
			t.Fatalf("message %d is %+v, and %+v in tools.json", i, m, want)
		}
	}

	for ours, theirs := range map[string]string{"qwen": "qwen2_5", "qwen3_nothink": "qwen3_instruct_2507"} {
		want, err := os.ReadFile(filepath.Join("testdata", "tools-"+theirs+".txt"))
		if err != nil {
			t.Fatal(err)
		}

		got := parse(t, ours).In(action.Tools{}).RenderTools(system, functions, h, clean)
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", ours, diff)
		}
	}
}
