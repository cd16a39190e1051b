package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/finetune"
)

// rewriter is a server whose model says every request in other words, and how often it was asked.
func rewriter(t *testing.T, reword func(request string) string) (url string, asked *atomic.Int64) {
	t.Helper()

	asked = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.NotFound(w, r)
			return
		}

		var sent struct {
			Messages []struct{ Role, Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil || len(sent.Messages) != 2 {
			t.Errorf("%v: %+v", err, sent)
		}

		asked.Add(1)

		text, err := json.Marshal(reword(sent.Messages[1].Content))
		if err != nil {
			t.Error(err)
		}

		fmt.Fprintf(w, `{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%s},`+
			`"finish_reason":"stop"}]}`, text)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1", asked
}

// A model is asked once about each question that is chosen; later runs, and what looks at them,
// need it no more.
func TestParaphraseByModel(t *testing.T) {
	t.Parallel()

	data := filepath.Join(t.TempDir(), "data")
	must(t, "toolbench", "import", inventedQueries, "--data", data)

	url, asked := rewriter(t, func(request string) string {
		if strings.Contains(request, "parcel") {
			return "I have no idea."
		}

		question, _, _ := strings.Cut(request, "\n\nThese parts")
		return "<think>\nThe values stay. Once more: " + question + "\n</think>\n\nWell then. " + question
	})

	evaluate := func(out string, more ...string) []string {
		return append([]string{"eval", "--data", data, "--set", "suite=toolbench", "--policy", "scripted:reader",
			"--perturb", "paraphrase", "--set", "paraphraser=openai:m", "--api", "p_c", "--progress", "none",
			"--out", out}, more...)
	}

	first, second := filepath.Join(data, "first"), filepath.Join(data, "second")

	fails(t, exitUsage, []string{"paraphrase G", "not asked for yet", "a run asks for paraphrases"},
		evaluate(first, "--dry-run")...)

	r := cli(t, evaluate(first, "--server", url, "--json")...)
	if r.code != exitDone {
		t.Fatalf("exit %d: %s", r.code, r.err)
	}

	says(t, "eval", r.err, "of 8 questions keep their text: no paraphrase of openai:m will do")

	n := 0
	for _, row := range document[finetune.Report](t, r.out).Rows {
		if n += row.N; row.Official != 1 {
			t.Errorf("%s: accuracy %v", row.Cell, row.Official)
		}
	}

	once := asked.Load()
	if once < 8 || n != 8 {
		t.Errorf("asked %d times about %d questions", once, n)
	}

	must(t, evaluate(second)...)
	says(t, "check", must(t, "check", second), "0 problems")
	says(t, "inspect", must(t, "inspect", second, "G2_category-110"), "Well then. ")

	if text := string(read(t, filepath.Join(data, toolevo.ParaphrasesFile))); strings.Contains(text, "think") {
		t.Errorf("a thought is part of a question:\n%s", text)
	}

	if asked.Load() != once {
		t.Errorf("asked again: %d times", asked.Load()-once)
	}

	fails(t, exitUsage, []string{"paraphraser", "scripted:reader writes no texts"},
		evaluate(filepath.Join(data, "third"), "--set", "paraphraser=scripted:reader")...)
}
