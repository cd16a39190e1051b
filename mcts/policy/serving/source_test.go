package serving

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolevo/envs/console"
	"toolevo/envs/suite"
)

// A list is read from a file, from what a name resolves to, or from a command; anything else is a
// server.
func TestSources(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "servers.txt")
	text := "# two boxes\nhttp://b:8000/v1\n\n  http://a:8000/v1  # the small one\nhttp://b:8000/v1\n"

	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}

	for addresses, want := range map[string][]string{
		"file:" + path:                            {"http://a:8000/v1", "http://b:8000/v1"},
		"command:printf 'http://%s:1/v1\\n' y x":  {"http://x:1/v1", "http://y:1/v1"},
		"http://b:8000/v1, http://a:8000/v1":      {"http://b:8000/v1", "http://a:8000/v1"},
		"file://cannot.be.meant/v1":               {"file://cannot.be.meant/v1"},
		"box:8000":                                {"box:8000"},
		"dns:http://127.0.0.1:8000/v1":            {"http://127.0.0.1:8000/v1"},
		"dns:http://[::1]/v1":                     {"http://[::1]/v1"},
		"command:echo http://a/v1; exec sleep 0 ": {"http://a/v1"},
	} {
		got, err := listed(addresses)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", addresses, got, err, want)
		}
	}

	// Each machine resolves this one, to one address or to two.
	got, err := listed("dns:http://localhost:8000/v1")
	first := slices.Contains(got, "http://127.0.0.1:8000/v1")
	if err != nil || !first && !slices.Contains(got, "http://[::1]:8000/v1") {
		t.Errorf("localhost has the servers %q, %v", got, err)
	}
}

func TestSourcesThatListNothing(t *testing.T) {
	t.Parallel()

	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("# none yet\n"), 0o644); err != nil {
		t.Fatal(err)
	}

	for addresses, want := range map[string]string{
		"file:" + empty:                        "lists no server: want the address of one in each line",
		"file:" + empty + "s":                  "no such file",
		"dns:box:8000":                         "such as dns:http://vllm:8000/v1",
		"dns:http://no-such-host.invalid/v1":   "no-such-host.invalid",
		"dns:https://vllm/v1":                  "list them in a file",
		"file:/dev/null":                       "not a regular file",
		"command:echo no partition >&2; false": "exit status 1 no partition",
	} {
		if got, err := listed(addresses); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v, want %q", addresses, got, err, want)
		}
	}
}

// A list is what a resumed run reads again, and no password stands in what is printed of it.
func TestSourceAsArgument(t *testing.T) {
	t.Parallel()

	for addresses, want := range map[string]string{
		"file:my servers.txt":             "file:my servers.txt",
		"command:list --all":              "command:list --all",
		"dns:http://vllm:8000/v1":         "dns:http://vllm:8000/v1",
		"dns:http://me:hidden@vllm:1/v1/": "dns:http://USER:PASSWORD@vllm:1/v1/",
	} {
		s := FromEnvironment(&console.Program{}, 0)
		s.Addresses = addresses
		exposed := strings.Contains(addresses, "hidden")

		if got := s.Arguments(); !slices.Equal(got, []string{"--server", want}) || s.Exposed() != exposed {
			t.Errorf("%s: the arguments are %q, exposed: %v", addresses, got, s.Exposed())
		}
	}

	for _, addresses := range []string{"dns:http://me:hidden@no-such-host.invalid/v1", "command:false hidden"} {
		if _, err := listed(addresses); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: the error is %v", addresses, err)
		}
	}
}

// A writer's server is named in a configuration, which may be somebody else's: no command is run.
func TestWriterRunsNoCommand(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "made")
	m := toyModels(t)

	_, err := m.Writer("toy:m", suite.WriterOptions{Server: "command:touch " + path, MaxTokens: 1})
	if err == nil || !strings.Contains(err.Error(), "does not belong in a file") {
		t.Error(err)
	}

	if _, err := os.Stat(path); err == nil {
		t.Error("the command was run")
	}
}
