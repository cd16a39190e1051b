package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// chatter is a server of the model sim, which talks and never writes an action.
func chatter(t *testing.T) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			N    int
			Seed uint64
		}

		if !strings.HasSuffix(r.URL.Path, "/completions") {
			io.WriteString(w, `{"object":"list","data":[{"id":"sim"}]}`)
			return
		}

		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}

		choices := make([]string, max(q.N, 1))
		for i := range choices {
			choices[i] = fmt.Sprintf(`{"index":%d,"text":"I would look into table %d of the shop.","finish_reason":"stop",
				"logprobs":{"tokens":["x"],"token_logprobs":[-1]}}`, i, q.Seed+uint64(i))
		}

		fmt.Fprintf(w, `{"model":"sim","choices":[%s]}`, strings.Join(choices, ","))
	}))
	t.Cleanup(s.Close)
	return s
}

// A collection from a model that writes no action ends with two of its texts, what may be the
// cause, and the command that goes on, which does.
func TestModelThatWritesNoAction(t *testing.T) {
	t.Parallel()

	run := filepath.Join(t.TempDir(), "run")
	args := []string{"collect", "--data", smallData(t), "--policy", "openai:sim", "--server", chatter(t).URL, "--limit",
		"2", "--set", "search.max_depth=2", "--progress", "none", "--out", run}

	r := cli(t, args...)
	if r.code != exitBad {
		t.Fatalf("exit %d, want %d\n%s", r.code, exitBad, r.err)
	}

	says(t, "collect", r.err, "no action can be read from any of the 36 first turns that openai:sim wrote",
		"I would look into table", "environment.codec", "server.form", "toolevo doctor",
		"collect --resume --out "+run, "--ignore-unreadable")

	r = cli(t, append(args, "--resume", "--ignore-unreadable")...)
	if r.code != exitDone {
		t.Fatalf("told to go on: exit %d\n%s", r.code, r.err)
	}

	says(t, "collect", r.out, "100% unreadable", "0 correct trajectories")
}

// An evaluation of such a model is a result, with a warning.
func TestEvaluationWithoutAnAction(t *testing.T) {
	t.Parallel()

	r := cli(t, "eval", "--data", smallData(t), "--policy", "openai:sim", "--server", chatter(t).URL, "--limit", "1",
		"--api", "p_c", "--set", "eval.max_turns=2", "--progress", "none", "--out", filepath.Join(t.TempDir(), "run"))
	if r.code != exitDone {
		t.Fatalf("exit %d\n%s", r.code, r.err)
	}

	says(t, "eval", r.err, "no action can be read from the first turn of any episode", "toolevo doctor")
}
