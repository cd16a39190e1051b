package stategen

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/sandboxtest"
	"toolevo/envs/stategen/bench"
	"toolevo/envs/stategen/taskfile"
)

var update = flag.Bool("update", false, "write testdata/commands.txt anew")

func TestMain(m *testing.M) {
	confine.Main()
	os.Exit(m.Run())
}

// command runs `tasks ARGS`, and returns what it prints for programs and for people.
func command(t testing.TB, args ...string) (out, said string, err error) {
	t.Helper()

	var printed, words bytes.Buffer

	p := &console.Program{Out: &printed, Err: &console.Screen{W: &words}}
	cmd := &cobra.Command{Use: "toolevo", SilenceErrors: true, SilenceUsage: true}

	for _, c := range (bench.StateGen{}).Commands() {
		cmdline.Add(cmd, p, c, nil)
	}

	if len(args) > 0 && args[0] != cobra.ShellCompRequestCmd {
		args = append([]string{"tasks"}, args...)
	}

	cmd.SetArgs(args)
	cmd.SetOut(&printed)
	cmd.SetErr(&words)

	err = cmd.ExecuteContext(t.Context())
	return printed.String(), words.String(), err
}

// generate makes n tasks of each domain.
func generate(t testing.TB, data string, n int) {
	t.Helper()

	if _, _, err := command(t, "generate", "--n", strconv.Itoa(n), "--data", data); err != nil {
		t.Fatal(err)
	}
}

// A transcript of the commands is the golden file: what they print, as text and as JSON.
func TestCommands(t *testing.T) {
	t.Parallel()

	data := t.TempDir()

	var b strings.Builder

	for _, line := range []string{
		"generate --n 2 --seed 4 --domain voice",
		"generate --n 3 --seed 4 --progress none",
		"generate --n 3 --split dev --seed 1 --domain tensor --selector k2 --calls 2 --json " +
			"--progress none",
		"generate --n 1 --split dev --domain tensor --progress none",
		"show session-4-00000",
		"show tensor-4-00000/if",
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
	generate(t, data, 1)

	before, err := os.ReadFile(taskfile.Path(data, "train"))
	if err != nil {
		t.Fatal(err)
	}

	for args, want := range map[string]string{
		"generate --split trane":      "--split: unknown split",
		"generate --selector best":    "--selector: unknown",
		"generate --n 0":              "--n: it is 0, want at least 1",
		"generate --n -1":             "want at least 1",
		"generate --calls 1":          "at least 2",
		"generate --domain coffee":    "--domain: unknown domain",
		"show session-1-00009":        "lists tasks",
		"show session-1-00000/nobody": "shows those that it has",
		"verify --mutants -1":         "want at least 0",
	} {
		out, _, err := command(t, append(strings.Fields(args), "--data", data)...)
		if err == nil || out != "" || !strings.Contains(cmdline.Message(err), want) ||
			console.KindOf(err) != console.WrongUsage {
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
			console.KindOf(err) == console.WrongUsage {
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
		out, _, err := command(t, cobra.ShellCompRequestCmd, "tasks", "generate", "--"+flag, "")
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

// unhashed makes the tasks of a folder those of another program, whose hashes it does not have.
func unhashed(t *testing.T, data string) {
	t.Helper()

	if err := os.Remove(filepath.Join(data, "stategen", "books.json")); err != nil {
		t.Fatal(err)
	}
}

// Evaluators have numbers of their own within a file, so that their tasks have different IDs. Tasks
// of one ID are refused before anything is added.
func TestImportedIDs(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	put := func(path, text string) string {
		path = filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		return path
	}

	text, err := os.ReadFile("../../../../envs/stategen/stateeval/testdata/voice.json")
	if err != nil {
		t.Fatal(err)
	}

	// Other names of a variable make another program.
	evaluator := func(name string) string {
		return strings.ReplaceAll(string(text), "said", name)
	}
	list := "[" + evaluator("a") + "," + evaluator("b") + "]"

	engine := sandboxtest.Engine(t)

	for _, c := range []struct {
		name  string
		files []string
		want  []string // IDs, or none if it is an error
	}{
		{"one a line", []string{put("some.jsonl", evaluator("a")+evaluator("b"))},
			[]string{"stateeval-voice-0", "stateeval-voice-1"}},
		{"a list in a file with a number", []string{put("evaluator_3.json", list)},
			[]string{"stateeval-voice-3", "stateeval-voice-4"}},
		{"two folders", []string{put("a/evaluator_1.json", evaluator("a")),
			put("b/evaluator_1.json", evaluator("b"))}, nil},
	} {
		o := importing{
			taskSplit: taskSplit{data: t.TempDir(), split: "test"},
			engine:    func() (sandbox.Engine, error) { return engine, nil },
		}

		err := o.files(t.Context(), c.files)
		if (err == nil) != (c.want != nil) ||
			err != nil && !strings.Contains(err.Error(), "stateeval-voice-1") {
			t.Errorf("%s: error %v", c.name, err)
		}

		all, err := bench.StateGen{}.List(o.data, "test")
		if err != nil {
			t.Errorf("%s: the tasks cannot be listed: %v", c.name, err)
		}

		var ids []string

		for _, task := range all {
			id, _, _ := strings.Cut(task.ID, "/")
			ids = append(ids, id)
		}

		if diff := cmp.Diff(c.want, ids); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// Whatever was changed in a file of tasks ends `tasks verify` with a status of its own, and the
// first twenty problems are printed.
func TestVerifyProblems(t *testing.T) {
	t.Parallel()

	data := t.TempDir()
	generate(t, data, 6)

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
		{`"path":"else"`, `"path":"other"`, "/other: the reference program takes the path else",
			false},
		{`"tool":"`, `"tool":"no_`, "the reference program fails: there is no tool no_", true},
		{`"effects":`, `"effects":"other","was":`, "the effects are not the recorded ones", false},
	} {
		text := bytes.ReplaceAll(good, []byte(tt.from), []byte(tt.to))
		if err := os.WriteFile(taskfile.Path(data, "train"), text, 0o600); err != nil {
			t.Fatal(err)
		}

		out, _, err := command(t, "verify", "--data", data, "--mutants", "0")
		if console.KindOf(err) != console.BadResult || !strings.Contains(out, tt.want) {
			t.Errorf("%s: error %v after\n%s", tt.want, err, out)
		}

		var problems int
		if _, err := fmt.Sscanf(err.Error(), "%d problems", &problems); err != nil {
			t.Fatal(err)
		}

		told := strings.Count(out, ": the ") + strings.Count(out, ": RESULT is")
		if told != min(problems, 20) || tt.all && problems != cases {
			t.Errorf("%s: of %d cases %d are problems, and %d are told", tt.want, cases, problems,
				told)
		}
	}
}
