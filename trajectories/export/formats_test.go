package export_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts"
	"toolevo/mcts/policy/chat"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
	"toolevo/trajectories/internal/synth"
)

// step is a node of a small tree: its path, and what stands there.
type step struct {
	path    string
	outcome envs.Outcome
	limit   mcts.Limit
	visits  int
	value   float64
}

// smallTree is a search tree of one question. The action at a path is called by it, and its
// observation, too.
//
//	0.0      a deprecated call
//	0.0.0      right
//	0.0.1      wrong
//	0.0.2      a mistake
//	0.0.2.0      the mistake again
//	0.0.2.0.0      right
//	0.1      a call
//	0.1.0      too deep, twice
//	0.1.1      no room in the prompt: nobody knows
//	0.2      a call
//	0.2.0      wrong
//	0.3      a call, below which no room was left
//	0.3.0      no room
func smallTree() []step {
	return []step{
		{"0.0", envs.Deprecated, "", 9, 0.5},
		{"0.1", envs.OK, "", 5, -1},
		{"0.2", envs.OK, "", 2, -1},
		{"0.3", envs.OK, "", 1, 0},
		{"0.0.0", envs.Correct, "", 4, 1},
		{"0.0.1", envs.Incorrect, "", 2, -1},
		{"0.0.2", envs.InvocationError, "", 3, 0.3},
		{"0.0.2.0", envs.InvocationError, "", 2, 1},
		{"0.0.2.0.0", envs.Correct, "", 1, 1},
		{"0.1.0", envs.OK, mcts.LimitDepth, 3, -1},
		{"0.1.1", envs.OK, mcts.LimitContext, 0, 0},
		{"0.2.0", envs.Incorrect, "", 1, -1},
		{"0.3.0", envs.OK, mcts.LimitContext, 0, 0},
	}
}

func record(steps []step, act func(path string) string) *mcts.TreeRecord {
	tree := &mcts.TreeRecord{Nodes: []mcts.Record{{Parent: mcts.NoParent}}}
	ids := map[string]int{"0": 0}

	for _, s := range steps {
		at := strings.LastIndexByte(s.path, '.')
		id := len(tree.Nodes)
		ids[s.path] = id
		ordinal := int(s.path[at+1] - '0')

		key := s.path
		if s.path == "0.0.2.0" { // makes the mistake of 0.0.2 again
			key = "0.0.2"
		}

		tree.Nodes = append(tree.Nodes, mcts.Record{
			ID: id, Parent: ids[s.path[:at]], Depth: strings.Count(s.path, "."), Ordinal: ordinal,
			Action: act(s.path), Name: "Act", Tool: "Act", Key: key, Observation: "see " + s.path,
			Outcome: s.outcome, Limit: s.limit, Visits: s.visits, TotalValue: s.value * float64(s.visits),
			Grade: envs.Grade{Official: s.outcome == envs.Correct, Strict: s.outcome == envs.Correct},
		})
	}

	return tree
}

func act(path string) string { return "act " + path }

// call is the action at a path as a function call.
func call(path string) string {
	return action.FunctionCall{}.Format("I act.", envs.Call{Name: "Act", Args: envs.Args{{Name: "path", Value: path}}})
}

// nativeCall is the action at a path as a message with a call.
func nativeCall(path string) string {
	return action.Tools{}.Format("I act.", envs.Call{Name: "Act", Args: envs.Args{{Name: "path", Value: path}}})
}

func smallRows(all bool) []trajectories.Row {
	meta := trajectories.Meta{
		Run:      trajectories.Run{ID: "run", PromptAPI: "p_c", DeployedAPI: "p_s_in"},
		Question: trajectories.Question{ID: "q", Split: "train", Text: "How much?"},
	}
	if all {
		return slices.Collect(values(synth.Sorted(trajectories.Ended(meta, record(smallTree(), act)))))
	}

	return trajectories.FromTree(meta, record(smallTree(), act))
}

func values[T any](seq func(func(T, error) bool)) func(func(T) bool) {
	return func(yield func(T) bool) { seq(func(v T, _ error) bool { return yield(v) }) }
}

// said is what the messages of a conversation say, without the question.
func said(messages ...export.Message) string {
	var all []string
	for _, m := range messages {
		all = append(all, m.Value)
	}
	return strings.TrimPrefix(strings.TrimPrefix(strings.Join(all, " / "), "Question: How much?"), " / ")
}

