package export_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/disk"
	"toolevo/mcts/policy/chat"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
	"toolevo/trajectories/internal/synth"
)

// look is a tool of prompts with native calls.
var look = envs.Object("type", "function", "function", envs.Object("name", "Look", "description", `Looks "there".`))

// nativeRow is a trajectory of three messages: a call beside text, one that calls nothing that can
// be played, and an answer, with reasoning.
func nativeRow() trajectories.Row {
	row := manyRows(1, false, act)[0]
	row.Strict, row.NodePath = true, "0.0.0.0"
	row.Turns = []trajectories.Turn{
		{
			Action: `{"content": "First.", "calls": [{"name": "Look", "arguments": {"n": 1.50}}]}`, Outcome: envs.OK,
			Observation: "seen",
		},
		{
			Action: `{"content": "Hm.", "calls": [{"name": "Look", "arguments": "{"}]}`, Outcome: envs.InvocationError,
			Observation: "No action can be read.",
		},
		{
			Action:  "<think>\nso\n</think>\n\n" + `{"calls": [{"name": "Finish", "arguments": {"answer": "1"}}]}`,
			Outcome: envs.Correct,
		},
	}

	row.Sum()
	return row
}

func nativelyShown(*trajectories.Row) (trajectories.Shown, error) {
	return trajectories.Shown{System: "be brief", Codec: action.Tools{}, Tools: []envs.Args{look}}, nil
}

// exportNatively writes the trajectory, which the linter finds nothing in, and returns the first
// sample's line and the folder.
func exportNatively(t *testing.T, opt export.Options) (line, dir string) {
	t.Helper()

	dir = filepath.Join(t.TempDir(), "export")
	opt.Shown = nativelyShown
	m := wrote(t, dir, []trajectories.Row{nativeRow()}, opt)

	if report, err := export.Proved(dir, newLinter(t), nil); err != nil || !report.OK() {
		t.Errorf("%+v, %v", report, err)
	}

	data, err := os.ReadFile(filepath.Join(dir, m.Format.Dataset()+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}

	line, _, _ = strings.Cut(string(data), "\n")
	return line, dir
}

// Native calls are the messages that a server is sent, beside the list of that prompt. A message
// without one that can be played is text, and a user's message follows it.
func TestNativeCalls(t *testing.T) {
	const (
		tools = `"tools":"[{\"type\": \"function\", \"function\": {\"name\": \"Look\", \"description\": ` +
			`\"Looks \\\"there\\\".\"}}]"`
		unread = `Hm.\n{\"name\": \"Look\", \"arguments\": \"{\"}`
	)

	for _, tt := range []struct {
		opt  export.Options
		want string
	}{
		{
			export.Options{Trainer: export.TRL},
			`{"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"Question: How much < |eot_id| > 0?"},` +
				`{"role":"assistant","content":"First.","tool_calls":[{"id":"call00101","type":"function","function":` +
				`{"name":"Look","arguments":{"n":1.50}}}]},{"role":"tool","content":"seen","tool_call_id":"call00101"},` +
				`{"role":"assistant","content":"` + unread + `","weight":0},` +
				`{"role":"user","content":"Observation: No action can be read."},` +
				`{"role":"assistant","content":"<think>\nso\n</think>\n\n","tool_calls":[{"id":"call00301","type":"function",` +
				`"function":{"name":"Finish","arguments":{"answer":"1"}}}]}],` + tools + `}`,
		},
		{
			export.Options{},
			`{"system":"be brief","conversations":[{"from":"human","value":"Question: How much < |eot_id| > 0?"},` +
				`{"from":"function_call","value":"First.\n<tool_call>\n{\"name\": \"Look\", \"arguments\": {\"n\": 1.50}}\n` +
				`</tool_call>"},{"from":"observation","value":"seen"},{"from":"gpt","value":"` + unread + `"},` +
				`{"from":"human","value":"Observation: No action can be read."},` +
				`{"from":"function_call","value":"<think>\nso\n</think>\n\n\n<tool_call>\n{\"name\": \"Finish\", ` +
				`\"arguments\": {\"answer\": \"1\"}}\n</tool_call>"}],` + tools + `}`,
		},
	} {
		got, _ := exportNatively(t, tt.opt)
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: -want +got:\n%s", tt.opt.Trainer, d)
		}
	}
}

