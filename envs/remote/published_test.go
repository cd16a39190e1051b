package remote_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/drift/release"
	"toolevo/envs/remote"
	"toolevo/envs/remote/openapi"
	"toolevo/envs/toolapi"
)

// server is a release of an MCP server from the folder of `make test-openapi`, each instance in a
// folder with a repository.
func server(t *testing.T, pkg, version string) *remote.MCP {
	t.Helper()

	folder := os.Getenv("TOOLEVO_OPENAPI")
	if folder == "" {
		t.Skip("TOOLEVO_OPENAPI is not set: make test-openapi fetches the servers")
	}

	name := strings.ReplaceAll(strings.TrimPrefix(pkg, "@"), "/", "-") + "-" + version
	script := filepath.Join(folder, "servers", name, "node_modules", pkg, "dist", "index.js")

	if _, err := os.Stat(script); err != nil {
		t.Skipf("no server (%v): make test-openapi installs it where there are node and npm", err)
	}
	return &remote.MCP{
		Command: []string{"node", script, "{dir}"},
		Reset: []string{"sh", "-c", "git init -q -b main && echo one > a.txt && git add . && " +
			"git commit -q -m first && git branch other && echo two > a.txt && git commit -q -a -m second"},
		Shown: "/repository",
		Environment: map[string]string{
			"MCP_TRANSPORT_TYPE": "stdio", "MCP_LOG_LEVEL": "error",
			"LOGS_DIR": t.TempDir(), "GIT_SIGN_COMMITS": "false",
			"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@x.example", "GIT_COMMITTER_NAME": "a",
			"GIT_COMMITTER_EMAIL": "a@x.example", "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
			"GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
		},
	}
}

// released returns the tools of a release.
func released(t *testing.T, pkg, version string) *remote.Toolset {
	t.Helper()

	tools, _, err := server(t, pkg, version).Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	set := remote.ToolsOf(tools, 0)
	for _, l := range set.Left {
		t.Errorf("%s %s: %s is left: %s", pkg, version, l.Name, l.Why)
	}
	return set
}

// baseOf returns the version that has the tools of a server.
func baseOf(set *remote.Toolset) (*toolapi.Spec, error) {
	var apis []toolapi.APISpec
	for _, tool := range set.Tools {
		apis = append(apis, tool.API)
	}
	return openapi.Base("base", "a server", apis)
}

// between infers a release of a server from another one.
func between(t *testing.T, was, is *remote.Toolset) (*release.Inferred, *toolapi.Version) {
	t.Helper()

	base, err := baseOf(was)
	if err != nil {
		t.Fatal(err)
	}

	var next []toolapi.APISpec
	for _, tool := range is.Tools {
		next = append(next, tool.API)
	}

	inferred, err := release.Between(base, next, "next")
	if err != nil {
		t.Fatal(err)
	}

	for _, c := range inferred.Changes {
		t.Log(c)
	}

	for _, n := range inferred.Broken {
		t.Logf("broken: %+v", n)
	}

	t.Logf("equal %q, added %q, removed %q", inferred.Equal, inferred.Added, inferred.Removed)

	catalog, err := toolapi.NewCatalog(base, inferred.Version)
	if err != nil {
		t.Fatal(err)
	}

	v, err := catalog.Version("next")
	if err != nil {
		t.Fatal(err)
	}
	return inferred, v
}

const git = "@cyanheads/git-mcp-server"

