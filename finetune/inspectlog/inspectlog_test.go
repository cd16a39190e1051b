package inspectlog_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/finetune"
	"toolevo/finetune/inspectlog"
	"toolevo/trajectories"
)

var update = flag.Bool("update", false, "write the golden file anew")

// episode is one of a question with a malformed action, a deprecated call and an answer.
func episode(id string) trajectories.Episode {
	turn := func(thought, api, input, observation string, outcome envs.Outcome) trajectories.Turn {
		return trajectories.Turn{
			Action:  "Thought: " + thought + "\nAction: " + api + "\nAction Input: " + input,
			Thought: thought, Tool: api, API: api, Observation: observation, Outcome: outcome,
		}
	}
	e := trajectories.Episode{Status: "terminated", Tokens: 42, Row: trajectories.Row{
		RunID: "run", Policy: "scripted:noisy", PromptAPI: "p_c", DeployedAPI: "p_s_in", Software: "1.0",
		QuestionID: id, Question: "How many bags?", Gold: "3", Answer: "3", Official: true,
		Labels: map[string]string{envs.LabelDataset: "coffee", envs.LabelDifficulty: "easy"},
		Turns: []trajectories.Turn{
			turn("I load.", "LoadDB", "{coffee", "Error: no Action Input.", envs.Malformed),
			turn("I load.", "LoadDB", `{"DBName": "coffee"}`, "Error: LoadDB is deprecated.", envs.Deprecated),
			turn("I know.", "Finish", `{"answer": "3"}`, "Answer is CORRECT", envs.Correct),
		},
	}}
	e.Sum()

	return e
}

func evaluation() *inspectlog.Evaluation {
	cell := finetune.Cell{Policy: "scripted:noisy", API: "p_s_in", Dataset: "coffee", Difficulty: "easy"}
	other := cell
	other.API = "p_c"
	return &inspectlog.Evaluation{
		RunID: "run", Software: "1.0", Began: time.Date(2026, 11, 24, 13, 0, 0, 0, time.UTC), Suite: "toolqa",
		MaxTurns: 3, API: func(deployed string) string { return deployed },
		Report: &finetune.Report{TaskSet: "tasks", Feedback: "deprecation", Rows: []finetune.Row{
			{Cell: cell, N: 2, Lost: 1, Official: 0.5, OfficialLow: 0.1, OfficialHigh: 0.9},
			{Cell: other},
		}},
		Shown: func(*trajectories.Row) (trajectories.Shown, error) {
			return trajectories.Shown{Suite: "toolqa", System: "The tools are: LoadDB[DBName]"}, nil
		},
	}
}

// played is an answered, a truncated, and a lost episode of one row.
func played(yield func(trajectories.Episode, error) bool) {
	cut := episode("q2")
	cut.Turns = cut.Turns[:1]
	cut.Status, cut.Limit, cut.Official, cut.Answer = "truncated", "depth", false, ""

	lost := episode("q3")
	lost.Status, lost.Lost, lost.Turns = "", "the server is down", nil

	for _, e := range []trajectories.Episode{episode("q1"), cut, lost} {
		if !yield(e, nil) {
			return
		}
	}
}

// unpacked are the files of the logs in a folder, by their names and those of the logs' beginnings.
func unpacked(t *testing.T, dir string) map[string][]byte {
	t.Helper()

	all := map[string][]byte{}

	logs, err := filepath.Glob(filepath.Join(dir, "*.eval"))
	if err != nil || len(logs) != 2 {
		t.Fatalf("logs %v, error %v", logs, err)
	}

	for _, log := range logs {
		r, err := zip.OpenReader(log)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()

		for _, f := range r.File {
			in, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}

			text, err := io.ReadAll(in)
			if err != nil {
				t.Fatal(err)
			}

			name, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(log), "2026-11-24T13-00-00+00-00_"), "_")
			all[name+": "+f.Name] = text
		}
	}
	return all
}

func TestGolden(t *testing.T) {
	dir := t.TempDir()

	n, lost, err := inspectlog.Write(t.Context(), dir, evaluation(), played)
	if err != nil || n != 3 || lost != 1 {
		t.Fatalf("%d episodes, %d lost, error %v", n, lost, err)
	}

	var got bytes.Buffer

	files := unpacked(t, dir)
	for _, name := range []string{
		"toolqa-coffee-easy-p-s-in-scripted-noisy: samples/q1_epoch_1.json",
		"toolqa-coffee-easy-p-s-in-scripted-noisy: samples/q2_epoch_1.json",
		"toolqa-coffee-easy-p-s-in-scripted-noisy: samples/q3_epoch_1.json",
		"toolqa-coffee-easy-p-s-in-scripted-noisy: summaries.json",
		"toolqa-coffee-easy-p-s-in-scripted-noisy: header.json",
		"toolqa-coffee-easy-p-c-scripted-noisy: summaries.json",
	} {
		got.WriteString("== " + name + "\n")

		if err := json.Indent(&got, files[name], "", " "); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}

	path := filepath.Join("testdata", "logs.txt")
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The same evaluation gives the same bytes.
func TestSameBytes(t *testing.T) {
	var dirs [2]string
	for i := range dirs {
		dirs[i] = t.TempDir()
		if _, _, err := inspectlog.Write(t.Context(), dirs[i], evaluation(), played); err != nil {
			t.Fatal(err)
		}
	}

	logs, err := os.ReadDir(dirs[0])
	if err != nil {
		t.Fatal(err)
	}

	for _, log := range logs {
		a, err := os.ReadFile(filepath.Join(dirs[0], log.Name()))
		if err != nil {
			t.Fatal(err)
		}

		if b, err := os.ReadFile(filepath.Join(dirs[1], log.Name())); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs, error %v", log.Name(), err)
		}
	}
}

