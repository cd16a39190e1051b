package inspectlog_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
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

// An episode of no row is not left out silently.
func TestEpisodeOfNoRow(t *testing.T) {
	e := evaluation()
	e.Report.Rows = e.Report.Rows[1:]

	if _, _, err := inspectlog.Write(t.Context(), t.TempDir(), e, played); err == nil ||
		!strings.Contains(err.Error(), "in no row of the report") {
		t.Errorf("error %v", err)
	}
}