// A release that gives parameters other names, and needs others: its new names are found.
func TestPublishedRelease(t *testing.T) {
	t.Parallel()

	inferred, v := between(t, released(t, git, "2.3.2"), released(t, git, "2.15.3"))

	added := []string{"git_blame", "git_changelog_analyze", "git_reflog"}
	if !slices.Equal(inferred.Added, added) || len(inferred.Removed) > 0 {
		t.Errorf("added %q, removed %q, want %q added", inferred.Added, inferred.Removed, added)
	}

	for _, n := range inferred.Broken {
		if n.Gone {
			t.Errorf("%s is gone: %s", n.Tool, n.Why)
		}
	}

	was, is := started(t, "2.3.2"), started(t, "2.15.3")

	// What calls say now, and what the older server is asked: both do it.
	for _, tt := range []struct {
		tool      string
		now, then envs.Args
	}{
		{"git_show", envs.Object("object", "HEAD"), envs.Object("ref", "HEAD")},
		{"git_branch", envs.Args{}, envs.Object("mode", "list")},
		{"git_checkout", envs.Object("target", "other"), envs.Object("branchOrPath", "other")},
		{"git_cherry_pick", envs.Object("commits", []any{"main"}), envs.Object("commitRef", "main")},
		{"git_log", envs.Object("branch", "main"), envs.Object("branchOrFile", "main")},
		{"git_tag", envs.Object("mode", "create", "tagName", "v1", "commit", "main", "annotated", true, "message", "m"),
			envs.Object("annotate", true, "commitRef", "main", "message", "m", "mode", "create", "tagName", "v1")},
		{"git_reset", envs.Object("mode", "hard", "target", "main"), envs.Object("commit", "main", "mode", "hard")},
		{"git_checkout", envs.Object("target", "main"), envs.Object("branchOrPath", "main")},
		{"git_merge", envs.Object("branch", "other", "message", "m", "noFastForward", true),
			envs.Object("branch", "other", "commitMessage", "m", "noFf", true)},
		{"git_clone", envs.Object("url", "file:///repository", "path", "/repository/clone"),
			envs.Object("repositoryUrl", "file:///repository", "targetPath", "/repository/clone")},
	} {
		a, ok := v.API(tt.tool)
		if !ok {
			t.Errorf("no %s", tt.tool)
			continue
		}

		lowered, wrong := a.Lower(tt.now)
		if wrong != nil || !reflect.DeepEqual(lowered, tt.then) {
			t.Errorf("%s%v becomes %v (%+v), want %v", tt.tool, tt.now, lowered, wrong, tt.then)
		}

		here := envs.Object("path", "/repository")
		if tt.tool == "git_clone" {
			here = nil
		}

		now, err := is.Call(t.Context(), tt.tool, slices.Concat(here, tt.now))
		if err != nil || now.Outcome != envs.OK {
			t.Errorf("the release: %s%v: %+v, %v", tt.tool, tt.now, now, err)
		}

		then, err := was.Call(t.Context(), tt.tool, slices.Concat(here, lowered))
		if err != nil || then.Outcome != envs.OK {
			t.Errorf("the server of before: %s%v: %+v, %v", tt.tool, lowered, then, err)
		}
	}
}

// started is an instance of the git server.
func started(t *testing.T, version string) remote.Instance {
	t.Helper()

	instance, err := server(t, git, version).Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := instance.Close(); err != nil {
			t.Error(err)
		}
	})

	return instance
}

const filesystem = "@modelcontextprotocol/server-filesystem"

// A release that changes nothing that calls of before say: nothing is taken for a change.
func TestPublishedReleaseThatAdds(t *testing.T) {
	t.Parallel()

	inferred, _ := between(t, released(t, filesystem, "2026.1.14"), released(t, filesystem, "2026.8.31"))
	if len(inferred.Removed)+len(inferred.Broken) > 0 {
		t.Errorf("removed %q, broken %v", inferred.Removed, inferred.Broken)
	}

	for _, c := range inferred.Changes {
		if c.Operator != release.Describe && c.Operator != release.AddOption {
			t.Errorf("%v", c)
		}
	}
}

// An older server is listed without parameters under libraries of today, which is warned of.
func TestPublishedReleaseWithoutParameters(t *testing.T) {
	t.Parallel()

	for _, tool := range released(t, filesystem, "2025.8.21").Tools {
		if len(tool.API.Parameters.All) == 0 && len(tool.Notes) == 0 {
			t.Errorf("nothing is said of %s", tool.Name)
		}
	}
}