// What the formats make of the small tree, by hand.
func TestFormats(t *testing.T) {
	for _, c := range []struct {
		format export.Format
		skip   bool
		want   []string
	}{
		{format: export.SFTTrajectory, want: []string{
			"act 0.0 / see 0.0 / act 0.0.0",
			"act 0.0 / see 0.0 / act 0.0.2 / see 0.0.2 / act 0.0.2.0 / see 0.0.2.0 / act 0.0.2.0.0",
		}},
		{format: export.SFTStep, want: []string{
			"act 0.0",
			"act 0.0 / see 0.0 / act 0.0.0",
			"act 0.0 / see 0.0 / act 0.0.2",
			"act 0.0 / see 0.0 / act 0.0.2 / see 0.0.2 / act 0.0.2.0",
			"act 0.0 / see 0.0 / act 0.0.2 / see 0.0.2 / act 0.0.2.0 / see 0.0.2.0 / act 0.0.2.0.0",
		}},
		{format: export.SFTStep, skip: true, want: []string{
			"act 0.0",
			"act 0.0 / see 0.0 / act 0.0.0",
			"act 0.0 / see 0.0 / act 0.0.2",
			"act 0.0 / see 0.0 / act 0.0.2 / see 0.0.2 / act 0.0.2.0 / see 0.0.2.0 / act 0.0.2.0.0",
		}},
		// 0.1 has more visits than 0.2, and what we ended below it says nothing; of 0.3 nobody
		// knows.
		{format: export.DPO, want: []string{
			" > act 0.0 < act 0.1",
			"act 0.0 / see 0.0 > act 0.0.0 < act 0.0.1",
			"act 0.0 / see 0.0 > act 0.0.2 < act 0.0.1",
		}},
		{format: export.KTO, want: []string{
			"+ act 0.0", "- act 0.1", "- act 0.2",
			"+ act 0.0 / see 0.0 / act 0.0.0", "- act 0.0 / see 0.0 / act 0.0.1",
			"+ act 0.0 / see 0.0 / act 0.0.2",
			"+ act 0.0 / see 0.0 / act 0.0.2 / see 0.0.2 / act 0.0.2.0 / see 0.0.2.0 / act 0.0.2.0.0",
		}},
		// Each failed trajectory is told once, the one that begins alike first.
		{format: export.Reward, want: []string{
			" > act 0.0\n\nObservation: see 0.0\n\nact 0.0.0 < act 0.0\n\nObservation: see 0.0\n\nact 0.0.1",
			" > act 0.0\n\nObservation: see 0.0\n\nact 0.0.2\n\nObservation: see 0.0.2\n\nact 0.0.2.0\n\n" +
				"Observation: see 0.0.2.0\n\nact 0.0.2.0.0 < act 0.1\n\nObservation: see 0.1\n\nact 0.1.0",
		}},
		{format: export.OpenAI, want: []string{
			"act 0.0 / see 0.0 / act 0.0.0",
			"act 0.0 / see 0.0 / act 0.0.2 / see 0.0.2 / act 0.0.2.0 / see 0.0.2.0 / act 0.0.2.0.0",
		}},
	} {
		for _, trainer := range export.Trainers() {
			dir := filepath.Join(t.TempDir(), "export")
			m := wrote(t, dir, smallRows(c.format.NeedsFailures()), export.Options{
				Format: c.format, Trainer: trainer, Selection: export.Selection{SkipFaulty: c.skip},
			})

			var got []string

			for _, s := range synth.Collect(t, export.Read(dir, false)) {
				text := said(s.Conversations...)

				switch {
				case s.Chosen.Value != "":
					text += " > " + s.Chosen.Value + " < " + s.Rejected.Value
				case c.format == export.KTO && s.Good:
					text = "+ " + text
				case c.format == export.KTO:
					text = "- " + text
				}

				got = append(got, text)
			}

			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("%s for %s, faulty skipped %v: -want +got:\n%s", c.format, trainer, c.skip, d)
			}

			if m.Rows != len(c.want) {
				t.Errorf("%s: the manifest says %d samples, want %d", c.format, m.Rows, len(c.want))
			}
		}
	}
}

