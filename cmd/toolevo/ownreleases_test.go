package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"toolevo/finetune"
)

// serverScript is the program of a release of an MCP server that others have published.
func serverScript(t *testing.T, pkg, file, version string) string {
	t.Helper()

	folder := os.Getenv("TOOLEVO_OPENAPI")
	if folder == "" {
		t.Skip("TOOLEVO_OPENAPI is not set: make test-openapi fetches the servers")
	}

	script := filepath.Join(folder, "servers", file+"-"+version, "node_modules", pkg, "dist", "index.js")
	if _, err := os.Stat(script); err != nil {
		t.Skipf("no server (%v): make test-openapi installs it where there are node and npm", err)
	}
	return script
}

// collectKilled collects under versions, and again with a process that is killed and goes on: the
// rows are the same, and no tree is another one when it is grown again without a server.
func collectKilled(t *testing.T, data, versions string) {
	t.Helper()

	dir := t.TempDir()
	whole, killed := filepath.Join(dir, "whole"), filepath.Join(dir, "killed")
	collect := func(out string) []string {
		return []string{"collect", "--set", "suite=remote", "--data", data, "--split", "train", "--api", versions,
			"--policy", "scripted:noisy", "--trees", "2", "--set", "search.simulations=4", "--set", "python.modules=",
			"--progress", "none", "--run-id", "own", "--out", out}
	}
	must(t, collect(whole)...)

	kill(t, killed, 12, collect(killed)...)
	must(t, "collect", "--resume", "--out", killed, "--progress", "none")

	if !bytes.Equal(read(t, filepath.Join(whole, rowsFile)), read(t, filepath.Join(killed, rowsFile))) {
		t.Error("a run that was killed has other rows")
	}

	t.Run("check", func(t *testing.T) {
		t.Setenv("PATH", "") // no server can be started
		says(t, "check", must(t, "check", killed, "--data", data), "0 problems")
	})
}

// The next release of a git server: trajectories are collected before it ships, under it and under
// a made version; who knows of neither loses what changed, who follows notices loses what is gone.
func TestPublishedGitServerIsCollected(t *testing.T) {
	const pkg, file = "@cyanheads/git-mcp-server", "cyanheads-git-mcp-server"

	now, next := serverScript(t, pkg, file, "2.3.2"), serverScript(t, pkg, file, "2.15.3")
	data := t.TempDir()

	repository, err := filepath.Abs("../../envs/remote/interop/repository.sh")
	if err != nil {
		t.Fatal(err)
	}

	must(t, "tools", "import", "--data", data, "--shown", "/notes", "--reset", "sh "+repository,
		"--environment", "TZ=UTC", "--environment", "GIT_AUTHOR_DATE=2026-02-02T00:00:00Z",
		"--environment", "GIT_COMMITTER_DATE=2026-02-02T00:00:00Z", "--environment", "MCP_TRANSPORT_TYPE=stdio",
		"--environment", "LOGS_DIR={dir}/logs", "--", "node", now)

	tasks := filepath.Join(t.TempDir(), "tasks.jsonl")
	lines := bytes.SplitAfter(read(t, "../../envs/remote/interop/git.jsonl"), []byte("\n"))
	write(t, tasks, string(bytes.Join(lines[:4], nil)))
	must(t, "tasks", "add", tasks, "--data", data, "--split", "train")
	must(t, "tools", "next", "--data", data, "--", "node", next)

	collectKilled(t, data, "p_s_in,next")
}

// Made drift of a file server, with tasks that were made by using it.
func TestPublishedFileServerIsCollected(t *testing.T) {
	const pkg, file = "@modelcontextprotocol/server-filesystem", "modelcontextprotocol-server-filesystem"

	script := serverScript(t, pkg, file, "2026.8.31")
	data, dir := t.TempDir(), t.TempDir()
	notes, tasks := filepath.Join(dir, "notes.sh"), filepath.Join(dir, "tasks.jsonl")

	write(t, notes, "mkdir old\nprintf 'Call Ada.' >calls.txt\nprintf '120' >old/budget.txt\n")
	must(t, "tools", "import", "--data", data, "--shown", "/files", "--reset", "sh "+notes,
		"--choose", "read_text_file", "--choose", "create_directory", "--choose", "list_directory",
		"--choose", "move_file", "--", "node", script, "{dir}")

	write(t, tasks, `{"id": "budget", "question": "How large is the budget of /files/old/budget.txt?", "answer": "120", `+
		`"solution": [{"tool": "read_text_file", "args": {"path": "/files/old/budget.txt"}}], "final": "{{1}}"}`+"\n"+
		`{"id": "move", "question": "Move /files/calls.txt into /files/old, and say what it says.", `+
		`"answer": "Call Ada.", "solution": [{"tool": "move_file", "args": {"source": "/files/calls.txt", `+
		`"destination": "/files/old/calls.txt"}}, {"tool": "read_text_file", `+
		`"args": {"path": "/files/old/calls.txt"}}], "final": "{{2}}"}`+"\n")
	must(t, "tasks", "add", tasks, "--data", data, "--split", "train")
	must(t, "tasks", "make", "--data", data, "--split", "train", "--count", "2", "--calls", "2")
	says(t, "tasks check", must(t, "tasks", "check", "--data", data), "4 solutions played, 0 problems")

	collectKilled(t, data, "p_s_in,p_s_ood")

	text := must(t, "eval", "--set", "suite=remote", "--data", data, "--split", "train", "--api", "p_c,p_s_in",
		"--policy", "scripted:stale,scripted:reader", "--out", filepath.Join(dir, "eval"), "--json")

	for _, row := range document[finetune.Report](t, text).Rows {
		want := 1.0
		if row.Policy == "scripted:stale" && row.API != "p_c" {
			want = 0
		}

		if row.Official != want || row.Lost > 0 {
			t.Errorf("%s: %v of %d, want %v", row.Cell, row.Official, row.N, want)
		}
	}
}
