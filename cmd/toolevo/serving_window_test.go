package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"toolevo/finetune"
)

// An Ollama server whose every reply says that the prompt filled the window answered no question: none of them is wrong,
// all are lost.
func TestWindowAlwaysFull(t *testing.T) {
	t.Parallel()
	const window = 2048 // less than the bytes of a prompt, so that the count could be true
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/version":
			io.WriteString(w, `{"version":"0.17.4"}`)
		case "/api/tags":
			io.WriteString(w, `{"models":[{"name":"sim:latest"}]}`)
		default:
			fmt.Fprintf(w, `{"model":"sim","response":"Thought: x","done":true,"done_reason":"stop","eval_count":3,"prompt_eval_count":%d,
				"logprobs":[{"token":"a","logprob":-1},{"token":"b","logprob":-1},{"token":"c","logprob":-1}]}`, window)
		}
	}))
	defer s.Close()

	r := cli(t, "eval", "--data", smallData(t), "--split", "train", "--api", "p_c", "--policy", "ollama:sim", "--server", s.URL,
		"--set", fmt.Sprint("server.window=", window), "--limit", "2", "--json", "--progress", "none", "--out", filepath.Join(t.TempDir(), "eval"))
	if r.code == exitDone {
		t.Errorf("exit %d", r.code)
	}
	for _, row := range document[finetune.Report](t, r.out).Rows {
		if row.Lost == 0 || row.N != 0 || row.TooLong != 0 {
			t.Errorf("%+v", row)
		}
	}
	says(t, "eval", r.err, "first prompt of the question does not fit")
}