// No format of single turns trains a turn from which no action can be read, as a good or a chosen
// one. Of whole trajectories openai gives them no weight, and of others the card says how many
// there are.
func TestUnreadableTurnsAreNotTrained(t *testing.T) {
	rows := smallRows(true)

	for i := range rows {
		for j := range rows[i].Turns {
			if turn := &rows[i].Turns[j]; turn.Key == "0.0.2" {
				turn.API, turn.Tool = "", ""
			}
		}
	}

	for format, want := range map[export.Format]int{
		export.SFTStep: 3, export.KTO: 6, export.DPO: 2, export.SFTTrajectory: 2, export.OpenAI: 2,
	} {
		dir := filepath.Join(t.TempDir(), "export")
		chosen := slices.DeleteFunc(slices.Clone(rows), func(r trajectories.Row) bool {
			return !format.NeedsFailures() && !r.IsCorrect()
		})
		m := wrote(t, dir, chosen, export.Options{Format: format})

		for _, s := range synth.Collect(t, export.Read(dir, false)) {
			last := s.Chosen.Value
			if format == export.SFTStep || s.Good {
				last = s.Conversations[len(s.Conversations)-1].Value
			}

			if strings.HasPrefix(last, "act 0.0.2") && last != "act 0.0.2.0.0" {
				t.Errorf("%s trains %s", format, last)
			}
		}

		card := string(contents(t, filepath.Join(dir, "README.md")))
		weights := strings.Count(string(contents(t, filepath.Join(dir, format.Dataset()+".jsonl"))), `"weight":0`)

		trained, weightless := 0, 0
		switch format {
		case export.SFTTrajectory:
			trained = 2
		case export.OpenAI:
			weightless = 2
		}

		if m.Rows != want || m.Unreadable != trained || weights != weightless ||
			strings.Contains(card, "no action can be read") != (trained+weightless > 0) {
			t.Errorf("%s: %d samples, %d unreadable turns, %d weights", format, m.Rows, m.Unreadable, weights)
		}
	}
}

// A whole trajectory with a turn from which no action can be read has the verdict of such ones,
// also where the turn has no weight.
func TestTemplatesOfUnreadableTurns(t *testing.T) {
	for _, format := range []export.Format{export.SFTTrajectory, export.OpenAI} {
		for _, isUnreadable := range []bool{false, true} {
			rows := smallRows(false)
			for i := range rows {
				for j := range rows[i].Turns {
					turn := &rows[i].Turns[j]
					turn.Action = call(turn.Key)

					if isUnreadable && turn.Key == "0.0.2" {
						turn.API, turn.Tool, turn.Action = "", "", "I do not act."
					}
				}
			}

			m := wrote(t, filepath.Join(t.TempDir(), "export"), rows, export.Options{
				Format:  format,
				Trainer: export.TRL,
				Shown: func(*trajectories.Row) (trajectories.Shown, error) {
					return trajectories.Shown{System: "tools", Codec: action.FunctionCall{}}, nil
				},
			})

			fit, err := m.CheckTemplate("qwen3_5_think")
			if err != nil || fit.AsSteps != isUnreadable {
				t.Errorf("%s, unreadable %v: %+v, %v", format, isUnreadable, fit, err)
			}
		}
	}
}

// Mistakes that are made again have no weight either, where that is asked for.
func TestSkipFaultyByWeight(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "export")
	opt := export.Options{Format: export.OpenAI, Selection: export.Selection{SkipFaulty: true}}
	wrote(t, dir, smallRows(false), opt)

	var untrained []string

	for _, s := range synth.Collect(t, export.Read(dir, false)) {
		for _, m := range s.Conversations {
			if m.Untrained {
				untrained = append(untrained, m.Value)
			}
		}
	}

	if report, err := export.Proved(dir, newLinter(t), nil); err != nil || !report.OK() {
		t.Errorf("%+v, %v", report, err)
	}

	if d := cmp.Diff([]string{"act 0.0.2.0"}, untrained); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// Of every format, trainer and codec the folder is one that the linter finds nothing in, has the
