package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	toolbenchsuite "toolevo/cmd/internal/suites/toolbench"
	"toolevo/mcts/store"
)

// simulatorModel is a server of a language model that answers for APIs, and first with prose.
func simulatorModel(t *testing.T) (url string, calls *atomic.Int64) {
	t.Helper()

	calls = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.NotFound(w, r)
			return
		}

		content := "I cannot call APIs."
		if calls.Add(1) > 1 {
			content = "```\n{\"mechanism_of_the_api\": \"It looks.\", \"error\": \"\", \"response\": \"sunny\"}\n```"
		}

		reply, err := json.Marshal(map[string]any{"object": "chat.completion", "model": "mirror", "choices": []any{
			map[string]any{
				"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": content},
			},
		}})
		if err != nil {
			t.Error(err)
		}

		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(reply)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1", calls
}

// askVirtual sends a call of the invented weather API and returns the answer.
func askVirtual(t *testing.T, url, key, version string) (status int, text string) {
	t.Helper()

	body := fmt.Sprintf(`{"category": "Weather", "tool_name": "24h Weather", "api_name": "Forecast", "tool_input": `+
		`"{\"city\": \"Bern\", \"days\": 3}", "strip": "", "toolbench_key": %q, "version": %q}`, key, version)

	reply, err := http.Post(url+"/virtual", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()

	answer, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, string(answer)
}

// A hundred equal requests at the same time cost one answer of the model, which is read although
// the model spoils it; after a restart none. A request that is valid in the old version only is
// told what the feedback says.
func TestServeTools(t *testing.T) {
	t.Parallel()

	model, calls := simulatorModel(t)
	cache := filepath.Join(t.TempDir(), "answers.db")
	environ := []string{"OPENAI_BASE_URL=" + model, "TOOLBENCH_KEY=secret"}
	args := []string{"serve", "tools", "--data", smallData(t), "--split", "train", "--api", "p_c,p_s_in", "--feedback",
		"invocation", "--simulator", "openai:mirror", "--mode", "cot", "--cache", cache, "--require-key", "--json"}

	for restart := range 2 {
		s := startServing(t, environ, args...)
		url := strings.TrimSuffix(s.url, "/virtual")

		var clients sync.WaitGroup
		for range 100 {
			clients.Go(func() {
				want := `{"error": "", "response": "sunny"}`
				if status, text := askVirtual(t, url, "secret", ""); status != 200 || text != want {
					t.Errorf("a call is answered %d %s", status, text)
				}
			})
		}

		clients.Wait()

		if status, text := askVirtual(t, url, "secret", "p_s_in"); status != 200 ||
			!strings.HasPrefix(text, `{"error": "argument error: `) || strings.Contains(text, "instead") {
			t.Errorf("a call of the old version is answered %d %s", status, text)
		}

		if status, _ := askVirtual(t, url, "wrong", ""); status != http.StatusUnauthorized {
			t.Errorf("a wrong key is answered %d", status)
		}

		out, said := s.interrupt()

		var report toolbenchsuite.ServedTools
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			t.Fatalf("%v: %s\n%s", err, out, said)
		}

		simulated := int64(1 - restart)
		if n := report.Answers; n.Simulated != simulated || n.Spoilt != simulated || n.Failed != 0 ||
			n.Simulated+n.Replayed > 100 || report.Requests["ok"] != 100 || report.Requests["refused"] != 1 {
			t.Errorf("it reports %+v", report)
		}
	}

	if calls.Load() != 2 {
		t.Errorf("the model is asked %d times, want twice", calls.Load())
	}
}

