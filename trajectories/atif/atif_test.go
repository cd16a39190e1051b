package atif_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/disk"
	"toolevo/mcts"
	"toolevo/trajectories"
	"toolevo/trajectories/atif"
	"toolevo/trajectories/internal/synth"
)

var update = flag.Bool("update", false, "write the golden files anew")

// shown is what the models of the documents below were shown.
func shown() trajectories.Shown {
	parameters := envs.Args{{Name: "type", Value: "object"}, {Name: "properties", Value: envs.Args{
		{Name: "DBName", Value: envs.Args{}},
	}}}
	return trajectories.Shown{
		Suite:  "synth",
		System: "The tools are:\n(1) LoadDB[DBName], which loads a database.",
		Tools: []envs.Args{{
			{Name: "type", Value: "function"},
			{Name: "function", Value: envs.Args{
				{Name: "name", Value: "LoadDB"}, {Name: "parameters", Value: parameters},
			}},
		}},
	}
}

// node is a node of a branch, below the one before it.
func node(text, tool, observation string, outcome envs.Outcome) mcts.Record {
	call, _ := action.ReAct{}.Parse(text)
	return mcts.Record{
		Action: text, Tool: tool, Name: call.Name, Key: action.Key(action.ReAct{}, text), Observation: observation,
		Outcome: outcome, Prior: 0.5, Visits: 2, TotalValue: 1,
	}
}

// branch has a malformed action, a deprecated call, an UpdateTool, and the answer.
func branch() *mcts.TreeRecord {
	t := &mcts.TreeRecord{Tree: 1, Seed: 7, Nodes: []mcts.Record{
		{Parent: mcts.NoParent},
		node("Thought: I <load> it.\nAction: LoadDB\nAction Input: {coffee", "", "Error: no Action Input.",
			envs.Malformed),
		node("Thought: Again.\nAction: LoadDB\nAction Input: {\"DBName\": \"coffee\"}", "LoadDB",
			"Error: LoadDB[DBName] is deprecated. Use InitializeDatabase[DatabaseName] instead.", envs.Deprecated),
		node("Thought: It moved on.\nAction: InitializeDatabase\nAction Input: {\"DatabaseName\":\"coffee\"}", "LoadDB",
			"We have successfully loaded the coffee database.", envs.OK),
		node("Thought: I note it.\nAction: UpdateTool\nAction Input: {\"newtool_desc\": \"InitializeDatabase[…]\"}",
			envs.UpdateTool, "The description for the new tool has been updated successfully.", envs.OK),
		node("Thought: Now I know.\nAction: Finish\nAction Input: {\"answer\": 1.50}", envs.FinishTool,
			"Answer is CORRECT", envs.Correct),
	}}

	for i := 1; i < len(t.Nodes); i++ {
		t.Nodes[i].ID, t.Nodes[i].Parent, t.Nodes[i].Depth = i, i-1, i
	}

	end := &t.Nodes[len(t.Nodes)-1]
	end.Status, end.Reward = envs.Terminated, 1
	end.Grade = envs.Grade{Answer: "1.50", Official: true, Strict: true}
	return t
}

func meta() trajectories.Meta {
	m, _ := synth.Tree(1, 0, 0)
	return m
}

// documents are one of each kind.
func documents() map[string]*atif.Document {
	row := trajectories.FromNode(meta(), branch(), 5)

	cut := branch()
	cut.Nodes = cut.Nodes[:3]
	cut.Nodes[2].Status, cut.Nodes[2].Limit = envs.Truncated, mcts.LimitDepth
	episode := trajectories.FromEpisode(meta(), cut)
	episode.Tokens = 42

	return map[string]*atif.Document{
		"trajectory.json": atif.FromEpisode(&trajectories.Episode{Row: row}, shown()),
		"truncated.json":  atif.FromEpisode(&episode, shown()),
	}
}

func encode(t testing.TB, d *atif.Document) []byte {
	t.Helper()

	var b bytes.Buffer
	enc := disk.NewLineEncoder(&b)
	enc.SetIndent("", " ")

	if err := enc.Encode(d); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	for name, d := range documents() {
		path, got := filepath.Join("testdata", name), encode(t, d)

		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}

		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s, -want +got:\n%s", name, diff)
		}

		if err := d.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// read writes a text to a file and reads it as a document.
func read(t testing.TB, text string) (atif.Named, error) {
	t.Helper()

	path := filepath.Join(t.TempDir(), "document.json")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}

	for d, err := range atif.Read(path) {
		d.Name = "document.json"
		return d, err
	}
	return atif.Named{}, errors.New("no document")
}

