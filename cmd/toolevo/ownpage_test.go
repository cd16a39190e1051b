package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// followPage follows a section of the page on own tools in an empty folder, where a repository's
// files are at hand. Commands are changed first.
func followPage(t *testing.T, section string, change func(command string) string) {
	t.Helper()

	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}

	for link, to := range map[string]string{"bin/toolevo": binary(), "envs": filepath.Join(root, "envs")} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}

	_, text, _ := strings.Cut(string(read(t, filepath.Join(root, "envs/remote/README.md"))), "\n## "+section+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	ran := 0

	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", "")) {
		command, ok := strings.CutPrefix(line, "    ")
		if !ok {
			continue
		}

		cmd := exec.Command("sh", "-c", change(command))
		cmd.Dir, cmd.Env = dir, slices.Clip(ordinary)

		if strings.HasPrefix(command, "go ") {
			cmd = exec.Command("sh", "-c", strings.Replace(command, "-o ", "-o "+dir+"/", 1))
			cmd.Dir = root
		}

		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, said)
		}

		ran++
	}

	if ran < 5 {
		t.Errorf("only %d commands were found", ran)
	}
}

// From a document and tasks to a report, as the page says.
func TestPageFromADocumentToAReport(t *testing.T) {
	t.Parallel()
	followPage(t, "From an OpenAPI document to a report", func(command string) string { return command })
}

// From a server to a gate, as the page says, with the releases of the server that are at hand.
func TestPublishedPageFromAServerToAGate(t *testing.T) {
	t.Parallel()

	folder := os.Getenv("TOOLEVO_OPENAPI")
	if folder == "" {
		t.Skip("TOOLEVO_OPENAPI is not set: make test-openapi fetches the servers")
	}

	const pkg = "@cyanheads/git-mcp-server"

	followPage(t, "From an MCP server to a gate", func(command string) string {
		words, version, ok := strings.Cut(command, "npx -y "+pkg+"@")
		if !ok {
			return command
		}

		release := "cyanheads-git-mcp-server-" + strings.TrimSpace(version)
		script := filepath.Join(folder, "servers", release, "node_modules", pkg, "dist", "index.js")

		if _, err := os.Stat(script); err != nil {
			t.Skipf("no server (%v): make test-openapi installs it where there are node and npm", err)
		}

		return words + "node " + script
	})
}