// same bytes when it is written again, and says of each file what it is.
func TestEveryFormat(t *testing.T) {
	in := func(codec action.Codec) func(*trajectories.Row) (trajectories.Shown, error) {
		return func(row *trajectories.Row) (trajectories.Shown, error) {
			shown, err := synth.Shown(row)
			shown.Codec, shown.Tools = codec, []envs.Args{envs.Object("type", "function")}
			return shown, err
		}
	}

	for _, format := range export.Formats() {
		for _, trainer := range export.Trainers() {
			for name, codec := range map[string]struct {
				shown func(*trajectories.Row) (trajectories.Shown, error)
				act   func(string) string
			}{
				"react": {in(action.ReAct{}), act}, "calls": {in(action.FunctionCall{}), call},
				"tools": {in(action.Tools{}), nativeCall},
			} {
				opt := export.Options{
					Format: format, Trainer: trainer, Shown: codec.shown,
					Selection: export.Selection{PerQuestion: 3, Dev: 0.3, Seed: 1},
				}
				rows := manyRows(12, format.NeedsFailures(), codec.act)
				dir, again := filepath.Join(t.TempDir(), "export"), filepath.Join(t.TempDir(), "export")
				m := wrote(t, dir, rows, opt)
				wrote(t, again, rows, opt)

				calls := name != "react" && format != export.Reward
				if m.Calls != calls || m.Tools != (name == "tools") {
					t.Errorf("%s for %s in %s: function calls %v, tools %v", format, trainer, name, m.Calls, m.Tools)
				}

				for sample := range export.Read(dir, false) {
					if want := map[bool]string{true: `[{"type": "function"}]`}[m.Tools]; sample.Tools != want {
						t.Fatalf("%s for %s in %s: tools %q", format, trainer, name, sample.Tools)
					}
				}

				if m.Rows == 0 || m.DevRows == 0 {
					t.Errorf("%s for %s: %d samples, %d held out", format, trainer, m.Rows, m.DevRows)
				}

				report, err := export.Proved(dir, newLinter(t), nil)
				if err != nil || !report.OK() || report.Rows != m.Rows+m.DevRows {
					t.Errorf("%s for %s in %s: %+v, %v", format, trainer, name, report, err)
				}

				entries, err := os.ReadDir(dir)
				if err != nil {
					t.Fatal(err)
				}

				for _, e := range entries {
					a, _ := os.ReadFile(filepath.Join(dir, e.Name()))
					if b, _ := os.ReadFile(filepath.Join(again, e.Name())); !bytes.Equal(a, b) {
						t.Errorf("%s for %s: %s differs when it is written again", format, trainer, e.Name())
					}
				}
			}
		}
	}
}

// manyRows are the trajectories of the small tree, once for each of some questions.
func manyRows(questions int, all bool, act func(path string) string) []trajectories.Row {
	var rows []trajectories.Row

	for q := range questions {
		meta := trajectories.Meta{
			Run: trajectories.Run{ID: "run", PromptAPI: "p_c", DeployedAPI: "p_s_in"},
			Question: trajectories.Question{
				ID: fmt.Sprint("q", q), Index: q, Split: "train", Text: fmt.Sprintf("How much <|eot_id|> %d?", q),
			},
		}

		of := trajectories.FromTree
		if all {
			of = trajectories.Ended
		}

		rows = append(rows, of(meta, record(smallTree(), act))...)
	}
	return slices.Collect(values(synth.Sorted(rows)))
}

// A step for TRL is, message for message, what an evaluation sends to a server's chat endpoint, and
// the answer.
func TestStepsAreWhatEvaluationSends(t *testing.T) {
	clean := newLinter(t).Sanitizer()

	for _, row := range synth.Rows(3, 6, 2) {
		dir := filepath.Join(t.TempDir(), "export")
		row.Strict = true
		wrote(t, dir, []trajectories.Row{row}, export.Options{Format: export.SFTStep, Trainer: export.TRL})

		data, err := os.ReadFile(filepath.Join(dir, export.SFTStep.Dataset()+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}

		h := envs.NewHistory(envs.Task{Question: row.Question})

		for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
			var got struct{ Prompt, Completion []chat.Message }
			if err := json.Unmarshal(line, &got); err != nil {
				t.Fatal(err)
			}

			if d := cmp.Diff(chat.Messages(synth.System(row.PromptAPI), h, clean), got.Prompt); d != "" {
				t.Fatalf("action %d, -sent +trained:\n%s", i, d)
			}

			turn := row.Turns[i]

			want := []chat.Message{{Role: "assistant", Content: chat.ReplyText(turn.Action)}}
			if d := cmp.Diff(want, got.Completion); d != "" {
				t.Fatalf("action %d, -want +got:\n%s", i, d)
			}

			h = h.Append(envs.Turn{Action: envs.Action(turn.Action), Observation: turn.Observation})
		}

		if h.Len() != len(row.Turns) {
			t.Fatalf("%d samples of %d actions", h.Len(), len(row.Turns))
		}
	}
}

