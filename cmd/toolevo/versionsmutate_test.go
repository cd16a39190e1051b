package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/finetune"
)

// namingServer is a server whose model names what it is asked for, and breaks one rule at first.
func namingServer(t *testing.T) *httptest.Server {
	t.Helper()

	broken := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Messages []struct{ Role, Content string } `json:"messages"`
		}

		if !strings.HasSuffix(r.URL.Path, "/chat/completions") || json.NewDecoder(r.Body).Decode(&asked) != nil {
			http.NotFound(w, r)
			return
		}

		var tools []struct {
			Name       string
			Parameters []string
		}

		if reply := changing(asked.Messages[0].Content); reply != "" {
			completes(t, w, reply)
			return
		}

		request := asked.Messages[len(asked.Messages)-1].Content
		if err := json.NewDecoder(strings.NewReader(request)).Decode(&tools); err != nil {
			t.Error(err)
		}

		answer := map[string]any{}
		for _, tool := range tools {
			parameters := map[string]string{}
			for _, p := range tool.Parameters {
				parameters[p] = "newly_" + p
			}

			answer[tool.Name] = map[string]any{"name": "newly@" + tool.Name, "parameters": parameters}
		}

		if !broken {
			broken = true
			answer["LoadDB"] = map[string]any{
				"name": "FilterDB", "parameters": map[string]string{"DBName": "newlyNamed"},
			}
		}

		text, err := json.Marshal(answer)
		if err != nil {
			t.Error(err)
		}

		completes(t, w, "```json\n"+string(text)+"\n```")
	}))
	t.Cleanup(s.Close)
	return s
}

// completes writes a completion.
func completes(t *testing.T, w http.ResponseWriter, text string) {
	t.Helper()

	if err := json.NewEncoder(w).Encode(map[string]any{
		"object": "chat.completion", "model": "m", "choices": []any{map[string]any{
			"index": 0, "finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": text},
		}},
	}); err != nil {
		t.Error(err)
	}
}

// changing is what a model chooses of parameters and answers by these instructions, "" where they
// are about neither.
func changing(instructions string) string {
	switch {
	case strings.Contains(instructions, "nest-parameters"):
		return `{"LoadDB": [{"change": "add-flag", "as": "loadNow"}, {"change": "nest-parameters", "of": ["DBName"],
			"as": "database"}], "NodeCheck": [{"change": "merge-parameters", "of": ["newly_GraphName", "newly_Node"],
			"as": "nodeOfGraph"}], "EdgeCheck": []}`
	case strings.Contains(instructions, "reorder-date"):
		return `{"answers": [{"change": "reorder-date", "of": "Date"}]}`
	}

	return ""
}

// A model's version is deployed like any other.
func TestVersionsMutate(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	made, run, s := filepath.Join(dir, "made"), filepath.Join(dir, "run"), namingServer(t)

	text := must(t, "versions", "mutate", "--policy", "openai:m", "--server", s.URL+"/v1", "--out", made, "--json")

	got := document[toolevo.MutatedVersions](t, text).Made
	if len(got) != 1 || got[0].Requests != 2 || len(got[0].Refused) != 1 || len(got[0].Repaired) > 0 {
		t.Fatalf("made %+v", got)
	}

	says(t, "show", must(t, "versions", "show", got[0].Path), "newly@LoadDB[newlyNamed]", "FilterDB: newly@FilterDB[")
	must(t, "collect", "--data", smallData(t), "--policy", "scripted:reader", "--api", "file:"+made, "--limit", "2",
		"--out", run, "--progress", "none")
	says(t, "check", must(t, "check", run), "0 problems")

	fails(t, exitUsage, []string{"--policy", "writes no texts"},
		"versions", "mutate", "--policy", "scripted:reader", "--out", made)
	fails(t, exitUsage, []string{"--out is missing"}, "versions", "mutate", "--policy", "openai:m")
}

// What a model has written is kept when a later version fails, and is not asked for again.
func TestVersionsMutateGoesOn(t *testing.T) {
	t.Parallel()

	made, asked, useless := filepath.Join(t.TempDir(), "made"), 0, true
	url := inFront(t, namingServer(t).Config.Handler, func(
		w http.ResponseWriter, _ string, body []byte,
	) bool {
		if !bytes.Contains(body, []byte("reorder-date")) {
			return false
		}

		if asked++; asked == 1 || !useless {
			return false
		}

		completes(t, w, `{"answers": []}`)
		return true
	})

	args := []string{"versions", "mutate", "--data", smallData(t), "--policy", "openai:m",
		"--server", url + "/v1", "--count", "2", "--change", "answers", "--set", "limit=1",
		"--out", made}
	fails(t, exitGaveUp, []string{"nothing that the model wrote can be used", "the same command"},
		args...)

	first := filepath.Join(made, "mutated_1_000.yaml")
	text, before := read(t, first), asked
	useless = false

	r := cli(t, args...)
	says(t, "versions mutate", r.err, "collect --api 'file:"+made+"/*.yaml' --data "+smallData(t))

	if r.code != exitDone || asked != before+1 || string(read(t, first)) != string(text) {
		t.Errorf("exit %d, %d more requests\n%s", r.code, asked-before, r.err)
	}

	must(t, "versions", "validate", filepath.Join(made, "mutated_1_001.yaml"))
}

// A model may choose what becomes of parameters and answers, too: the version is played before it
// is written, and what cannot be made is told and left out.
func TestVersionsMutateChange(t *testing.T) {
	t.Parallel()

	made, s := filepath.Join(t.TempDir(), "made"), namingServer(t)
	args := []string{"versions", "mutate", "--data", smallData(t), "--policy", "openai:m", "--server", s.URL + "/v1",
		"--out", made, "--change"}

	text := must(t, append(args, "names,parameters,answers", "--json")...)

	got := document[toolevo.MutatedVersions](t, text).Made[0]
	if len(got.Repaired) != 1 || !strings.Contains(got.Repaired[0], `LoadDB, {"change": "nest-parameters"`) {
		t.Errorf("left out are %q", got.Repaired)
	}

	says(t, "show", must(t, "versions", "show", got.Path), "newly@LoadDB[newlyNamed, loadNow]", "[nodeOfGraph]",
		"Date, also in newly_condition, also in the tables of newly_SQL: dates begin with the day")

	report := document[finetune.Report](t, must(t, "eval", "--data", smallData(t), "--policy", "scripted:oracle",
		"--api", "file:"+made, "--out", filepath.Join(made, "run"), "--progress", "none", "--json"))
	for _, row := range report.Rows {
		if row.Official < 1 {
			t.Errorf("who knows the version solves %v of %s-%s", row.Official, row.Dataset, row.Difficulty)
		}
	}

	fails(t, exitUsage, []string{"--change", `unknown change "nmes", did you mean names?`}, append(args, "nmes")...)
}