// Rows come back from their documents as they were, but for the gold answer and the white space
// around actions.
func TestRowsComeBack(t *testing.T) {
	rows := append(synth.Rows(3, 4, 2), trajectories.FromNode(meta(), branch(), 5))

	for i := range rows {
		want := rows[i]
		d := atif.FromEpisode(&trajectories.Episode{Row: want}, shown())

		named, err := read(t, string(encode(t, d)))
		if err != nil {
			t.Fatal(err)
		}

		got, back, err := named.Row("dev")
		if err != nil {
			t.Fatal(err)
		}

		want.Gold = ""
		for i := range want.Turns {
			turn := &want.Turns[i]
			turn.Action = strings.TrimSpace(turn.Action)
			got.Turns[i].Action = strings.TrimSpace(got.Turns[i].Action)

			if turn.Outcome == envs.Malformed {
				turn.API, turn.Thought = "", "" // its text is all that there is
			}
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}

		if back.System != shown().System || back.Suite != "synth" || back.Codec != (action.ReAct{}) ||
			!strings.HasPrefix(back.Origin, "ATIF document of toolevo ") || !cmp.Equal(back.Tools, shown().Tools) {
			t.Errorf("shown: %+v", back)
		}
	}
}

// Native calls come back as they were written, with all that stands beside them, and are calls in
// the document.
func TestNativeCallsComeBack(t *testing.T) {
	actions := []string{
		`{"content": "Hm."}`,
		`{"content": "I load it.", "calls": [{"name": "LoadDB", "arguments": {"DBName": "coffee", "n": 1.50}}]}`,
		"<think>\nSo.\n</think>\n\n" + `{"content": "Again.", "calls": [{"name": "InitializeDatabase", "arguments": {}}]}`,
		`{"calls": [{"name": "UpdateTool", "arguments": {"newtool_desc": null}}, {"name": "A", "arguments": {}}]}`,
		`{"calls": [{"name": "Finish", "arguments": {"answer": "1"}}]}`,
	}

	tree := branch()
	for i, text := range actions {
		call, _ := action.Tools{}.Parse(text)
		n := &tree.Nodes[i+1]
		n.Action, n.Key, n.Name = text, action.Key(action.Tools{}, text), call.Name
	}

	row := trajectories.FromNode(meta(), tree, 5)
	for i, text := range actions[1:] { // of the first its text is all that there is
		row.Turns[i+1].Thought = action.Tools{}.Thought(text)
	}

	native := shown()
	native.Codec = action.Tools{}
	d := atif.FromEpisode(&trajectories.Episode{Row: row}, native)

	if call := d.Steps[3].ToolCalls; len(call) != 1 || call[0].ToolCallID != "call00201" ||
		string(call[0].Arguments) != `{"DBName": "coffee", "n": 1.50}` {
		t.Errorf("a call in the document: %+v", call)
	}

	named, err := read(t, string(encode(t, d)))
	if err != nil {
		t.Fatal(err)
	}

	got, back, err := named.Row("dev")
	if err != nil {
		t.Fatal(err)
	}

	row.Gold = ""
	if diff := cmp.Diff(row, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	if back.Codec != (action.Tools{}) || !cmp.Equal(back.Tools, native.Tools) {
		t.Errorf("shown: %+v", back)
	}
}

// Of several calls in a turn each has its result in the document, and the turn comes back as one.
func TestSeveralCallsComeBack(t *testing.T) {
	codec := action.Tools{Most: 2}
	text := `{"content": "Both.", "calls": [{"name": "LoadDB", "arguments": {"DBName": "coffee"}}, ` +
		`{"name": "LoadDB", "arguments": {"DBName": "flights"}}]}`

	tree := branch()
	n := &tree.Nodes[3]
	n.Action, n.Key, n.Name = text, action.Key(codec, text), "LoadDB"
	n.Observation = action.JoinResults([]string{"loaded", "no database flights"})

	row := trajectories.FromNode(meta(), tree, 5)
	for i := range row.Turns { // the others are texts in this codec
		turn := &row.Turns[i]
		turn.Thought, turn.Key = codec.Thought(turn.Action), action.Key(codec, turn.Action)

		if i != 2 {
			turn.API, turn.Thought = "", ""
		}
	}

	native := shown()
	native.Codec = codec
	d := atif.FromEpisode(&trajectories.Episode{Row: row}, native)

	s := d.Steps[4]
	if len(s.ToolCalls) != 2 || len(s.Observation.Results) != 2 ||
		s.Observation.Results[1].SourceCallID != s.ToolCalls[1].ToolCallID ||
		s.Observation.Results[1].Content.Value != "no database flights" {
		t.Errorf("the step: %+v", s)
	}

	named, err := read(t, string(encode(t, d)))
	if err != nil {
		t.Fatal(err)
	}

	got, back, err := named.Row("dev")
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(row.Turns[2], got.Turns[2]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	if back.Codec != codec {
		t.Errorf("the codec is %+v", back.Codec)
	}
}

// Seeds come back through a program whose numbers are doubles, as in JavaScript.
func TestSeedsAreNotRounded(t *testing.T) {
	row := trajectories.FromNode(meta(), branch(), 5)
	row.Seed, row.TreeSeed = math.MaxUint64, 1<<53+1

	var all any

	err := json.Unmarshal(encode(t, atif.FromEpisode(&trajectories.Episode{Row: row}, shown())), &all)
	if err != nil {
		t.Fatal(err)
	}

	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}

	d, err := read(t, string(text))
	if err != nil {
		t.Fatal(err)
	}

	if got, _, err := d.Row("dev"); err != nil || got.Seed != row.Seed || got.TreeSeed != row.TreeSeed {
		t.Errorf("seeds %d and %d, want %d and %d; %v", got.Seed, got.TreeSeed, row.Seed, row.TreeSeed, err)
	}
}

// Rows come back through a program that keeps what it reads in columns: every call has the names of
// all, with nulls, and whole numbers that not all steps have are written as 6.0.
func TestRowsComeBackFromColumns(t *testing.T) {
	for name, call := range map[string]string{
		"no null":  `{"name": "Price", "arguments": {"fruit": "apple", "of": [{"a": 1}]}}`,
		"its null": `{"name": "Price", "arguments": {"fruit": "apple", "day": null, "of": {"b": null}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			row := trajectories.FromNode(meta(), branch(), 5)
			turn := &row.Turns[0]
			turn.Thought, turn.Action = "", call
			row.Sum()

			s := shown()
			s.Codec = action.FunctionCall{}
			text := string(encode(t, atif.FromEpisode(&trajectories.Episode{Row: row}, s)))

			text = regexp.MustCompile(`"arguments":{`).ReplaceAllString(text, `"arguments":{"other":null,`)
			text = regexp.MustCompile(`"visits":(\d+)`).ReplaceAllString(text, `"visits":$1.0`)

			d, err := read(t, text)
			if err != nil {
				t.Fatal(err)
			}

			got, _, err := d.Row("dev")
			if err != nil || got.Turns[0].Action != call || got.Turns[0].Visits != turn.Visits {
				t.Errorf("%v: %+v", err, got.Turns[0])
			}

			if want := action.Key(action.FunctionCall{}, call); got.Turns[0].Key != want {
				t.Errorf("key %q, want %q", got.Turns[0].Key, want)
			}
		})
	}
}

// foreign is a document of another program with some steps.
func foreign(steps string) string {
	return `{"schema_version": "ATIF-v1.7", "agent": {"name": "coder", "version": "2.0", "tool_definitions": [
		{"type": "function", "function": {"name": "Edit", "parameters": {"z": 1, "a": 2}}}]}, "extra": {"cwd": "/"},
		"steps": [{"step_id": 1, "source": "user", "message": "Create hello.txt."}` + steps + `]}`
}

func TestDocumentsOfOthers(t *testing.T) {
	d, err := read(t, foreign(`,
		{"step_id": 2, "source": "agent", "message": [{"type": "text", "text": "I create"}, {"type": "text", "text": "it."}],
			"timestamp": "2026-11-24T13:00:00Z", "metrics": {"prompt_tokens": 9}, "extra": {"x": 1},
			"reasoning_content": "A file.", "tool_calls": [{"tool_call_id": "a", "function_name": "Edit",
				"arguments": {"path": "hello.txt", "size": 1.50}}],
			"observation": {"results": [{"source_call_id": "a", "content": "done"}]}},
		{"step_id": 3, "source": "agent", "message": "It is there.", "reasoning_content": "So be it.", "llm_call_count": 1}`))
	if err != nil {
		t.Fatal(err)
	}

	row, shown, err := d.Row("train")
	if err != nil {
		t.Fatal(err)
	}

	if row.Question != "Create hello.txt." || row.Split != "train" || row.Strict || row.IsCorrect() ||
		row.TurnCount != 2 || row.PromptAPI == "" {
		t.Errorf("row: %+v", row)
	}

	want := []string{
		"<think>\nA file.\n\nI create\nit.\n</think>\n\n" +
			`{"name": "Edit", "arguments": {"path": "hello.txt", "size": 1.50}}`, "done",
		"<think>\nSo be it.\n</think>\n\nIt is there.", "",
	}

	var got []string
	for _, turn := range row.Turns {
		got = append(got, turn.Action, turn.Observation)
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("turns, -want +got:\n%s", diff)
	}

	if shown.Codec != (action.FunctionCall{}) || shown.Origin != "ATIF document of coder 2.0" || shown.Suite != "" ||
		!strings.HasSuffix(shown.System,
			"\n"+`{"type": "function", "function": {"name": "Edit", "parameters": {"z": 1, "a": 2}}}`) {
		t.Errorf("shown: %+v", shown)
	}
}

// Each of several calls at once is a turn that met its own result, whatever their order. The last
// may have met nothing.
func TestSeveralCallsOfAStep(t *testing.T) {
	call := func(id, name string) string {
		return `{"tool_call_id": "` + id + `", "function_name": "` + name + `", "arguments": {}}`
	}

	d, err := read(t, foreign(`, {"step_id": 2, "source": "agent", "message": "Both.", "tool_calls": [`+call("a", "Look")+
		`,`+call("b", "Edit")+`], "observation": {"results": [{"source_call_id": "b", "content": "edited"},
		{"source_call_id": "a", "content": "seen"}]}}, {"step_id": 3, "source": "agent", "message": "", "tool_calls": [`+
		call("a", "Close")+`,`+call("b", "Finish")+`], "observation": {"results": [
		{"source_call_id": "a", "content": "closed"}]}}`))
	if err != nil {
		t.Fatal(err)
	}

	row, _, err := d.Row("train")
	if err != nil {
		t.Fatal(err)
	}

	want := []string{
		"<think>\nBoth.\n</think>\n\n" + `{"name": "Look", "arguments": {}}`, "seen",
		`{"name": "Edit", "arguments": {}}`, "edited",
		`{"name": "Close", "arguments": {}}`, "closed", `{"name": "Finish", "arguments": {}}`, "",
	}

	var got []string
	for _, turn := range row.Turns {
		got = append(got, turn.Action, turn.Observation)
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What a row cannot say is refused by its place.
func TestRefusals(t *testing.T) {
	call := func(id string) string {
		return `{"tool_call_id": "` + id + `", "function_name": "Edit", "arguments": {}}`
	}
	step := func(rest string) string { return `, {"step_id": 2, ` + rest + `}` }
	last := step(`"source": "agent", "message": "done"`)

	for want, text := range map[string]string{
		"step 2: it has no result, and": foreign(step(`"source": "agent", "message": "", "tool_calls": [` + call("a") + `,` +
			call("b") + `], "observation": {"results": [{"source_call_id": "b", "content": "x"}]}`)),
		"step 2: it has 1 results that name no call": foreign(step(`"source": "agent", "message": "",
			"tool_calls": [` + call("a") + `,` + call("b") + `], "observation": {"results": [
			{"source_call_id": "a", "content": "x"}, {"source_call_id": "b", "content": "y"}, {"content": "z"}]}`)),
		"step 2: it has 2 results": foreign(step(`"source": "agent", "message": "", "observation": {"results": [
			{"content": "a"}, {"content": "b"}]}`)),
		"step 2: its message has a part of the type image": foreign(step(`"source": "agent", "message": [
			{"type": "image", "source": {"path": "a.png"}}]`)),
		"step 2: its result has a part of the type audio": foreign(step(`"source": "agent", "message": "",
			"observation": {"results": [{"content": [{"type": "audio"}]}]}`)),
		"step 2: it was copied":     foreign(step(`"source": "agent", "message": "", "is_copied_context": true`)),
		"step 2: no model wrote it": foreign(step(`"source": "agent", "message": "", "llm_call_count": 0`)),
		"step 2: an observation of": foreign(step(`"source": "system", "message": "", "observation": {"results": []}`)),
		"step 2: its result refers": foreign(step(`"source": "agent", "message": "", "observation": {"results": [
			{"subagent_trajectory_ref": [{}]}]}`)),
		"step 2: it has no result": foreign(last + `, {"step_id": 3, "source": "agent", "message": "and more"}`),
		"step 3: the user speaks": foreign(step(`"source": "agent", "message": "", "observation": {"results": [
			{"content": "x"}]}`) + `, {"step_id": 3, "source": "user", "message": "go on"}`),
		"step 2: the arguments of": foreign(step(`"source": "agent", "message": "", "tool_calls": [
			{"tool_call_id": "a", "function_name": "Edit", "arguments": []}]`)),
		"document.json: its agent d": foreign(""),
		"goes on in another": strings.Replace(foreign(last), `"steps"`,
			`"continued_trajectory_ref": "b.json", "steps"`, 1),
		"called other agents": strings.Replace(foreign(last), `"steps"`,
			`"subagent_trajectories": [{}], "steps"`, 1),
	} {
		d, err := read(t, text)
		if err != nil {
			t.Fatalf("%s: %v", want, err)
		}

		var refusal *atif.Refusal
		if _, _, err := d.Row("train"); !errors.As(err, &refusal) || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), "document.json") {
			t.Errorf("%v, want a refusal with %q", err, want)
		}
	}
}

func TestNoDocuments(t *testing.T) {
	good := foreign(`, {"step_id": 2, "source": "agent", "message": "done"}`)

	for want, text := range map[string]string{
		"unexpected EOF":          "{",
		"unknown field \"turns\"": strings.Replace(good, `"steps"`, `"turns": 1, "steps"`, 1),
		"schema_version":          strings.Replace(good, "v1.7", "v9.0", 1),
		"no name or no version":   strings.Replace(good, `"coder"`, `""`, 1),
		"no steps":                `{"schema_version": "ATIF-v1.8", "agent": {"name": "a", "version": "1"}, "steps": []}`,
		"step 2: step_id 3":       strings.Replace(good, `"step_id": 2`, `"step_id": 3`, 1),
		"source \"tool\"":         strings.Replace(good, `"source": "agent"`, `"source": "tool"`, 1),
		"reasoning or calls": strings.Replace(good, `"source": "agent"`,
			`"source": "user", "reasoning_content": "x"`, 1),
		"no call of the step": strings.Replace(good, `"message": "done"`,
			`"message": "", "observation": {"results": [{"source_call_id": "b", "content": ""}]}`, 1),
		"more than one value": good + good,
	} {
		if _, err := read(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// In a folder the documents of trials and of exports are found, and nothing else.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b/agent/trajectory.json", "a/agent/trajectory.json", "a/user-agent/trajectory.json",
		"a/result.json", "toolevo_atif.jsonl"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}

	got, err := atif.Files(dir)
	if err != nil {
		t.Fatal(err)
	}

	for i := range got {
		got[i], _ = filepath.Rel(dir, got[i])
	}

	want := []string{"a/agent/trajectory.json", "b/agent/trajectory.json", "toolevo_atif.jsonl"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	if files, err := atif.Files(t.TempDir()); err == nil {
		t.Errorf("an empty folder has documents: %v", files)
	}
}

// Beside trials that were found in a job, those without a document are refused, and nothing is said
// of them where one trial was named: by its folder, by its agent's, or by its document.
func TestOtherTrials(t *testing.T) {
	job := t.TempDir()
	for _, name := range []string{"first/agent/trajectory.json", "second/agent/trajectory.json", "third/result.json"} {
		path := filepath.Join(job, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}

	for path, want := range map[string]int{
		"": 1, "first": 0, "first/": 0, "first/agent": 0, "first/agent/trajectory.json": 0,
	} {
		path = job + "/" + path

		files, err := atif.Files(path)
		if err != nil {
			t.Fatal(err)
		}

		refused, err := atif.OtherTrials(path, files)
		if err != nil || len(refused) != want || want > 0 && refused[0].Document != filepath.Join(job, "third") {
			t.Errorf("%s: refused %v, %v", path, refused, err)
		}
	}
}

// Any text is read or refused.
func FuzzRead(f *testing.F) {
	for _, d := range documents() {
		f.Add(string(encode(f, d)))
	}

	f.Add(foreign(`, {"step_id": 2, "source": "agent", "message": [{"type": "text", "text": "done"}]}`))
	f.Fuzz(func(t *testing.T, text string) {
		d, err := read(t, text)
		if err != nil {
			return
		}

		row, shown, err := d.Row("train")

		var refusal *atif.Refusal
		if err != nil && !errors.As(err, &refusal) {
			t.Errorf("%v is no refusal", err)
		}

		if err == nil && (shown.Origin == "" || row.TurnCount == 0) {
			t.Errorf("%+v, %+v", row, shown)
		}
	})
}