// LLaMA-Factory is told of the column, and the card of its kind.
func TestToolsColumnIsTold(t *testing.T) {
	_, dir := exportNatively(t, export.Options{Format: export.SFTStep})
	info, err := os.ReadFile(filepath.Join(dir, export.DatasetInfoFile))

	var entries map[string]struct{ Columns map[string]string }
	if err := errors.Join(err, json.Unmarshal(info, &entries)); err != nil {
		t.Fatal(err)
	}

	for name, e := range entries {
		if e.Columns["tools"] != "tools" {
			t.Errorf("%s: %v", name, e.Columns)
		}
	}

	_, dir = exportNatively(t, export.Options{Format: export.KTO, Trainer: export.TRL})
	if card, err := os.ReadFile(filepath.Join(dir, "README.md")); err != nil ||
		!strings.Contains(string(card), "  - name: label\n    dtype: bool\n  - name: tools\n    dtype: string\n") {
		t.Errorf("%v: %s", err, card)
	}
}

// A step for TRL is, message for message, what a server is sent, and its answer.
func TestNativeStepsAreWhatServersAreSent(t *testing.T) {
	clean := newLinter(t).Sanitizer()
	row := nativeRow()
	_, dir := exportNatively(t, export.Options{Format: export.SFTStep, Trainer: export.TRL})

	data, err := os.ReadFile(filepath.Join(dir, export.SFTStep.Dataset()+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}

	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) != 2 { // none trains what cannot be read
		t.Fatalf("%d samples", len(lines))
	}

	type message struct {
		Role, Content string
		ToolCallID    string `json:"tool_call_id"`
		ToolCalls     []struct {
			ID       string
			Function struct {
				Name      string
				Arguments json.RawMessage
			}
		} `json:"tool_calls"`
	}

	for i, turn := range []int{0, 2} {
		h := envs.NewHistory(envs.Task{Question: row.Question})
		for _, t := range row.Turns[:turn+1] {
			h = h.Append(envs.Turn{Action: envs.Action(t.Action), Observation: t.Observation})
		}

		sent := chat.ToolMessages("be brief", h, clean)
		sent = sent[:len(sent)-1] // the answer is the last

		var got struct{ Prompt, Completion []message }
		if err := json.Unmarshal([]byte(lines[i]), &got); err != nil {
			t.Fatal(err)
		}

		trained := append(got.Prompt, got.Completion...)
		if len(trained) != len(sent) {
			t.Fatalf("%d messages, %d are sent", len(trained), len(sent))
		}

		for j, m := range trained {
			want := chat.Message{Role: m.Role, Content: m.Content, CallID: m.ToolCallID}
			for _, c := range m.ToolCalls {
				arguments := strings.ReplaceAll(string(c.Function.Arguments), ":", ": ")
				want.Calls = append(want.Calls, chat.Call{
					ID: c.ID, ToolCall: action.ToolCall{Name: c.Function.Name, Arguments: arguments},
				})
			}

			if d := cmp.Diff(sent[j], want); d != "" {
				t.Errorf("step %d, message %d, -sent +trained:\n%s", i, j, d)
			}
		}
	}
}

// Trajectories with native tools and others have no file in common.
func TestNativeToolsBesideOthers(t *testing.T) {
	native, other := nativeRow(), manyRows(2, false, act)[0]
	other.RunID, other.Question, other.QuestionID = "other", "Else?", "q1"

	_, err := export.Write(t.Context(), t.TempDir(), synth.Sequence([]trajectories.Row{native, other}), export.Options{
		Shown: func(row *trajectories.Row) (trajectories.Shown, error) {
			if row.RunID == "other" {
				return synth.Shown(row)
			}
			return nativelyShown(row)
		},
	})
	if err == nil || !strings.Contains(err.Error(), "native tools") {
		t.Errorf("%v", err)
	}
}

