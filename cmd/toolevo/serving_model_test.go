package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"toolevo/mcts/policy/simserver"
)

// otherModel starts a server in front of another one that answers for another model, with other
// texts, from a completion on.
func otherModel(t *testing.T, s http.Handler, from int64) (url string, answered *atomic.Int64) {
	t.Helper()

	answered = &atomic.Int64{}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		good := httptest.NewRecorder()
		s.ServeHTTP(good, r)

		body := good.Body.Bytes()
		if isCompletion(r.URL.Path) && answered.Add(1) > from {
			body = bytes.ReplaceAll(body, []byte(`"model":"sim"`), []byte(`"model":"other"`))
			body = bytes.ReplaceAll(body, []byte("Thought:"), []byte("Thought: SPOILED"))
		}

		w.WriteHeader(good.Code)
		w.Write(body)
	}))
	t.Cleanup(front.Close)
	return front.URL, answered
}

// isCompletion reports whether a path is one of requests for completions.
func isCompletion(path string) bool {
	return strings.HasSuffix(path, "/completions") || path == "/api/generate"
}

// TestAnotherModel serves another model under the name of the one asked for. At the start that is
// said; in the middle of a run the server is set aside, and the other one makes the trajectories
// that it makes alone.
func TestAnotherModel(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), t.TempDir()

	speaks := map[string]simserver.Kind{kindOpenAI: simserver.VLLM, kindOllama: simserver.Ollama}
	for _, kind := range []string{kindOpenAI, kindOllama} {
		s := serve(t, simserver.Options{Kind: speaks[kind], Slots: 16})
		args := []string{
			"collect", "--data", data, "--policy", kind + ":sim", "--limit", "2", "--trees", "1", "--preset", "paper",
			"--set", "search.simulations=2", "--set", "server.window=32768",
			"--run-id", "model", "--engine", "unsafe",
		}
		calm := filepath.Join(dir, kind+"-calm")
		undisturbed(t, append(slices.Clip(args), "--server", calmServer(t, kind), "--out", calm)...)

		wrong, _ := otherModel(t, s, 0)
		out := filepath.Join(dir, kind+"-wrong")
		fails(t, exitGaveUp, []string{`"other"`, "server.names"},
			append(slices.Clip(args), "--server", s.URL()+","+wrong, "--out", out)...)

		if left := files(t, out); len(left) > 0 {
			t.Errorf("it left %v", left)
		}

		// Which server a question goes to first depends on their addresses: one in sixteen is never
		// asked.
		asked := false
		for try := 0; !asked && try < 20; try++ {
			changing, answered := otherModel(t, s, 3)
			run := filepath.Join(dir, fmt.Sprint(kind, "-run-", try))
			must(t, append(slices.Clip(args), "--server", s.URL()+","+changing, "--out", run)...)

			if !bytes.Equal(read(t, filepath.Join(calm, rowsFile)), read(t, filepath.Join(run, rowsFile))) {
				t.Errorf("%s: the trajectories differ", kind)
			}

			asked = answered.Load() > 3
			if c := counted(t, run, kind+":sim"); asked && c.Faults["another model"] == 0 {
				t.Errorf("%s: %d answers of the server that changes, faults %v", kind, answered.Load(), c.Faults)
			}
		}

		if !asked {
			t.Errorf("%s: no question was asked of a server that changes", kind)
		}
	}
}

// TestServerLosesItsVoice serves texts for a while, and then nothing, without counts of tokens:
// none of it is taken for the model's silence, and a good server makes the rest.
func TestServerLosesItsVoice(t *testing.T) {
	t.Parallel()

	silence := slices.IndexFunc(spoilingModes(), func(m mode) bool { return m.name == "silence" })

	for _, kind := range []string{kindOpenAI, kindOllama} {
		s, args := campaignServer(t, kind)
		dir := t.TempDir()
		calm, run := filepath.Join(dir, "calm"), filepath.Join(dir, "run")
		undisturbed(t, append(slices.Clip(args), "--server", calmServer(t, kind), "--out", calm)...)

		m := spoilingModes()[silence]
		_, url := spoilServer(t, s, kind, func(asked int, _ []byte) *mode {
			if asked <= 20 {
				return nil
			}
			return &m
		})
		fails(t, exitGaveUp, []string{"has not given a reply of use since", "--resume"},
			append(slices.Clip(args), "--server", url, "--patience", "1s", "--out", run)...)

		if c := counted(t, run, kind+":sim"); c.Silent > 0 || c.Answered == 0 {
			t.Errorf("%s: %+v", kind, c.Counts)
		}

		must(t, append(slices.Clip(args), "--server", s.URL(), "--out", run, "--resume")...)

		if !bytes.Equal(read(t, filepath.Join(calm, rowsFile)), read(t, filepath.Join(run, rowsFile))) {
			t.Errorf("%s: the trajectories differ", kind)
		}
	}
}
