package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/mcts/store"
)

// commands are all commands, by the words that call them.
var commands = [][]string{
	{}, {"data"}, {"data", "build"}, {"data", "import"}, {"data", "questions"}, {"data", "gold"},
	{"data", "verify"}, {"data", "template"}, {"data", "template", "check"},
	{"play"}, {"collect"}, {"inspect"}, {"view"}, {"report"}, {"check"}, {"export"},
	{"eval"}, {"eval", "errors"}, {"eval", "adaptation"}, {"demo"}, {"eval", "compare"},
	{"eval", "rescore"}, {"eval", "judge"}, {"eval", "drift"}, {"eval", "tasks"},
	{"doctor"}, {"doctor", "sandbox"}, {"bench"},
	{"bench", "serve"}, {"version"}, {"completion"}, {"versions"}, {"versions", "make"}, {"versions", "mutate"},
	{"versions", "list"}, {"versions", "show"},
	{"versions", "diff"},
	{"versions", "validate"}, {"finetune"}, {"improve"}, {"work"}, {"replay"}, {"branch"}, {"ablate"}, {"runs"},
	{"analyze"}, {"toolbench"}, {"toolbench", "import"},
	{"toolbench", "convert"}, {"toolbench", "cache"}, {"serve"}, {"serve", "tools"}, {"serve", "voice"},
	{"serve", "env"},
	{"serve", "sessions"},
	{"toolbench", "convert"}, {"eval", "simulator"}, {"mirror"}, {"mirror", "data"},
	{"mirror", "requests"}, {"mirror", "queries"}, {"mirror", "judge"},
	{"mirror", "working"}, {"tasks"}, {"tasks", "generate"},
	{"tasks", "show"}, {"tasks", "verify"}, {"tasks", "measure"}, {"tasks", "sample"},
	{"tasks", "export"}, {"tasks", "import"}, {"tasks", "instruct"}, {"tasks", "add"}, {"tasks", "make"},
	{"tasks", "check"},
	{"tools"}, {"tools", "import"}, {"tools", "next"}, {"tools", "check"}, {"gate"},
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for _, words := range commands {
		name := strings.Join(append([]string{"toolevo"}, words...), " ")

		r := cli(t, append(words, "--help")...)
		if r.code != exitDone || r.err != "" {
			t.Errorf("%s --help: exit %d, %s", name, r.code, r.err)
		}

		says(t, name+" --help", r.out, "Usage:\n  "+name)

		leaf := name != "toolevo" && name != "toolevo data" && name != "toolevo bench" && name != "toolevo version" &&
			name != "toolevo versions" && name != "toolevo data template" && name != "toolevo completion" &&
			name != "toolevo toolbench" && name != "toolevo mirror" && name != "toolevo tasks" &&
			name != "toolevo tools"
		if leaf && !strings.Contains(r.out, "Examples:\n  "+name) && !strings.Contains(r.out, "\n  "+name+" ") {
			t.Errorf("%s --help has no example:\n%s", name, r.out)
		}

		for line := range strings.Lines(r.out) {
			// The last line of a group, which the library writes, has the command's path in it.
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > console.HelpWidth &&
				name != "toolevo completion" && !strings.HasPrefix(line, `Use "toolevo data template `) {
				t.Errorf("%s --help: a line of %d columns: %s", name, n, line)
			}
		}
	}
}

func TestEveryHelpTextIsOfACommand(t *testing.T) {
	t.Parallel()

	files, err := helpTexts.ReadDir("help")
	if err != nil {
		t.Fatal(err)
	}

	names := map[string]bool{"toolevo.txt": true}
	for _, words := range commands[1:] {
		names[words[len(words)-1]+".txt"] = true
	}

	for _, f := range files {
		if !names[f.Name()] {
			t.Errorf("help/%s is of no command", f.Name())
		}
	}
}

func TestEveryCommandHasATest(t *testing.T) {
	t.Parallel()
	root := (&app{}).root()

	tested := map[string]bool{}
	for _, words := range commands {
		tested[strings.Join(words, " ")] = true
	}

	for _, c := range root.Commands() {
		if !tested[c.Name()] && c.Name() != "help" {
			t.Errorf("%s is in no test", c.Name())
		}

		for _, sub := range c.Commands() {
			if c.Name() != "completion" && !tested[c.Name()+" "+sub.Name()] {
				t.Errorf("%s %s is in no test", c.Name(), sub.Name())
			}
		}
	}
}