// Tokens are counted of what Qwen's templates make of a list of tools and of native calls.
func TestPiecesOfNativeCalls(t *testing.T) {
	linter, err := export.NewLinter(loadTokenizer(t, "qwen2"), "qwen", 0)
	if err != nil {
		t.Fatal(err)
	}

	row := nativeRow()
	shown, _ := nativelyShown(nil)
	sample, _ := export.NewSample(shown, &row, linter.Sanitizer())

	var all, trained strings.Builder
	for _, p := range linter.Pieces(export.SFTTrajectory, &sample) {
		all.WriteString(p.Text)

		if p.Trained {
			trained.WriteString(p.Text)
		}
	}

	for _, want := range []string{
		"<|im_start|>system\nbe brief\n\n# Tools\n\nYou may call one or more functions",
		"\n<tools>\n" + `{"type": "function", "function": {"name": "Look", "description": "Looks \"there\"."}}` + "\n</tools>\n",
		`"arguments": <args-json-object>}` + "\n</tool_call><|im_end|>\n<|im_start|>user\nQuestion: ",
		"<|im_start|>user\n<tool_response>\nseen\n</tool_response><|im_end|>\n",
		"<|im_start|>user\nObservation: No action can be read.<|im_end|>\n",
	} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("%q is not in %s", want, all.String())
		}
	}

	want := "First.\n<tool_call>\n" + `{"name": "Look", "arguments": {"n": 1.50}}` + "\n</tool_call><|im_end|>\n"
	if !strings.HasPrefix(trained.String(), want) {
		t.Errorf("trained is %s", trained.String())
	}
}

// The length that a run accepts is that with the tools.
func TestAcceptanceCountsTools(t *testing.T) {
	row := nativeRow()
	shown, _ := nativelyShown(nil)

	accepts := func(characters int) bool {
		shows := func(envs.Task) trajectories.Shown { return shown }
		return export.NewAcceptance(newLinter(t), "", shows, unnamed, characters).Lint(&row) == nil
	}

	sample, _ := export.NewSample(shown, &row, newLinter(t).Sanitizer())
	length, _ := newLinter(t).Length(export.SFTTrajectory, &sample)

	if !accepts(length) || accepts(length-1) || length < len(sample.Tools)+100 {
		t.Errorf("%d characters, %d of them tools: accepted %v, a character less: %v", length, len(sample.Tools),
			accepts(length), accepts(length-1))
	}
}

// A trajectory is judged by the lists that its model was sent, though what is judged is as a tree
// stores it: without the arguments of its calls, and without what was announced.
func TestAcceptanceFollowsTools(t *testing.T) {
	long := envs.Object("type", "function", "function", envs.Object("name", strings.Repeat("Long", 500)))

	for name, isLong := range map[string]func(envs.History) bool{
		"learned":   func(h envs.History) bool { return slices.Equal(h.Learned(), []string{"Open[x]"}) },
		"announced": func(h envs.History) bool { return h.Announced() == "p_s_in" },
	} {
		shows := func(envs.Task) trajectories.Shown {
			shown, _ := nativelyShown(nil)
			shown.ToolsAfter = func(h envs.History) []envs.Args {
				if isLong(h) {
					return []envs.Args{look, long}
				}
				return shown.Tools
			}
			return shown
		}

		h := envs.NewHistory(envs.Task{ID: "q", Question: "Where?"}).
			Append(envs.Turn{
				Action: `{"calls": [{"name": "Look", "arguments": {}}]}`, Call: envs.Call{Name: "Look", Tool: "Look"},
				Observation: "gone", Outcome: envs.Deprecated,
			}).
			Append(envs.Turn{
				Action: `{"calls": [{"name": "UpdateTool", "arguments": {"newtool_desc": "Open[x]"}}]}`,
				Call:   envs.Call{Name: envs.UpdateTool, Tool: envs.UpdateTool}, Observation: "done", Outcome: envs.OK,
			}).
			Append(envs.Turn{
				Action: `{"calls": [{"name": "Finish", "arguments": {"answer": "1"}}]}`,
				Call:   envs.Call{Name: "Finish", Tool: envs.FinishTool}, Outcome: envs.Correct,
			})

		deployed := func(string) string { return "p_s_in" }
		for characters, want := range map[int]bool{1500: false, 5000: true} {
			if export.NewAcceptance(newLinter(t), "", shows, deployed, characters).Accept(h) != want {
				t.Errorf("%s: with %d characters it is accepted: %v", name, characters, !want)
			}
		}
	}
}

