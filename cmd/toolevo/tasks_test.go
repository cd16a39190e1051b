package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	stategensuite "toolevo/cmd/internal/suites/stategen"
	"toolevo/envs/stategen/taskfile"
)

// generatedTasks is a data folder with eight tasks of the session and voice domains in the split
// test.
func generatedTasks(t *testing.T) string {
	t.Helper()

	data := t.TempDir()
	must(t, "tasks", "generate", "--data", data, "--domain", "session,voice", "--n", "8", "--split", "test",
		"--progress", "none")
	return data
}

// A sample, written as rows and read back, is the same bytes; what people rejected is not in it.
func TestTasksSampleAndRows(t *testing.T) {
	t.Parallel()

	data, dir := generatedTasks(t), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }

	rejected := "session-1-00000 # silly\n\nvoice-1-00001\n"
	if err := os.WriteFile(in("rejected.txt"), []byte(rejected), 0o600); err != nil {
		t.Fatal(err)
	}

	sampled := document[stategensuite.SampledTasks](t, must(t, "tasks", "sample",
		"--data", data, "--n", "5", "--reject",
		in("rejected.txt"), "--out", in("sample"), "--json"))
	if len(sampled.Domains) != 2 || sampled.Domains[0].Rejected != 1 || sampled.Domains[1].Chosen != 5 {
		t.Errorf("sampled %+v", sampled)
	}

	write(t, filepath.Join(in("rows"), "voice.jsonl"), "rows of an earlier export")
	exported := document[stategensuite.ExportedTasks](t, must(t, "tasks", "export",
		"--data", in("sample"), "--out", in("rows"),
		"--json"))
	if len(exported.Files) != 2 || exported.Files[0].Rows != 5 {
		t.Errorf("exported %+v", exported)
	}

	if left := files(t, in("rows")); len(left) != 2 {
		t.Errorf("the folder holds %v", left)
	}

	importing := []string{
		"tasks", "import", exported.Files[0].Path, exported.Files[1].Path, "--data", in("copy"), "--json",
	}

	imported := document[stategensuite.ImportedRows](t, must(t, importing...))
	if imported.Added != 10 || len(imported.Rows) != 10 || imported.Rows[0].Domain != "session" {
		t.Errorf("imported %+v", imported)
	}

	if again := document[stategensuite.ImportedRows](t, must(t, importing...)); again.Added != 0 || again.Known != 10 {
		t.Errorf("imported again: %+v", again)
	}

	want, got := read(t, sampled.Path), read(t, taskfile.Path(in("copy"), "test"))
	if !bytes.Equal(want, got) || bytes.Contains(want, []byte("session-1-00000")) {
		t.Error("the copy is another one than the sample, or what was rejected is in it")
	}

	says(t, "tasks verify", must(t, "tasks", "verify", "--data", in("copy"), "--mutants", "0"), "0 problems")

	// A row whose result was changed is no task of ours any more, and nothing of the file is added.
	rows := string(read(t, exported.Files[0].Path))
	rows = strings.Replace(rows, `\"cases\":[{\"path\":\"`, `\"cases\":[{\"path\":\"x`, 1)

	if err := os.WriteFile(in("changed.jsonl"), []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}

	fails(t, exitUsage, []string{"changed.jsonl", "the row was changed"}, "tasks", "import", in("changed.jsonl"),
		"--data", in("other"))
	fails(t, exitUsage, []string{"8 tasks", "generate more"}, "tasks", "sample", "--data", data, "--n", "9", "--out",
		in("more"))
	fails(t, exitUsage, []string{"toolevo tasks generate"}, "tasks", "export", "--data", dir, "--out", in("none"))
}

// authors answers every request with two programs, one of which is none.
type authors struct{ asked atomic.Int64 }

func (a *authors) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r)
		return
	}

	a.asked.Add(1)

	program := "```python\na = text_to_speech(text='x')\nisolate_audio(input_speech=a)\n```\n```python\ndef (\n```\n"
	_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{
		"message": map[string]any{"role": "assistant", "content": program}, "finish_reason": "stop",
	}}})
}

// Generators are compared with a model that writes programs by itself, which is asked once whatever
// is asked again.
func TestTasksMeasure(t *testing.T) {
	t.Parallel()

	a := &authors{}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)

	data, out := generatedTasks(t), filepath.Join(t.TempDir(), "figures")
	args := []string{"tasks", "measure", "--data", data, "--domain", "voice", "--programs", "4", "--runs", "2", "--out",
		out, "--model", "openai:m", "--server", server.URL + "/v1", "--progress", "none", "--tokenizer",
		filepath.FromSlash("../../trajectories/internal/bpe/testdata/llama3.json")}

	text := must(t, append(args, "--json")...)
	made := document[stategensuite.MeasuredTasks](t, text)

	if len(made.Complexity) != 2 || made.Complexity[0].N != 8 || made.Complexity[0].Code == nil {
		t.Errorf("complexity: %+v", made.Complexity)
	}

	if len(made.Coverage) != 4 || made.Coverage[0].Source != "argmax" || len(made.Coverage[0].ATC) != 4 {
		t.Fatalf("coverage: %+v", made.Coverage)
	}

	// Two of four programs are none, and the others have the same pair of calls: one of 36.
	model := made.Coverage[3]
	if model.Source != "openai:m" || model.Unread != 2 || model.ATC[3] != 1.0/36 {
		t.Errorf("the model: %+v", model)
	}

	for _, path := range made.Files {
		if !exists(path) {
			t.Errorf("%s is not there", path)
		}
	}

	asked := a.asked.Load()
	if again := must(t, append(args, "--json")...); again != text || a.asked.Load() != asked {
		t.Errorf("measured again: %d more requests, the same: %t", a.asked.Load()-asked, again == text)
	}

	fits(t, must(t, args...))

	fails(t, exitUsage, []string{"--programs: it is -1"}, "tasks", "measure", "--programs", "-1")
	fails(t, exitUsage, []string{"sessions", "session"}, "tasks", "measure", "--domain", "sessions")
	fails(t, exitUsage, []string{"toolevo tasks generate"}, "tasks", "measure", "--data", t.TempDir())
}
