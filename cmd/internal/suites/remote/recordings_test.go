package remote

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/pytext"
	"toolevo/envs/remote/bench"
)

// What another program recorded as the format has it is a run: the first user's words, each call,
// and the text of the last step.
func TestDocumentsOfOthers(t *testing.T) {
	t.Parallel()

	found, err := Recordings("testdata/trial-7")
	if err != nil || len(found.Left) > 0 || len(found.Runs) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}

	run := found.Runs[0]

	var calls []string
	for _, c := range run.Calls {
		calls = append(calls, c.Name+pytext.JSON(c.Args))
	}

	want := []string{`mcp__library__find_books{"author": "Austen"}`, `mcp__library__lend_book{"book": 2, "reader": "Ada"}`}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Error(diff)
	}

	run.Calls = nil
	if diff := cmp.Diff(bench.Recorded{
		From: "testdata/trial-7/agent/trajectory.json", ID: "trial-7", Answer: "0",
		Question: "Lend Emma, the book 2, to Ada.\nHow many copies of it are left?",
	}, run); diff != "" {
		t.Error(diff)
	}
}

// A document that says too little is left out by its name and the reason, and the others are read.
func TestDocumentsThatAreNoRun(t *testing.T) {
	t.Parallel()

	good, err := os.ReadFile("testdata/trial-7/agent/trajectory.json")
	bad, failed := os.ReadFile("testdata/left.jsonl")

	if err != nil || failed != nil {
		t.Fatal(err, failed)
	}

	line, err := pytext.DecodeStrict(string(good))
	if err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(t.TempDir(), "runs.jsonl")
	if err := os.WriteFile(path, append(bad, pytext.JSON(line)+"\n"...), 0o600); err != nil {
		t.Fatal(err)
	}

	found, err := Recordings(path)
	if err != nil || len(found.Runs) != 1 || found.Runs[0].ID != "runs-4" {
		t.Fatalf("%+v, %v", found, err)
	}

	want := []bench.LeftTask{
		{From: path + ", line 1", Why: "it has no final answer"},
		{From: path + ", line 2", Why: "step 2: it has no result, and the agent goes on"},
		{From: path + ", line 3", Why: "its final answer was found wrong"},
	}

	if diff := cmp.Diff(want, found.Left); diff != "" {
		t.Error(diff)
	}
}

// Of a file with a damaged document nothing is taken, as of a damaged file of tasks.
func TestDamagedDocuments(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "runs.json")
	if err := os.WriteFile(path, []byte(`{"schema_version": "ATIF-v0.9", "steps": []}`), 0o600); err != nil {
		t.Fatal(err)
	}

	if _, err := Recordings(path); err == nil || !strings.Contains(err.Error(), "want one of ATIF-v1.0") {
		t.Errorf("a version that nobody knows: %v", err)
	}
}

// Files of tasks are left to who reads these.
func TestOtherFiles(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "tasks.jsonl")
	for _, text := range []string{`{"id": "a", "question": "?", "answer": "1"}`, "question,answer\n", ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}

		if found, err := Recordings(path); found != nil || err != nil {
			t.Errorf("%q: %+v, %v", text, found, err)
		}
	}

	if _, err := Recordings(path + ".gone"); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}
