package atif_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/trajectories"
	"toolevo/trajectories/atif"
	"toolevo/trajectories/internal/synth"
)

// begun is the ID of a run that began at 2026-11-24T13:00:00.5Z.
const begun = "01a20da4-4a74-7000-8000-000000000000"

// TestDocumentsAreReproducible writes rows twice: the bytes are the same, no machine is named, and
// each step has the time at which its run began, if the run's ID tells it.
func TestDocumentsAreReproducible(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}

	for i, row := range synth.Rows(3, 4, 2) {
		if i%2 == 0 {
			row.RunID = begun
		}

		e := &trajectories.Episode{Row: row}
		d := atif.FromEpisode(e, shown())

		text := encode(t, d)
		if again := encode(t, atif.FromEpisode(e, shown())); !bytes.Equal(text, again) {
			t.Errorf("row %d gives two documents", i)
		}

		if bytes.Contains(text, []byte(host)) {
			t.Errorf("row %d names %s", i, host)
		}

		want := map[bool]string{true: "2026-11-24T13:00:00.5Z"}[row.RunID == begun]

		for _, s := range d.Steps {
			if s.Timestamp != want {
				t.Errorf("row %d, step %d: %q, want %q", i, s.StepID, s.Timestamp, want)
			}
		}
	}
}

// TestEpisodesComeBack holds that an episode's document tells what became of it, and comes back as
// the row it was; a trajectory that was cut short says so as well, by its last turn.
func TestEpisodesComeBack(t *testing.T) {
	cut := branch()
	cut.Nodes = cut.Nodes[:4]
	cut.Nodes[3].Status, cut.Nodes[3].Limit = envs.Truncated, mcts.LimitDepth

	of := meta()
	of.Run.ID = begun
	episode := trajectories.FromEpisode(of, cut)
	ended := trajectories.FromEpisode(of, branch())
	trajectory := trajectories.Episode{Row: trajectories.FromNode(of, cut, 3)}
	trajectory.Cuts = 2

	const (
		note = `Truncated: stopped by the limit "depth" before the agent gave an answer.`
		id   = begun + "/easy-coffee-0000/p_s_in/scripted:noisy/repeat 1"
	)

	for name, test := range map[string]struct {
		e         *trajectories.Episode
		id, note  string
		reward    float64
		isEpisode bool
	}{
		"cut short": {&episode, id, note, -1, true},
		"ended":     {&ended, id, "", 1, true},
		"of a tree": {&trajectory, begun + "/easy-coffee-0000/tree 1/node 3", note, -1, false},
	} {
		d := atif.FromEpisode(test.e, shown())
		if d.TrajectoryID != test.id || d.SessionID != test.id || d.Notes != test.note ||
			*d.Extra.Ours.Reward != test.reward || d.IsEpisode() != test.isEpisode {
			t.Errorf("%s: %+v", name, d)
		}

		named, err := read(t, string(encode(t, d)))
		if err != nil {
			t.Fatal(err)
		}

		got, _, err := named.Row("dev")
		if err != nil {
			t.Fatal(err)
		}

		want := test.e.Row
		want.Gold, want.SchemaVersion = "", trajectories.SchemaVersion
		want.Turns = slices.Clone(want.Turns)
		want.Turns[0].API, want.Turns[0].Thought = "", "" // no call could be read

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}

	if other, err := read(t, foreign(`, {"step_id": 2, "source": "agent", "message": "x"}`)); err != nil ||
		other.IsEpisode() {
		t.Errorf("a document of others is an episode of ours (%v)", err)
	}

	single := trajectory
	single.Turns = trajectory.Turns[2:]

	if d := atif.FromEpisode(&single, shown()); d.Notes != note || len(d.Steps) != 3 {
		t.Errorf("one turn: %+v", d)
	}

	lost := trajectories.LostEpisode(of, "broken")
	if d := atif.FromEpisode(&lost, trajectories.Shown{}); d.Notes != "" || len(d.Steps) != 1 {
		t.Errorf("no turns: %+v", d)
	}
}

