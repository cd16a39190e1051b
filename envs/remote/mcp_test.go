package remote_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/envs/remote"
)

// notes are servers of this binary's, each with a note in its folder.
func notes(t *testing.T) (*remote.MCP, *remote.Service) {
	t.Helper()

	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	m := &remote.MCP{
		Command: []string{binary, "serve-notes", "{dir}"},
		Reset:   []string{"sh", "-c", `printf "%s" "$WORD" > first.txt`}, Environment: map[string]string{"WORD": "hello"},
		Shown: "/workspace",
	}
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}

	s := remote.New(m, remote.Options{
		ReadsOnly: func(tool string) bool { return tool == "read" || tool == "list" },
		Most:      2, Timeout: time.Minute, Patience: time.Minute,
	})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})

	return m, s
}

// Servers are branched as anything else: each branch has its own folder, which no call and no
// answer names.
func TestServersAreBranched(t *testing.T) {
	t.Parallel()

	m, s := notes(t)

	tools, _, err := m.Tools(t.Context())
	if err != nil || len(tools) != 4 || tools[2].Name != "read" || !tools[2].Annotations.ReadOnlyHint {
		t.Fatalf("the tools are %v, %v", tools, err)
	}

	ask := func(at remote.Log, tool, path, text string) (remote.Log, envs.Result) {
		next, result, err := s.Call(t.Context(), nil, at, tool, envs.Object("path", path, "text", text))
		if err != nil {
			t.Fatal(err)
		}
		return next, result
	}

	if _, result := ask(remote.Log{}, "read", "/workspace/first.txt", ""); result.Observation != "hello" {
		t.Errorf("a fresh server reads %+v", result)
	}

	a, wrote := ask(remote.Log{}, "write", "/workspace/a.txt", "1")
	b, _ := ask(remote.Log{}, "write", "/workspace/b.txt", "2")

	if wrote.Observation != "wrote /workspace/a.txt" {
		t.Errorf("the answer is %+v", wrote)
	}

	for at, want := range map[remote.Log]string{a: "a.txt", b: "b.txt"} {
		_, result := ask(at, "list", "/workspace", "")
		if want := "/workspace/" + want + "\n/workspace/first.txt"; result.Observation != want {
			t.Errorf("a branch lists %q, want %q", result.Observation, want)
		}
	}
}

// What a process that was killed has left of its servers the next one removes.
func TestFoldersThatAreLeftAreRemoved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())

	killed, err := disk.MkdirTemp("", "toolevo-tools-")
	if err != nil {
		t.Fatal(err)
	}
	killed.Close()

	left := filepath.Join(killed.Name(), "notes")
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}

	_, s := notes(t)
	if _, _, err := s.Call(t.Context(), nil, remote.Log{}, "list", envs.Object("path", "/workspace")); err != nil {
		t.Fatal(err)
	}

	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", left, err)
	}
}

// The agent reads what a server refuses. A server that is gone is our error, which tells what the
// server said last.
func TestServersThatRefuse(t *testing.T) {
	t.Parallel()

	_, s := notes(t)

	for path, want := range map[string]envs.Outcome{
		"/etc/passwd": envs.ToolError, "/workspace/none.txt": envs.ToolError, "/workspace/first.txt": envs.OK,
	} {
		_, result, err := s.Call(t.Context(), nil, remote.Log{}, "read", envs.Object("path", path))
		if err != nil || result.Outcome != want || strings.Contains(result.Observation, os.TempDir()) {
			t.Errorf("%s: %+v, %v", path, result, err)
		}
	}

	if _, result, err := s.Call(t.Context(), nil, remote.Log{}, "none", nil); err != nil ||
		result.Outcome != envs.InvocationError || !strings.Contains(result.Observation, "none") {
		t.Errorf("no such tool: %+v, %v", result, err)
	}

	_, _, err := s.Call(t.Context(), nil, remote.Log{}, "crash", envs.Object("path", "/workspace"))
	if stage, _ := envs.FailedStage(err); stage != envs.StageTool || !strings.Contains(err.Error(), "it crashed") {
		t.Errorf("a server that is gone: %v", err)
	}
}