// A call that is being answered at Ctrl-C gets its answer.
func TestServeToolsEnds(t *testing.T) {
	t.Parallel()

	asked, interrupted := make(chan struct{}), make(chan struct{})
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.NotFound(w, r)
			return
		}

		close(asked)
		<-interrupted

		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"object": "chat.completion", "model": "mirror", "choices": [{"index": 0, "message": `+
			`{"role": "assistant", "content": "{\"response\": \"late\"}"}, "finish_reason": "stop"}]}`)
	}))
	defer model.Close()

	s := startServing(t, []string{"OPENAI_BASE_URL=" + model.URL + "/v1"}, "serve", "tools", "--data", smallData(t),
		"--split", "train", "--simulator", "openai:mirror")

	var client sync.WaitGroup
	client.Go(func() {
		if status, text := askVirtual(t, s.url, "", ""); status != 200 || !strings.Contains(text, "late") {
			t.Errorf("the call is answered %d %s", status, text)
		}
	})

	<-asked

	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}

	for said := ""; !strings.Contains(said, "Interrupted"); {
		var err error
		if said, err = s.words.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}

	close(interrupted)
	client.Wait()

	if _, err := io.ReadAll(s.words); err != nil {
		t.Fatal(err)
	}

	if err := s.cmd.Wait(); err != nil || !strings.Contains(s.out.String(), "1 by a model") {
		t.Errorf("it ends with %v and reports %s", err, s.out.String())
	}
}

// A client of MCP starts the program, and has the functions of a question under a version.
func TestServeToolsOverStdio(t *testing.T) {
	t.Parallel()

	cmd := program(t, "serve", "tools", "--data", smallData(t), "--split", "train", "--api", "p_s_in", "--question",
		"G1_instruction-11", "--stdio")

	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}

	tools, err := client.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) == 0 {
		t.Fatalf("the tools are %v (%v)", tools, err)
	}

	for _, tool := range tools.Tools {
		if strings.HasPrefix(tool.Name, "forecast_for") {
			t.Errorf("%s is a name of the old version", tool.Name)
		}
	}

	old, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tools.Tools[0].Name, Arguments: map[string]any{
		"nonsense": true,
	}})
	if err != nil || !old.IsError {
		t.Errorf("a call that does not fit is answered %+v (%v)", old, err)
	}

	if err := client.Close(); err != nil {
		t.Error(err)
	}
}

func TestServeToolsRefuses(t *testing.T) {
	t.Parallel()

	for want, args := range map[string][]string{
		"run `toolevo toolbench import": {"--split", "dev"},
		"TOOLBENCH_KEY is not set":      {"--split", "train", "--require-key"},
		"want at least 1":               {"--split", "train", "--max-calls", "0"},
		"unknown API version":           {"--split", "train", "--api", "p_x"},
		"did you mean cot":              {"--split", "train", "--mode", "cott"},
		"want scripted, none, openai":   {"--split", "train", "--simulator", "mirror"},
		"is not a URL":                  {"--split", "train", "--real", "localhost:8080"},
		"cannot be served":              {"--split", "train", "--set", "suite=toolqa"},
		"unknown policy":                {"--split", "train", "--simulator", "vllm:mirror"},
		"damaged":                       {"--split", "train", "--cache", "serve_test.go"},
	} {
		r := cli(t, append([]string{"serve", "tools", "--data", smallData(t), "--listen", "127.0.0.1:0"}, args...)...)
		if r.code == 0 || !strings.Contains(r.err, want) {
			t.Errorf("%v: exit %d, %s\nwant %q", args, r.code, r.err, want)
		}
	}
}

// A run whose APIs a language model stands in for remembers what it said, and names it: the run is
// checked without it.
func TestModelStandsInForAPIs(t *testing.T) {
	t.Parallel()

	model, calls := simulatorModel(t)
	run := filepath.Join(t.TempDir(), "run")
	environ := []string{"OPENAI_BASE_URL=" + model}

	r := cliWith(t, "", environ, ofToolBench(t, "collect", "--policy", "scripted:reader", "--out", run, "--set",
		"toolbench.simulator=openai:mirror", "--set", "toolbench.mode=cot", "--limit", "2")...)
	if r.code != 0 || calls.Load() == 0 {
		t.Fatalf("exit %d after %d calls of the model: %s", r.code, calls.Load(), r.err)
	}

	m, err := store.ReadManifest(run)
	if err != nil || !strings.HasPrefix(m.Inputs["simulator"], "cot openai:mirror ") {
		t.Errorf("the run was made from %v (%v)", m.Inputs, err)
	}

	before := calls.Load()

	says(t, "check", must(t, "check", run), "0 problems")

	if calls.Load() != before {
		t.Error("a check asked the model")
	}
}