// TestReadLines reads a file of several documents: a blank line is none, the error of a line names
// it, and nothing comes after it.
func TestReadLines(t *testing.T) {
	good := strings.ReplaceAll(foreign(`, {"step_id": 2, "source": "agent", "message": "x"}`), "\n", " ")
	path := filepath.Join(t.TempDir(), atif.LinesFile)

	old := strings.Replace(good, "v1.7", "v7.1", 1)

	for _, test := range []struct {
		text  string
		names string // of the documents
		fails string
	}{
		{"", "", ""},
		{"\n" + good + "\n \n" + good, "2 4", ""},
		{good + "\n{\n" + good + "\n", "1", ", line 2 is no ATIF document"},
		{good + "\n" + old + "\n", "1", ", line 2 is no ATIF document"},
	} {
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}

		var names []string
		var errs []error

		for d, err := range atif.Read(path) {
			if err != nil {
				errs = append(errs, err)
			} else {
				names = append(names, strings.TrimPrefix(d.Name, path+", line "))
			}
		}

		if strings.Join(names, " ") != test.names || len(errs) != min(1, len(test.fails)) ||
			len(errs) > 0 && !strings.Contains(errs[0].Error(), path+test.fails) {
			t.Errorf("%q: documents %q, errors %v", test.text, names, errs)
		}

		for range atif.Read(path) {
			break // nothing comes after that
		}
	}

	for _, name := range []string{atif.LinesFile, atif.TrialFile} {
		err := synth.FirstError(atif.Read(filepath.Join(t.TempDir(), name)))
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is not there: %v", name, err)
		}
	}
}

// TestFilesOfOddFolders holds that a folder is no document, whatever its name, that a file is
// itself one, and that a folder that is not there is an error of its own.
func TestFilesOfOddFolders(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"agent/trajectory.json/x", "agent/config.json", "toolevo_atif.jsonl/y", "any.json",
	} {
		path := filepath.Join(dir, name)

		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o600))
		if err != nil {
			t.Fatal(err)
		}
	}

	if files, err := atif.Files(dir); err == nil || len(files) > 0 {
		t.Errorf("folders are documents: %q", files)
	}

	path := filepath.Join(dir, "any.json")
	if files, err := atif.Files(path); err != nil || !slices.Equal(files, []string{path}) {
		t.Errorf("a file: %q (%v)", files, err)
	}

	if _, err := atif.Files(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestNothingOfOthersIsSkipped changes one thing of a document of another program: what is broken
// in it is said, by the part of the document that it is in.
func TestNothingOfOthersIsSkipped(t *testing.T) {
	good := foreign(`, {"step_id": 2, "source": "agent", "message": "", "tool_calls": [
		{"tool_call_id": "a", "function_name": "Edit", "arguments": {"x": 1}}],
		"observation": {"results": [{"source_call_id": "a", "content": "done"}]}}`)

	if d, err := read(t, good); err != nil {
		t.Fatal(err)
	} else if row, _, err := d.Row("train"); err != nil || row.RunID != "document.json" ||
		row.QuestionID != "asked_"+envs.SHA256("Create hello.txt.")[:12] ||
		row.Turns[0].API != "Edit" {
		t.Errorf("%+v (%v)", row, err)
	}

	for _, test := range []struct{ old, new, want string }{
		{`"tool_call_id": "a"`, `"tool_call_id": ""`, "step 2: a call without ID or name"},
		{`"function_name": "Edit"`, `"function_name": ""`, "step 2: a call without ID or name"},
		{`"version": "2.0"`, `"version": ""`, "no name or no version"},
		{`"message": ""`, `"message": [1]`, "neither a string nor a list of parts"},
		{`"message": ""`, `"message": 1`, "cannot unmarshal number"},
		{`"source": "user"`, `"source": "user", "tool_calls": []`, "step 1: reasoning or calls of the user"},
		{`"extra": {"cwd": "/"}`, `"extra": {"toolevo": 1}`, "cannot unmarshal number"},
		{`"arguments": {"x": 1}`, `"arguments": "x"`, "step 2: the arguments of Edit are no JSON object"},
		{`"arguments": {"x": 1}`, `"extra": {}`, "step 2: the arguments of Edit are no JSON object"},
		{`"source": "user", "message": "Create hello.txt."`, `"source": "system", "message": "Be brief."`,
			"step 2: the agent acts before a user asked"},
		{`"extra": {"cwd": "/"}`, `"extra": {"toolevo": {"codec": "smoke"}}`, "document.json: "},
		{`"source": "agent", "message": ""`, `"source": "agent", "extra": {"toolevo": {"outcome": "odd"}}, "message": ""`,
			`step 2: envs: unknown outcome "odd"`},
		{`{"type": "function", "function": {"name": "Edit", "parameters": {"z": 1, "a": 2}}}`, `{}, "Edit"`,
			"document.json: definition 2 of a tool is not a JSON object"},
	} {
		changed := strings.Replace(good, test.old, test.new, 1)
		if changed == good {
			t.Fatalf("%s is not in the document", test.old)
		}

		d, err := read(t, changed)
		if err == nil {
			_, _, err = d.Row("train")
		}

		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.new, err, test.want)
		}
	}
}