func TestVersionAndCompletion(t *testing.T) {
	t.Parallel()
	if out := must(t, "version"); !strings.HasPrefix(out, "toolevo "+toolevo.Version) || strings.Count(out, "\n") != 1 {
		t.Errorf("version: %q", out)
	}

	for _, sh := range []string{"bash", "zsh", "fish", "powershell"} {
		if out := must(t, "completion", sh); !strings.Contains(out, "toolevo") {
			t.Errorf("completion %s: %.100q", sh, out)
		}
	}
}

// TestRunsAreNotMixed holds that a run directory takes no other run: not without --resume, not with
// other settings, not with other data, not while another process works on it.
func TestRunsAreNotMixed(t *testing.T) {
	t.Parallel()
	data, run := smallData(t), filepath.Join(t.TempDir(), "run")
	collect := func(more ...string) []string {
		return append([]string{"collect", "--data", data, "--limit", "1", "--trees", "1", "--out", run}, more...)
	}
	must(t, collect()...)
	rows := string(read(t, filepath.Join(run, rowsFile)))

	fails(t, exitUsage, []string{run, "already holds a run", "--resume"}, collect()...)
	fails(t, exitUsage,
		[]string{"which differs", "seed: 2, not 1", "search.cpuct: 2, not 0.5", "Choose another folder"},
		collect("--resume", "--seed", "2", "--set", "search.cpuct=2")...)
	fails(t, exitUsage, []string{"of another command", "toolevo collect"}, "eval", "--data", data, "--resume", "--out",
		run)

	other := t.TempDir()
	made(t, "data", "build", "--data", other, "--dataset", "coffee", "--seed", "6", "--rows", "900")
	made(t, "data", "questions", "--data", other, "--seed", "6", "--scale", "0.01")
	fails(t, exitUsage, []string{"which differs", "corpus coffee"},
		"collect", "--data", other, "--resume", "--out", run)
	fails(t, exitUsage, []string{"other inputs", "corpus coffee", "--data"}, "check", run, "--data", other)

	release, err := store.Lock(filepath.Join(run, "run.lock"))
	if err != nil {
		t.Fatal(err)
	}

	fails(t, exitUsage, []string{"another process is working on this run"}, "collect", "--data", data, "--resume",
		"--out", run)
	must(t, "inspect", run) // reading is free

	if err := release(); err != nil {
		t.Fatal(err)
	}

	must(t, "collect", "--data", data, "--resume", "--out", run)
	must(t, collect("--resume")...)

	if string(read(t, filepath.Join(run, rowsFile))) != rows {
		t.Error("going on with a finished run changed its trajectories")
	}
}

// TestResumeTakesTheRunsConfiguration holds that the printed command is enough, whatever the
// environment says, and that what is said beside it has to agree.
func TestResumeTakesTheRunsConfiguration(t *testing.T) {
	t.Parallel()
	data, run := smallData(t), filepath.Join(t.TempDir(), "run")
	environ := []string{"TOOLEVO_SEED=7", "TOOLEVO_DATA=" + data}

	r := cliWith(t, "", environ, "collect", "--limit", "1", "--trees", "1", "--seed", "8", "--difficulty", "hard",
		"--out", run)
	if r.code != exitDone {
		t.Fatal(r.err)
	}

	if r := cliWith(t, "", environ, "collect", "--resume", "--out", run); r.code != exitDone {
		t.Errorf("exit %d: %s", r.code, r.err)
	}

	file := filepath.Join(t.TempDir(), "settings.yaml")
	if err := os.WriteFile(file, []byte("preset: paper\n"), 0o644); err != nil {
		t.Fatal(err)
	}

	r = cliWith(t, "", environ[1:], "collect", "--resume", "--out", run, "--config", file)
	if r.code != exitUsage {
		t.Errorf("another configuration file: exit %d", r.code)
	}

	says(t, "collect --config", r.err, "preset: paper, not efficient")
}