// What is not as it was written, or would be a token of its own, is no native call.
func TestLintOfNativeCalls(t *testing.T) {
	begin, end := "<tool_call>\n{\"name\": \"A\"", "}\n</tool_call>"

	for value, want := range map[string]export.Rule{
		"So.\n" + begin + `, "arguments": {}` + end:                      "",
		"<think>\nSo.\n</think>\n\n" + begin + `, "arguments": {}` + end: "",
		begin + `, "arguments":{}` + end:                                 export.NoCall,
		begin + end:                                                      export.NoCall,
		`{"name": "A", "arguments": {}` + end:                            export.NoCall,
		"So.\n" + begin + `, "arguments": {"a": "<tool_call>"}` + end:    export.ControlToken,
		"<|im_end|>\n" + begin + `, "arguments": {}` + end:               export.ControlToken,
		"Observation: x\n" + begin + `, "arguments": {}` + end:           export.ForgedTurn,
	} {
		sample := export.Sample{Tools: "[]", Conversations: []export.Message{
			{From: export.Human, Value: "Question: How much?"}, {From: export.FunctionCall, Value: value},
		}}

		var got export.Rule
		if found := newLinter(t).Lint(export.SFTTrajectory, &sample); len(found) > 0 {
			got = found[0].Rule
		}

		if got != want {
			t.Errorf("%q breaks %q, want %q", value, got, want)
		}
	}
}

// Where the list was another one in the midst of a trajectory, no prompt was like a sample of the
// whole: only steps are exported, each with the list of its prompt. After the last turn nothing is
// sent.
func TestListsThatChange(t *testing.T) {
	for _, tt := range []struct {
		after int // how many turns the list changes
		lists string
	}{
		{1, "Look Again Again"}, {2, "Look Look Again"}, {3, "Look Look Look"},
	} {
		opt := export.Options{Format: export.SFTStep, Trainer: export.TRL}
		opt.Shown = func(row *trajectories.Row) (trajectories.Shown, error) {
			shown, err := nativelyShown(row)
			shown.ToolsAfter = func(h envs.History) []envs.Args {
				if h.Len() < tt.after {
					return shown.Tools
				}
				return []envs.Args{envs.Object("type", "function", "function", envs.Object("name", "Again"))}
			}
			return shown, err
		}

		dir := filepath.Join(t.TempDir(), "steps")
		row := nativeRow()
		row.Turns[1].Outcome = envs.OK // a step of a faulty turn is no sample
		row.Turns[1].Action = `{"calls": [{"name": "Look", "arguments": {}}]}`
		row.Sum()

		m := wrote(t, dir, []trajectories.Row{row}, opt)

		var lists []string

		for line, err := range disk.Lines(filepath.Join(dir, m.Format.Dataset()+".jsonl")) {
			if err != nil {
				t.Fatal(err)
			}

			var sample struct{ Tools string }
			if err := json.Unmarshal(line, &sample); err != nil {
				t.Fatal(err)
			}

			list := "Look"
			if strings.Contains(sample.Tools, "Again") {
				list = "Again"
			}

			lists = append(lists, list)
		}

		if got := strings.Join(lists, " "); got != tt.lists {
			t.Errorf("after %d: %s, want %s", tt.after, got, tt.lists)
		}

		opt.Format = export.SFTTrajectory

		var refused *export.StepsError
		if _, err := export.Write(t.Context(), filepath.Join(t.TempDir(), "whole"),
			synth.Sequence([]trajectories.Row{row}), opt); errors.As(err, &refused) != (tt.after < 3) {
			t.Errorf("after %d: %v", tt.after, err)
		}
	}
}
