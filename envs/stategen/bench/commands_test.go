package bench

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/stategen/taskfile"
)

var update = flag.Bool("update", false, "write testdata/commands.txt anew")

// command runs `tasks ARGS`, and returns what it prints for programs and for people.
func command(t testing.TB, args ...string) (out, said string, err error) {
	t.Helper()

	var printed, words bytes.Buffer

	p := &console.Program{Out: &printed, Err: &console.Screen{W: &words}}
	all := StateGen{}.Commands(p)

	if len(all) != 1 || all[0].Name() != "tasks" {
		t.Fatalf("%d commands", len(all))
	}

	cmd := all[0]
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	cmd.SetOut(&printed)
	cmd.SetErr(&words)

	err = cmd.ExecuteContext(t.Context())

	return printed.String(), words.String(), err
}

// A transcript of the commands is the golden file: what they print, as text and as JSON.
func TestCommands(t *testing.T) {
	t.Parallel()

	data := t.TempDir()

	var b strings.Builder

	for _, line := range []string{
		"generate --n 2 --seed 4 --domain voice",
		"generate --n 3 --seed 4 --progress none",
		"generate --n 3 --split dev --seed 1 --domain tensor --selector k2 --calls 2 --json --progress none",
		"generate --n 1 --split dev --domain tensor --progress none",
		"show session-4-00000",
		"show tensor-4-00001/if",
		"show voice-4-00001",
		"show tensor-1-00003 --json",
		"verify --progress none",
		"verify --mutants 1 --json --progress none",
		"verify --mutants 0 --progress none",
	} {
		fmt.Fprintf(&b, "$ toolevo tasks %s\n", line)

		out, said, err := command(t, append(strings.Fields(line), "--data", data)...)
		if strings.Contains(line, "--progress none") {
			out += said
		}

		fmt.Fprintf(&b, "%s\n", strings.ReplaceAll(out, data, "DATA"))

		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}

	got := b.String()
	golden := filepath.Join("testdata", "commands.txt")

	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// Wrong usage is told with what to do, and leaves nothing behind.
func TestWrongUsage(t *testing.T) {
	t.Parallel()

	data := t.TempDir()
	generate(t, data, "train", 1)

	before, err := os.ReadFile(taskfile.Path(data, "train"))
	if err != nil {
		t.Fatal(err)
	}

	for args, want := range map[string]string{
		"generate --split trane":      "--split: unknown split",
		"generate --selector best":    "--selector: unknown",
		"generate --n 0":              "want at least 1 task",
		"generate --n -1":             "want at least 1 task",
		"generate --calls 1":          "2 calls",
		"generate --domain coffee":    "--domain: unknown domain",
		"show session-1-00009":        "lists tasks",
		"show session-1-00000/nobody": "shows those that it has",
		"verify --mutants -1":         "want at least 0",
	} {
		out, _, err := command(t, append(strings.Fields(args), "--data", data)...)
		if err == nil || out != "" || !strings.Contains(err.Error(), want) ||
			console.ExitCode(err) != console.ExitUsage {
			t.Errorf("%s: error %v, want %s", args, err, want)
		}
	}

	if after, err := os.ReadFile(taskfile.Path(data, "train")); err != nil ||
		!bytes.Equal(before, after) {
		t.Errorf("the tasks have changed (%v)", err)
	}

	if _, _, err := command(t, "verify", "--data", t.TempDir()); err == nil ||
		!strings.Contains(err.Error(), "tasks generate") {
		t.Errorf("nothing to verify: %v", err)
	}

	// A folder that cannot be read is no wrong usage, whatever the command.
	if err := os.WriteFile(taskfile.Path(data, "dev"), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	for _, args := range []string{"generate --n 2", "show session-1-00000", "verify"} {
		_, _, err := command(t, append(strings.Fields(args), "--data", data)...)
		if err == nil || !strings.Contains(err.Error(), "dev.jsonl") ||
			console.ExitCode(err) == console.ExitUsage {
			t.Errorf("%s in a damaged folder: %v", args, err)
		}
	}
}

// A shell is offered what a flag can be.
func TestOffers(t *testing.T) {
	t.Parallel()

	for flag, want := range map[string][]string{
		"split":    {"train", "dev", "test"},
		"domain":   {"session", "tensor", "voice"},
		"selector": {"argmax", "k2", "uniform"},
	} {
		out, _, err := command(t, cobra.ShellCompRequestCmd, "generate", "--"+flag, "")
		if err != nil {
			t.Fatal(err)
		}

		offered := strings.Fields(out)
		for _, name := range want {
			if !slices.Contains(offered, name) {
				t.Errorf("--%s is offered %q, want %s", flag, offered, name)
			}
		}
	}
}

// Values are printed on one line of 80 characters, and lists that do not fit there one element a
// line.
func TestPrintValue(t *testing.T) {
	t.Parallel()

	long := strings.Repeat("a", 40)

	for _, tt := range []struct {
		label string
		value any
		want  string
	}{
		{"x: ", []any{"a", "b"}, "x: [\"a\", \"b\"]\n"},
		{"x: ", []any{}, "x: []\n"},
		{strings.Repeat("x", 30) + ": ", []any{long, ""}, ""},
		{strings.Repeat("x", 31) + ": ", []any{long, ""},
			strings.Repeat("x", 31) + ":\n    - \"" + long + "\"\n    - \"\"\n"},
	} {
		var out bytes.Buffer

		printValue(&console.Program{Out: &out}, tt.label, tt.value)

		if tt.want == "" { // it just fits
			tt.want = tt.label + "[\"" + long + "\", \"\"]\n"
		}

		if out.String() != tt.want {
			t.Errorf("%s is printed as\n%swant\n%s", tt.label, out.String(), tt.want)
		}
	}
}

// unhashed makes the tasks of a folder those of another program, whose hashes it does not have.
func unhashed(t *testing.T, data string) {
	t.Helper()

	if err := os.Remove(filepath.Join(data, "stategen", "books.json")); err != nil {
		t.Fatal(err)
	}
}

// Whatever was changed in a file of tasks ends `tasks verify` with a status of its own, and the
// first twenty problems are printed.
func TestVerifyProblems(t *testing.T) {
	t.Parallel()

	data := t.TempDir()
	generate(t, data, "train", 6)

	good, err := os.ReadFile(taskfile.Path(data, "train"))
	if err != nil {
		t.Fatal(err)
	}

	unhashed(t, data)

	cases := bytes.Count(good, []byte(`"path":"if"`)) + bytes.Count(good, []byte(`"path":"else"`)) +
		bytes.Count(good, []byte(`"path":"main"`))

	for _, tt := range []struct {
		from, to string
		want     string
		all      bool // cases have the problem
	}{
		{`"path":"else"`, `"path":"other"`, "/other: the reference program takes the path else", false},
		{`"tool":"`, `"tool":"no_`, "the reference program fails: there is no tool no_", true},
		{`"effects":`, `"effects":"other","was":`, "the effects are not the recorded ones", false},
	} {
		text := bytes.ReplaceAll(good, []byte(tt.from), []byte(tt.to))
		if err := os.WriteFile(taskfile.Path(data, "train"), text, 0o600); err != nil {
			t.Fatal(err)
		}

		out, _, err := command(t, "verify", "--data", data, "--mutants", "0")
		if console.ExitCode(err) != console.ExitBad || !strings.Contains(out, tt.want) {
			t.Errorf("%s: error %v after\n%s", tt.want, err, out)
		}

		var problems int
		if _, err := fmt.Sscanf(err.Error(), "%d problems", &problems); err != nil {
			t.Fatal(err)
		}

		told := strings.Count(out, ": the ") + strings.Count(out, ": RESULT is")
		if told != min(problems, 20) || tt.all && problems != cases {
			t.Errorf("%s: of %d cases %d are problems, and %d are told", tt.want, cases, problems, told)
		}
	}
}