// A server that runs is asked over HTTP; one that is not there is waited for no longer than its
// user is patient.
func TestServersThatRun(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	if err := os.WriteFile(dir+"/first.txt", []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}

	one := notesServer(dir, mcp.ServerOptions{})

	var isDown, isGone atomic.Bool

	notes := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return one }, nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isDown.Load() {
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		}

		// As the SDK for Python does it.
		if isGone.Load() {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}`)

			return
		}

		notes.ServeHTTP(w, r)
	}))
	m := &remote.MCP{URL: web.URL}

	if tools, _, err := m.Tools(t.Context()); err != nil || len(tools) != 4 {
		t.Fatalf("%v, %v", tools, err)
	}

	m.Shown = dir // of a folder that it has not, so that no call is changed by it
	s := remote.New(m, remote.Options{
		ReadsOnly: func(string) bool { return true }, Most: 1,
		Timeout: time.Minute, Patience: time.Minute,
	})

	_, result, err := s.Call(t.Context(), nil, remote.Log{}, "read", envs.Object("path", dir+"/first.txt"))
	if err != nil || result.Observation != "hello" {
		t.Errorf("%+v, %v", result, err)
	}

	// What a server fails at in the midst of a session is not the agent's mistake either.
	isDown.Store(true)

	_, result, err = s.Call(t.Context(), nil, remote.Log{}, "read", envs.Object("path", dir+"/none.txt"))
	if stage, _ := envs.FailedStage(err); stage != envs.StageTool {
		t.Errorf("a server that answers 503: %+v, %v", result, err)
	}

	isDown.Store(false)
	isGone.Store(true)

	_, result, err = s.Call(t.Context(), nil, remote.Log{}, "read", envs.Object("path", dir+"/none.txt"))
	if stage, _ := envs.FailedStage(err); stage != envs.StageTool {
		t.Errorf("a server that has lost the session: %+v, %v", result, err)
	}

	isGone.Store(false)

	_, result, err = s.Call(t.Context(), nil, remote.Log{}, "read", envs.Object("path", dir+"/first.txt"))
	if err != nil || result.Observation != "hello" {
		t.Errorf("in another session: %+v, %v", result, err)
	}

	if err := s.Close(); err != nil {
		t.Error(err)
	}

	web.Close()

	hasty := remote.New(m, remote.Options{
		ReadsOnly: func(string) bool { return true }, Most: 1,
		Timeout: time.Minute, Patience: time.Second,
	})

	args := envs.Object("path", dir+"/first.txt")
	_, _, err = hasty.Call(t.Context(), nil, remote.Log{}, "read", args)
	if stage, _ := envs.FailedStage(err); stage != envs.StageTool || !strings.Contains(err.Error(), web.URL) ||
		!strings.Contains(err.Error(), "HTTP+SSE of 2024-11-05 is not spoken") {
		t.Errorf("a server that is not there: %v", err)
	}
}

// No folder is left, also where a server does not start; what is wrong with a server says its
// command.
func TestServersThatDoNotStart(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())

	for _, m := range []*remote.MCP{
		{Command: []string{"/none/such"}},
		{Command: []string{"sh", "-c", "echo no licence >&2; exit 3"}},
		{Command: []string{"cat"}, Reset: []string{"sh", "-c", "echo no licence >&2; exit 3"}},
	} {
		_, err := m.Start(t.Context())
		if err == nil || !strings.Contains(err.Error(), strings.Join(m.Command, " ")) {
			t.Errorf("%q: %v", m.Command, err)
		}

		if m.Command[0] != "/none/such" && !strings.Contains(err.Error(), "no licence") {
			t.Errorf("%q: %v", m.Command, err)
		}
	}

	if left, _ := filepath.Glob(os.TempDir() + "/*"); left != nil {
		t.Errorf("left: %q", left)
	}

	for _, m := range []*remote.MCP{
		{}, {Command: []string{"x"}, URL: "http://x"}, {URL: "http://x", Reset: []string{"y"}},
		{Command: []string{"x"}, Shown: "workspace"}, {URL: "http://x", Shown: "/workspace"},
		{URL: "http://me:secret@x"}, {URL: "http://me:secret%@x"},
	} {
		if err := m.Validate(); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: %v", m, err)
		}
	}
}

// Whatever a server does with a secret, nothing shows it.
func TestSecretsOfServers(t *testing.T) {
	const key = "k3y-k3y-k3y"

	t.Setenv(keyVariable, key)

	m := own(t, "serve-notes", nil)
	m.Reset = []string{"sh", "-c", `printf "%s" "$` + keyVariable + `" > key.txt`}
	m.Secrets = []string{keyVariable}

	notes, err := m.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer notes.Close() // it has crashed

	for _, c := range []struct{ tool, path, want string }{
		{"read", "/workspace/key.txt", "[hidden]"},
		{"read", "/etc/" + key, "/etc/[hidden] is not in /workspace"},
		{key, "/workspace", `unknown tool "[hidden]"`},
	} {
		result, err := notes.Call(t.Context(), c.tool, envs.Object("path", c.path))
		if err != nil || result.Observation != c.want {
			t.Errorf("%s %s: %+v, %v", c.tool, c.path, result, err)
		}
	}

	_, err = notes.Call(t.Context(), "crash", envs.Object("path", "/workspace"))
	if err == nil || !strings.HasSuffix(err.Error(), "it crashed [hidden]") {
		t.Errorf("a server that is gone: %v", err)
	}

	m.Command = []string{"sh", "-c", "echo no licence for $" + keyVariable + " >&2; exit 3"}
	if _, err := m.Start(t.Context()); err == nil ||
		!strings.HasSuffix(err.Error(), "no licence for [hidden]") {
		t.Errorf("a server that does not start: %v", err)
	}
}

// Without its secret no program is started, and nobody waits for it.
func TestSecretsThatAreNotSet(t *testing.T) {
	t.Setenv(keyVariable, " ")

	mark := t.TempDir() + "/mark"
	command := []string{"sh", "-c", "touch " + mark + " {port}"}
	says := "secrets: " + keyVariable + " is not set"
	secrets := map[string]string{"key": keyVariable}

	for _, s := range []remote.Source{
		&remote.MCP{Command: command, Secrets: []string{keyVariable}},
		&remote.MCP{Command: []string{"x"}, Reset: command, Secrets: []string{keyVariable}},
		source(t, &remote.HTTP{Command: command, Secrets: secrets}, folder()),
		source(t, &remote.HTTP{ResetCommand: command, Secrets: secrets}, folder()),
	} {
		tools := remote.New(s, remote.Options{Most: 1, Patience: time.Hour})

		_, _, err := tools.Call(t.Context(), nil, remote.Log{}, "look", nil)
		if !envs.IsFinal(err) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v", err)
		}
	}

	if _, err := os.Stat(mark); err == nil {
		t.Error("a program was started")
	}
}