// Of several calls in a turn each has its own result. Only the one that failed has an error, and
// none that was not run.
func TestResultsOfATurn(t *testing.T) {
	codec := action.Tools{Most: 3}
	calls := []action.ToolCall{
		{Name: "LoadDB", Arguments: `{"DBName": "coffee"}`},
		{Name: "FilterDB", Arguments: `{"condition": "Date=1"}`},
		{Name: "GetValue", Arguments: `{"column_name": "Open"}`},
	}

	var all []trajectories.Episode

	for id, turn := range map[string]trajectories.Turn{
		"failed": {Tool: "FilterDB", API: "FilterDB", Outcome: envs.ToolError,
			Observation: action.JoinResults([]string{"loaded", "no such date", action.NotRun})},
		"well": {Tool: "GetValue", API: "GetValue", Outcome: envs.OK,
			Observation: action.JoinResults([]string{"loaded", "filtered", "7"})},
	} {
		e := episode(id)
		turn.Action = action.Message{Calls: calls}.Text()
		turn.Key = action.Key(codec, turn.Action)
		e.Turns = []trajectories.Turn{turn}
		e.Sum()
		all = append(all, e)
	}

	e, dir := evaluation(), t.TempDir()
	e.Shown = func(*trajectories.Row) (trajectories.Shown, error) {
		return trajectories.Shown{Suite: "toolqa", System: "You call tools.", Codec: codec}, nil
	}

	_, _, err := inspectlog.Write(t.Context(), dir, e,
		func(yield func(trajectories.Episode, error) bool) {
			_ = yield(all[0], nil) && yield(all[1], nil)
		})
	if err != nil {
		t.Fatal(err)
	}

	const log = "toolqa-coffee-easy-p-s-in-scripted-noisy: samples/"
	files := unpacked(t, dir)

	for id, want := range map[string][]string{
		"failed": {
			`LoadDB {"DBName":"coffee"}: loaded, ok`,
			`FilterDB {"condition":"Date=1"}: no such date, tool-error, an error`,
			`GetValue {"column_name":"Open"}: ` + action.NotRun + `, `,
		},
		"well": {
			`LoadDB {"DBName":"coffee"}: loaded, ok`,
			`FilterDB {"condition":"Date=1"}: filtered, ok`,
			`GetValue {"column_name":"Open"}: 7, ok`,
		},
	} {
		var sample struct {
			Messages []struct {
				Role       string         `json:"role"`
				Content    any            `json:"content"`
				ToolCallID string         `json:"tool_call_id"`
				Function   string         `json:"function"`
				Error      map[string]any `json:"error"`
				Metadata   struct {
					Outcome string `json:"outcome"`
				} `json:"metadata"`
			} `json:"messages"`
			Events []struct {
				Event     string          `json:"event"`
				ID        string          `json:"id"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"events"`
		}

		if err := json.Unmarshal(files[log+id+"_epoch_1.json"], &sample); err != nil {
			t.Fatalf("%s: %v", id, err)
		}

		arguments := map[string]string{}
		for _, e := range sample.Events {
			if e.Event == "tool" {
				var compact bytes.Buffer
				_ = json.Compact(&compact, e.Arguments)
				arguments[e.ID] = compact.String()
			}
		}

		var got []string
		for _, m := range sample.Messages {
			if m.Role != "tool" {
				continue
			}

			line := fmt.Sprintf("%s %s: %v, %s", m.Function, arguments[m.ToolCallID], m.Content,
				m.Metadata.Outcome)
			if m.Error != nil {
				line += ", an error"
			}

			got = append(got, line)
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", id, diff)
		}
	}
}

// An episode of no row is not left out silently.
func TestEpisodeOfNoRow(t *testing.T) {
	e := evaluation()
	e.Report.Rows = e.Report.Rows[1:]

	if _, _, err := inspectlog.Write(t.Context(), t.TempDir(), e, played); err == nil ||
		!strings.Contains(err.Error(), "in no row of the report") {
		t.Errorf("error %v", err)
	}
}
