package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/dynamic"
	"toolevo/finetune/stored"
	"toolevo/mcts/store"
	"toolevo/trajectories"
	"toolevo/trajectories/atif"
	"toolevo/trajectories/export"
)

// documented returns a document whose one turn makes two native calls, as an export reads it.
func documented(t *testing.T) *export.Imported {
	t.Helper()

	codec := action.Tools{Most: 2}
	calls := []action.ToolCall{{Name: "LoadDB", Arguments: "{}"}, {Name: envs.FinishTool, Arguments: `{"answer": "1"}`}}
	turn := trajectories.Turn{
		Action: action.Message{Calls: calls}.Text(), Tool: envs.FinishTool, API: envs.FinishTool, Outcome: envs.Correct,
		Observation: action.JoinResults([]string{"loaded", "right"}),
	}
	turn.Key = action.Key(codec, turn.Action)

	d := atif.FromEpisode(&trajectories.Episode{
		Row:    trajectories.Row{RunID: "r", QuestionID: "q", Question: "How much?", Turns: []trajectories.Turn{turn}},
		Status: envs.Terminated.String(),
	}, trajectories.Shown{Suite: "toolqa", System: "You call tools.", Codec: codec})

	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(t.TempDir(), "document.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}

	all, err := export.Import([]string{path})
	if err != nil || len(all.Refused()) > 0 {
		t.Fatalf("refused %v, error %v", all.Refused(), err)
	}
	return all
}

// Calls must be written in one way. How many a turn may have is no other way, and documents do not
// say how their run was to give the answer.
func TestOneCodec(t *testing.T) {
	native := action.Tools{}.String()
	documents := documented(t)

	run := func(e dynamic.Settings) *exportedRun {
		return &exportedRun{Run: &stored.Run{
			Run: &store.Run{Dir: "run " + e.Codec}, Config: &configs.Resolved{Config: configs.Config{Environment: e}},
		}}
	}

	calls := run(dynamic.Settings{Codec: native, Finish: dynamic.FinishByCall, ParallelCalls: 1})
	several := run(dynamic.Settings{Codec: native, Finish: dynamic.FinishByCall, ParallelCalls: 4})
	text := run(dynamic.Settings{Codec: native, Finish: dynamic.FinishByText, ParallelCalls: 1})
	react := run(dynamic.Settings{Codec: action.ReAct{}.String()})

	for name, c := range map[string]struct {
		sources sources
		want    string // in the error; "" is none
	}{
		"several calls in a turn":     {sources{runs: exportedRuns{calls, several}}, ""},
		"documents":                   {sources{runs: exportedRuns{calls}, imported: documents}, ""},
		"documents of another answer": {sources{runs: exportedRuns{text}, imported: documents}, ""},
		"another codec":               {sources{runs: exportedRuns{calls, react}}, "environment.codec"},
		"documents of another codec":  {sources{runs: exportedRuns{react}, imported: documents}, "environment.codec"},
		"another answer":              {sources{runs: exportedRuns{calls, text}}, "environment.finish"},
	} {
		err := c.sources.checkOneCodec()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}