// TestSystemTexts holds that the texts of the system and the questions are put together in their
// order, and that a document of others is told apart by what its model was shown.
func TestSystemTexts(t *testing.T) {
	steps := `, {"step_id": 2, "source": "system", "message": "Be brief."},
		{"step_id": 3, "source": "system", "message": "Be kind.", "llm_call_count": 0},
		{"step_id": 4, "source": "user", "message": [{"type": "text", "text": "In C."}]},
		{"step_id": 5, "source": "agent", "message": " done "}`

	seen := map[string]bool{}

	for _, text := range []string{
		foreign(steps), strings.Replace(foreign(steps), "brief", "long", 1),
		strings.Replace(foreign(steps), "2.0", "2.1", 1),
	} {
		d, err := read(t, text)
		if err != nil {
			t.Fatal(err)
		}

		row, shown, err := d.Row("train")
		if err != nil {
			t.Fatal(err)
		}

		if row.Question != "Create hello.txt.\n\nIn C." || row.Turns[0].Action != "done" ||
			!strings.Contains(shown.System, ".\n\nBe kind.\n\nThe tools") ||
			row.Software != "coder "+d.Agent.Version || row.DeployedAPI != row.PromptAPI ||
			!strings.HasPrefix(row.PromptAPI, "shown_") || len(row.PromptAPI) != 14 {
			t.Errorf("%+v, %+v", row, shown)
		}

		seen[row.PromptAPI] = true
	}

	if len(seen) != 3 {
		t.Errorf("three documents were shown %v", seen)
	}
}

// TestNoTools holds that a document without tools has no list of them.
func TestNoTools(t *testing.T) {
	text := foreign(`, {"step_id": 2, "source": "agent", "message": "done"}`)
	tools := text[strings.Index(text, `, "tool_definitions"`):strings.Index(text, `}, "extra"`)]

	d, err := read(t, strings.Replace(text, tools, "", 1))
	if err != nil {
		t.Fatal(err)
	}

	if _, shown, err := d.Row("train"); err != nil || shown.System != "" {
		t.Errorf("%q (%v)", shown.System, err)
	}
}

// TestCallsThatAreNoJSON holds that a call with NaN, which JSON does not have, is a step's message.
func TestCallsThatAreNoJSON(t *testing.T) {
	tree := branch()
	text := "Thought: It is unknown.\nAction: LoadDB\nAction Input: {\"DBName\": NaN}"
	tree.Nodes[2].Action = text

	row := trajectories.FromNode(meta(), tree, 5)

	d := atif.FromEpisode(&trajectories.Episode{Row: row}, shown())
	if s := d.Steps[3]; s.Message.Value != text || len(s.ToolCalls) > 0 {
		t.Errorf("%+v", s)
	}

	if _, err := read(t, string(encode(t, d))); err != nil {
		t.Error(err)
	}
}
