package app

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/configs"
	"toolevo/configs/apis"
	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/dynamic"
	"toolevo/envs/silent"
	"toolevo/envs/toolapi"
	"toolevo/finetune/stored"
	"toolevo/mcts/store"
	"toolevo/trajectories"
	"toolevo/trajectories/atif"
	"toolevo/trajectories/export"
)

// documented returns a document whose one turn makes two native calls, as an export reads it.
func documented(t *testing.T) *export.Imported {
	t.Helper()

	all, err := export.Import([]string{documentFile(t, func(*atif.Document) {})})
	if err != nil || len(all.Refused()) > 0 {
		t.Fatalf("refused %v, error %v", all.Refused(), err)
	}
	return all
}

// documentFile writes that document, changed, and returns its path.
func documentFile(t *testing.T, change func(*atif.Document)) string {
	t.Helper()

	codec := action.Tools{Most: 2}
	calls := []action.ToolCall{{Name: "LoadDB", Arguments: "{}"},
		{Name: envs.FinishTool, Arguments: `{"answer": "1"}`}}
	turn := trajectories.Turn{
		Action: action.Message{Calls: calls}.Text(), Tool: envs.FinishTool, API: envs.FinishTool,
		Outcome: envs.Correct, Observation: action.JoinResults([]string{"loaded", "right"}),
	}
	turn.Key = action.Key(codec, turn.Action)

	d := atif.FromEpisode(&trajectories.Episode{
		Row: trajectories.Row{RunID: "r", QuestionID: "q", Question: "How much?",
			Turns: []trajectories.Turn{turn}},
		Status: envs.Terminated.String(),
	}, trajectories.Shown{Suite: "toolqa", System: "You call tools.", Codec: codec})

	change(d)

	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(t.TempDir(), "document.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}

	return path
}

// The prompt of a document is not what the model of a baseline was shown, and its calls may not be
// the model's: no sample is made of one, nor of what a policy did that knows what is deployed.
func TestDocumentsThatNoSampleIsMadeOf(t *testing.T) {
	for policy, why := range map[string]string{
		"openai:m":           "",
		"openai:m+x":         "",
		"scripted:reader":    "", // refused as a whole, and taken if that is allowed
		"openai:m+documents": "a baseline",
		"openai:m+rules":     "a baseline",
		"openai:m+retry":     "a baseline",
		"scripted:oracle":    "was told what is deployed",
	} {
		path := documentFile(t, func(d *atif.Document) { d.Agent.ModelName = policy })
		job := NewExportJob()

		all, err := job.importDocuments([]string{path})
		if err != nil {
			t.Fatal(err)
		}

		rows := 0
		for range all.Rows() {
			rows++
		}

		refused := all.Refused()

		switch {
		case why == "" && (rows != 1 || len(refused) > 0):
			t.Errorf("%s: %d rows, refused %v", policy, rows, refused)
		case why != "" && (rows > 0 || len(refused) != 1 ||
			!strings.Contains(refused[0].Why, why)):
			t.Errorf("%s: %d rows, refused %v, want %q", policy, rows, refused, why)
		}
	}
}

// A document says itself that nothing in it reveals what a call meant.
func TestBlindDocuments(t *testing.T) {
	for _, blind := range []bool{false, true} {
		all, err := export.Import([]string{
			documentFile(t, func(d *atif.Document) { d.Extra.Ours.Blind = blind }),
		})
		if err != nil {
			t.Fatal(err)
		}

		var selection export.Selection
		stop := (&ExportJob{}).driftOf(t.Context(), &sources{imported: all}, &selection)

		for row := range all.Rows() {
			if got := selection.Blind(&row); got != blind {
				t.Errorf("blind %v, want %v", got, blind)
			}
		}

		if err := cmp.Or(stop(), selection.Failed()); err != nil {
			t.Error(err)
		}
	}
}

// The user's own questions are a split that an export can name, and no other is made up.
func TestExportOfOwnQuestions(t *testing.T) {
	for split, ok := range map[string]bool{"own": true, "train": true, "mine": false} {
		job := NewExportJob()
		job.Selection.Split = split

		if _, err := job.options(); (err == nil) != ok {
			t.Errorf("split %s: error %v", split, err)
		}
	}
}

// A call that silently meant something else is noticed before another one of its turn.
func TestBlindCallsOfATurn(t *testing.T) {
	catalog, err := toolapi.Load(apis.FS())
	if err != nil {
		t.Fatal(err)
	}

	base, err := catalog.Spec("p_c")
	if err != nil {
		t.Fatal(err)
	}

	spec := *base
	spec.Version, spec.Base, spec.Messages = "changed", false, toolapi.Messages{}
	spec.Silent = silent.Changes{{
		Tools:  []string{"GetValue"},
		Scaled: &silent.Scaled{Where: silent.Where{Fields: []string{"Open"}}, Zeros: 2},
	}}

	if catalog, err = catalog.With(&spec); err != nil {
		t.Fatal(err)
	}

	s := &sources{runs: exportedRuns{{
		Run: &stored.Run{Run: &store.Run{Manifest: store.Manifest{ID: "r"}},
			Config: &configs.Resolved{}},
		versions: func() (*toolapi.Catalog, error) { return catalog, nil },
	}}}

	const load, value = `LoadDB {"DBName": "coffee"}`, `GetValue {"column_name": "Open"}`

	for _, tt := range []struct {
		key, results string
		outcome      envs.Outcome
		blind        int
	}{
		{value + "\n" + load, action.JoinResults([]string{"1", "loaded"}), envs.OK, 1},
		{value + "\n" + load, action.JoinResults([]string{"1", "no such database"}),
			envs.ToolError, 1},
		{load + "\n" + value, action.JoinResults([]string{"no such database", action.NotRun}),
			envs.ToolError, 0},
		{load + "\n" + load, action.JoinResults([]string{"loaded", "loaded"}), envs.OK, 0},
	} {
		row := trajectories.Row{RunID: "r", Split: export.TrainSplit, DeployedAPI: "changed",
			Strict: true, Turns: []trajectories.Turn{{
				Tool: "LoadDB", API: "LoadDB", Key: tt.key, Observation: tt.results,
				Outcome: tt.outcome,
			}},
		}

		var selection export.Selection
		stop := (&ExportJob{}).driftOf(t.Context(), s, &selection)

		var report export.SelectionReport
		for _, err := range selection.Select(trajectories.Merge(func(
			yield func(trajectories.Row, error) bool,
		) {
			yield(row, nil)
		}), &report) {
			if err != nil {
				t.Fatal(err)
			}
		}

		if err := stop(); err != nil || report.Dropped.Blind != tt.blind {
			t.Errorf("%q: %d are blind, error %v", tt.key, report.Dropped.Blind, err)
		}
	}
}

// Calls must be written in one way. How many a turn may have is no other way, and documents do not
// say how their run was to give the answer.
func TestOneCodec(t *testing.T) {
	native := action.Tools{}.String()
	documents := documented(t)

	run := func(e dynamic.Settings) *exportedRun {
		return &exportedRun{Run: &stored.Run{
			Run:    &store.Run{Dir: "run " + e.Codec},
			Config: &configs.Resolved{Config: configs.Config{Environment: e}},
		}}
	}

	calls := run(dynamic.Settings{Codec: native, Finish: dynamic.FinishByCall, ParallelCalls: 1})
	several := run(dynamic.Settings{Codec: native, Finish: dynamic.FinishByCall, ParallelCalls: 4})
	text := run(dynamic.Settings{Codec: native, Finish: dynamic.FinishByText, ParallelCalls: 1})
	react := run(dynamic.Settings{Codec: action.ReAct{}.String()})

	for name, c := range map[string]struct {
		sources sources
		want    string // in the error; "" if it is fine
	}{
		"several calls in a turn": {sources{runs: exportedRuns{calls, several}}, ""},
		"documents": {sources{runs: exportedRuns{calls},
			imported: documents}, ""},
		"documents of another answer": {sources{runs: exportedRuns{text}, imported: documents}, ""},
		"another codec": {sources{runs: exportedRuns{calls, react}},
			"environment.codec"},
		"documents of another codec": {sources{runs: exportedRuns{react}, imported: documents},
			"environment.codec"},
		"another answer": {sources{runs: exportedRuns{calls, text}},
			"environment.finish"},
	} {
		err := c.sources.checkOneCodec()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}
