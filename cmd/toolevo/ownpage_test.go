package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// From a server to a gate, as the page says, with the releases of the server that are at hand.
func TestPublishedPageFromAServerToAGate(t *testing.T) {
	t.Parallel()

	folder := os.Getenv("TOOLEVO_OPENAPI")
	if folder == "" {
		t.Skip("TOOLEVO_OPENAPI is not set: make test-openapi fetches the servers")
	}

	const pkg, path = "@cyanheads/git-mcp-server", "envs/remote/README.md"

	gate := blocks(t, path, "From an MCP server to a gate")
	for i, b := range gate {
		words, rest, ok := strings.Cut(b.text, "npx -y "+pkg+"@")
		if gate[i].needs = ""; !ok {
			continue
		}

		version, after, _ := strings.Cut(rest, "\n")
		release := "cyanheads-git-mcp-server-" + version
		script := filepath.Join(folder, "servers", release, "node_modules", pkg, "dist", "index.js")

		if _, err := os.Stat(script); err != nil {
			t.Skipf("no server (%v): make test-openapi installs it where there are node and npm", err)
		}

		gate[i].text = words + "node " + script + "\n" + after
	}

	begin(t, guide{path: path, empty: true}).follow(t, gate)
}
