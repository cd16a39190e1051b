package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	toolevo "toolevo/cmd/internal/app"
)

// namingServer is a server whose model names what it is asked for, and breaks one rule at first.
func namingServer(t *testing.T) *httptest.Server {
	t.Helper()

	broken := false
	s := httptest.NewServer(http.HandlerFunc(func(reply http.ResponseWriter, r *http.Request) {
		var asked struct {
			Messages []struct{ Role, Content string } `json:"messages"`
		}

		if !strings.HasSuffix(r.URL.Path, "/chat/completions") || json.NewDecoder(r.Body).Decode(&asked) != nil {
			http.NotFound(reply, r)
			return
		}

		var tools []struct {
			Name       string
			Parameters []string
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

		if err := json.NewEncoder(reply).Encode(map[string]any{
			"object": "chat.completion", "model": "m", "choices": []any{map[string]any{
				"index": 0, "finish_reason": "stop",
				"message": map[string]string{"role": "assistant", "content": "```json\n" + string(text) + "\n```"},
			}},
		}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)

	return s
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