// Tool calls are what OpenAI's chat API has, and an answer names its call.
func TestToolCalls(t *testing.T) {
	row := smallRows(false)[0]
	row.Turns[0].Action = `{"name": "Look", "arguments": {"at": "<ü>", "n": 1.50}}`
	row.Turns[1].Action = `{"name": "Finish", "arguments": {"answer": "1"}}`

	dir := filepath.Join(t.TempDir(), "export")
	m := wrote(t, dir, []trajectories.Row{row}, export.Options{
		Format: export.OpenAI,
		Shown: func(*trajectories.Row) (trajectories.Shown, error) {
			return trajectories.Shown{System: "tools", Codec: action.FunctionCall{}}, nil
		},
	})

	data, err := os.ReadFile(filepath.Join(dir, export.OpenAI.Dataset()+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}

	want := `{"messages":[{"role":"system","content":"tools"},{"role":"user","content":"Question: How much?"},` +
		`{"role":"assistant","content":"","tool_calls":[{"id":"call00101","type":"function","function":{"name":"Look",` +
		`"arguments":"{\"at\": \"<ü>\", \"n\": 1.50}"}}]},` +
		`{"role":"tool","content":"see 0.0","tool_call_id":"call00101"},` +
		`{"role":"assistant","content":"","tool_calls":[{"id":"call00201","type":"function","function":{"name":"Finish",` +
		`"arguments":"{\"answer\": \"1\"}"}}]}]}`
	if got := strings.TrimSpace(string(data)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}

	info, err := os.ReadFile(filepath.Join(dir, export.DatasetInfoFile))
	if err != nil || m.FitsLlamaFactory() || strings.TrimSpace(string(info)) != "{}" {
		t.Errorf("LLaMA-Factory would train this without its calls: %s, %v", info, err)
	}
}

// For TRL the arguments of a call are an object, which no template encodes twice, and a message has
// no empty keys.
func TestArgumentsAreObjectsForTRL(t *testing.T) {
	got, card := callsForTRL(t, "")
	want := `{"messages":[{"role":"system","content":"tools"},{"role":"user","content":"Question: How much?"},` +
		`{"role":"assistant","content":"","tool_calls":[{"id":"call00101","type":"function","function":{"name":"Look",` +
		`"arguments":{"at":"<ü>","n":1.50,"big":9007199254740993}}}]},` +
		`{"role":"tool","content":"see 0.0","tool_call_id":"call00101"},` +
		`{"role":"assistant","content":"","tool_calls":[{"id":"call00201","type":"function","function":{"name":"Finish",` +
		`"arguments":{"answer":"1"}}}]}]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}

	if !strings.Contains(card, "- name: messages\n    list: json\n") {
		t.Errorf("the card does not say that messages are JSON: %s", card)
	}
}

// A template that wants a text of JSON gets one, and the samples are the same otherwise.
func TestArgumentsAreTextsForTRL(t *testing.T) {
	objects, _ := callsForTRL(t, "")
	texts, _ := callsForTRL(t, export.ArgumentText)

	var got, want struct {
		Messages []struct {
			Content string
			Calls   []struct {
				Function struct{ Arguments json.RawMessage }
			} `json:"tool_calls"`
		}
	}

	if err := errors.Join(json.Unmarshal([]byte(objects), &want), json.Unmarshal([]byte(texts), &got)); err != nil {
		t.Fatal(err)
	}

	for i, m := range got.Messages {
		for j := range m.Calls {
			var text string
			if err := json.Unmarshal(m.Calls[j].Function.Arguments, &text); err != nil {
				t.Error(err)
			}

			var object bytes.Buffer
			if err := json.Compact(&object, []byte(text)); err != nil {
				t.Error(err)
			}

			m.Calls[j].Function.Arguments = object.Bytes()
		}

		if d := cmp.Diff(want.Messages[i], m); d != "" {
			t.Errorf("-objects +texts:\n%s", d)
		}
	}
}

// callsForTRL exports a trajectory of two calls, and returns its sample and the card.
func callsForTRL(t *testing.T, arguments export.Arguments) (sample, card string) {
	t.Helper()

	row := smallRows(false)[0]
	row.Turns[0].Action = `{"name": "Look", "arguments": {"at": "<ü>", "n": 1.50, "big": 9007199254740993}}`
	row.Turns[1].Action = `{"name": "Finish", "arguments": {"answer": "1"}}`

	dir := filepath.Join(t.TempDir(), "export")
	wrote(t, dir, []trajectories.Row{row}, export.Options{
		Trainer: export.TRL, Arguments: arguments,
		Shown: func(*trajectories.Row) (trajectories.Shown, error) {
			return trajectories.Shown{System: "tools", Codec: action.FunctionCall{}}, nil
		},
	})

	if report, err := export.Proved(dir, newLinter(t), nil); err != nil || !report.OK() {
		t.Errorf("%+v, %v", report, err)
	}

	f, err := file.OpenParquetFile(filepath.Join(dir, export.SFTTrajectory.Dataset()+".parquet"), false)
	if err != nil {
		t.Fatal(err)
	}

	// By this a reader of the file alone knows that messages are values.
	if got := f.MetaData().Schema.Column(0).LogicalType(); !got.Equals(schema.JSONLogicalType{}) || f.Close() != nil {
		t.Errorf("messages are of the logical type %s", got)
	}

	data, err := os.ReadFile(filepath.Join(dir, export.SFTTrajectory.Dataset()+".jsonl"))
	text, cardErr := os.ReadFile(filepath.Join(dir, "README.md"))

	if err := errors.Join(err, cardErr); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(data)), string(text)
}

// An export takes the place of one of another format, whose files are gone.
func TestAnotherFormatTakesThePlace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "export")
	wrote(t, dir, manyRows(6, true, act), export.Options{Format: export.DPO, Selection: export.Selection{Dev: 0.4}})
	m := wrote(t, dir, manyRows(6, false, act), export.Options{Format: export.OpenAI})

	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(m.Files)+1 {
		t.Errorf("%v, %v", entries, err)
	}

	if report, err := export.Proved(dir, newLinter(t), nil); err != nil || !report.OK() {
		t.Errorf("%+v, %v", report, err)
	}
}

// A cutoff counts what its format is trained as: messages for OpenAI say "Observation:", and have
// more tokens.
func TestCutoffIsOfTheFormat(t *testing.T) {
	tokenizer := loadTokenizer(t, "llama3")
	longest := func(format export.Format, cutoff int) *export.Manifest {
		return wrote(t, filepath.Join(t.TempDir(), "export"), smallRows(false), export.Options{
			Format: format, Tokenizer: tokenizer, Template: "llama3", Cutoff: cutoff,
		})
	}

	short := longest(export.SFTTrajectory, 0).Lengths.MaxTokens
	long := longest(export.OpenAI, 0).Lengths.MaxTokens

	if long <= short {
		t.Fatalf("%d tokens for OpenAI, %d else: the test shows nothing", long, short)
	}

	if m := longest(export.OpenAI, long-1); m.Lengths.MaxTokens >= long || m.Lint.ByRule[export.TooLong] != 1 {
		t.Errorf("with a cutoff of %d: %+v", long-1, m)
	}
}

// A file for OpenAI's chat API has the columns that a sample fills, and no others.
func TestUnfilledColumnsAreLeftOut(t *testing.T) {
	for codec, want := range map[action.Codec][]string{
		action.ReAct{}: {"role", "content"}, action.FunctionCall{}: {"role", "content", "tool_calls", "tool_call_id"},
	} {
		rows := smallRows(false)[:1]
		for i, name := range []string{"Look", "Finish"} {
			call := envs.Call{Name: name, Args: envs.Args{{Name: "a", Value: "1"}}}
			rows[0].Turns[i].Action = codec.Format("so", call)
		}

		dir := filepath.Join(t.TempDir(), "export")
		wrote(t, dir, rows, export.Options{
			Format: export.OpenAI,
			Shown: func(*trajectories.Row) (trajectories.Shown, error) {
				return trajectories.Shown{System: "tools", Codec: codec}, nil
			},
		})

		f, err := file.OpenParquetFile(filepath.Join(dir, "toolevo_openai.parquet"), false)
		if err != nil {
			t.Fatal(err)
		}

		var got []string
		for i := range f.MetaData().Schema.NumColumns() {
			path := strings.TrimPrefix(f.MetaData().Schema.Column(i).Path(), "messages.list.element.")

			name, _, _ := strings.Cut(path, ".")
			if !slices.Contains(got, name) {
				got = append(got, name)
			}
		}

		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%v: -want +got:\n%s", codec, d)
		}

		if report, err := export.Proved(dir, newLinter(t), nil); err != nil || !report.OK() || f.Close() != nil {
			t.Errorf("%v: %+v, %v", codec, report, err)
		}
	}
}
