package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"toolevo/mcts/store"
)

// commands are all commands, by the words that call them.
var commands = [][]string{
	{}, {"data"}, {"data", "build"}, {"data", "import"}, {"data", "questions"}, {"data", "gold"}, {"data", "verify"}, {"play"}, {"collect"},
	{"inspect"}, {"check"}, {"export"}, {"eval"}, {"demo"}, {"doctor"}, {"doctor", "sandbox"}, {"bench"}, {"bench", "serve"}, {"version"}, {"completion"},
}

func TestHelp(t *testing.T) {
	for _, words := range commands {
		name := strings.Join(append([]string{"toolevo"}, words...), " ")
		r := cli(t, append(words, "--help")...)
		if r.code != exitDone || r.err != "" {
			t.Errorf("%s --help: exit %d, %s", name, r.code, r.err)
		}
		says(t, name+" --help", r.out, "Usage:\n  "+name)
		leaf := name != "toolevo" && name != "toolevo data" && name != "toolevo bench" && name != "toolevo version" && name != "toolevo completion"
		if leaf && !strings.Contains(r.out, "Examples:\n  "+name) && !strings.Contains(r.out, "\n  "+name+" ") {
			t.Errorf("%s --help has no example:\n%s", name, r.out)
		}
		for line := range strings.Lines(r.out) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > helpWidth && name != "toolevo completion" {
				t.Errorf("%s --help: a line of %d columns: %s", name, n, line)
			}
		}
	}
}

func TestEveryCommandHasATest(t *testing.T) {
	root := (&app{err: &console{}}).root()
	tested := map[string]bool{}
	for _, words := range commands {
		tested[strings.Join(words, " ")] = true
	}
	for _, c := range root.Commands() {
		if !tested[c.Name()] {
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
	if out := must(t, "version"); !strings.HasPrefix(out, "toolevo "+version) || strings.Count(out, "\n") != 1 {
		t.Errorf("version: %q", out)
	}
	for _, sh := range []string{"bash", "zsh", "fish", "powershell"} {
		if out := must(t, "completion", sh); !strings.Contains(out, "toolevo") {
			t.Errorf("completion %s: %.100q", sh, out)
		}
	}
}

// TestUnknownNames holds that every wrong name is refused with the valid ones, before anything is written.
func TestUnknownNames(t *testing.T) {
	t.Parallel()
	data, out := smallData(t), filepath.Join(t.TempDir(), "out")
	const versions, scripted = "p_c, p_s_in, p_s_ood, p_s_ood_proprietary", "noisy, reader, stale"
	for _, tt := range []struct {
		args  string
		words []string
	}{
		{"bogus", []string{`"bogus"`, "collect", "data", "eval", "play"}},
		{"data bogus", []string{`"bogus"`, "build, gold, import, questions, verify"}},
		{"collect --bogus", []string{"--bogus", "toolevo collect --help"}},
		{"collect extra", []string{`"extra"`, "toolevo collect [flags]"}},
		{"export", []string{"missing", "toolevo export RUN"}},
		{"inspect", []string{"missing", "toolevo inspect RUN"}},
		{"inspect a b 0 1 2", []string{`"2"`, "toolevo inspect RUN"}},
		{"check a b", []string{`"b"`, "toolevo check RUN"}},

		{"collect --dataset tea", []string{`"tea"`, "valid are agenda, airbnb, coffee", "--dataset"}},
		{"data build --dataset tea", []string{`"tea"`, "valid are agenda, airbnb, coffee"}},
		{"collect --difficulty medium", []string{`"medium"`, "easy, hard, all", "--difficulty"}},
		{"eval --split val", []string{`"val"`, "train, dev, test", "--split"}},
		{"collect --api p_x", []string{`"p_x"`, versions}},
		{"eval --api p_c,p_x", []string{`"p_x"`, versions}},
		{"play --api p_x", []string{`"p_x"`, versions}},
		{"collect --set prompt=p_x", []string{`"p_x"`, versions}},
		{"collect --policy gpt", []string{`"gpt"`, "scripted:noisy, scripted:reader"}},
		{"eval --policy scripted:gpt", []string{`"gpt"`, scripted}},
		{"collect --preset fast", []string{`"fast"`, "efficient, paper, reference", "--preset"}},
		{"collect --compat bugs", []string{`"bugs"`, "published", "text-sql"}},
		{"collect --progress loud", []string{`"loud"`, "auto, bar, plain, none"}},
		{"collect --set search.cpuk=2", []string{`"cpuk"`, "search.cpuct", "--set"}},
		{"collect --set serch.cpuct=2", []string{`"serch"`, "search.cpuct"}},
		{"collect --set search.cpuct", []string{"KEY=VALUE"}},
		{"collect --set environment.reward=best", []string{`"best"`, "official, strict"}},

		{"collect --trees 0", []string{"trees is 0", "at least 1"}},
		{"collect --limit -1", []string{"--limit", "is -1", "at least 0"}},
		{"collect --limit many", []string{"--limit", "many"}},
		{"collect --workers -1", []string{"--workers -1", "at least 1"}},
		{"collect --api p_c,p_s_in", []string{"one --api", "p_c,p_s_in"}},
		{"play --policy scripted:reader,scripted:stale", []string{"one --policy", "scripted:stale"}},
		{"play --question nobody", []string{`"nobody"`, "train questions"}},
		{"eval --fail-under 95", []string{"--fail-under 95", "0 to 1"}},
		{"collect --resume", []string{"--resume needs --out"}},
		{"data questions --scale 2", []string{"--scale 2", "at most 1"}},
		{"data build --rows -1", []string{"-1 rows"}},
		{"data import", []string{"--corpus", "--questions"}},
		{"check . --workers 0", []string{"--workers 0", "at least 1"}},
	} {
		t.Run(tt.args, func(t *testing.T) {
			args := strings.Fields(tt.args)
			if strings.HasPrefix(tt.args, "collect") || strings.HasPrefix(tt.args, "eval") {
				args = append(args, "--data", data)
				if !strings.Contains(tt.args, "--resume") {
					args = append(args, "--out", out)
				}
			}
			if strings.HasPrefix(tt.args, "play") || strings.HasPrefix(tt.args, "data questions") {
				args = append(args, "--data", data)
			}
			if strings.HasPrefix(tt.args, "data build") {
				args = append(args, "--data", out)
			}
			r := cli(t, args...)
			if r.code != exitUsage || r.out != "" {
				t.Errorf("exit %d, want %d\n%s%s", r.code, exitUsage, r.out, r.err)
			}
			says(t, tt.args, r.err, tt.words...)
			if left := files(t, out); len(left) > 0 {
				t.Errorf("it left %v", left)
			}
		})
	}
}

func TestUnknownNamesOfExport(t *testing.T) {
	run, out := smallRun(t), filepath.Join(t.TempDir(), "out")
	for args, words := range map[string][]string{
		"":                   {"--out DIR"},
		"--format csv":       {`"csv"`, "llamafactory"},
		"--strategy best":    {`"best"`, "random, shortest, diverse"},
		"--score best":       {`"best"`, "strict, official"},
		"--split val":        {`"val"`, "train, dev, test"},
		"--template alpaca":  {`"alpaca"`, "llama3, qwen"},
		"--per-question -1":  {"--per-question -1"},
		"--cutoff 100":       {"--tokenizer FILE"},
		"--tokenizer no.txt": {"no.txt"},
	} {
		all := append([]string{"export", run}, strings.Fields(args)...)
		if args != "" {
			all = append(all, "--out", out)
		}
		fails(t, exitUsage, words, all...)
		if left := files(t, out); len(left) > 0 {
			t.Errorf("export %s left %v", args, left)
		}
	}
	fails(t, exitUsage, []string{"no run directory"}, "export", t.TempDir(), "--out", out)
}

func TestUnknownKeysOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "settings.yaml")
	if err := os.WriteFile(file, []byte("seed: 3\nsearch:\n  samples: 5\n  cpu_ct: 2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	fails(t, exitUsage, []string{file, "[4:3]", `"cpu_ct"`, "search.cpuct"}, "collect", "--config", file, "--dry-run", "--data", smallData(t))
	fails(t, exitUsage, []string{"nowhere.yaml"}, "collect", "--config", "nowhere.yaml", "--dry-run", "--data", smallData(t))
}

func TestMissingData(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	for _, args := range []string{"collect", "eval", "play", "data questions", "data gold"} {
		fails(t, exitUsage, []string{nowhere, "toolevo data build"}, append(strings.Fields(args), "--data", nowhere)...)
	}
	must(t, "data", "build", "--data", nowhere, "--dataset", "coffee", "--rows", "50")
	fails(t, exitUsage, []string{"toolevo data questions"}, "collect", "--data", nowhere)
	fails(t, exitUsage, []string{"toolevo data questions"}, "data", "gold", "--data", nowhere)
}

func TestNoRun(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{{"inspect", dir}, {"check", dir}, {"inspect", filepath.Join(dir, "nowhere")}} {
		fails(t, exitUsage, []string{"no run"}, args...)
	}
}

// TestRunsAreNotMixed holds that a run directory takes no other run: not without --resume, not with other settings, not
// with other data, not while another process works on it.
func TestRunsAreNotMixed(t *testing.T) {
	t.Parallel()
	data, run := smallData(t), filepath.Join(t.TempDir(), "run")
	collect := func(more ...string) []string {
		return append([]string{"collect", "--data", data, "--limit", "1", "--trees", "1", "--out", run}, more...)
	}
	must(t, collect()...)
	rows := string(read(t, filepath.Join(run, rowsFile)))

	fails(t, exitUsage, []string{run, "holds a run already", "--resume"}, collect()...)
	fails(t, exitUsage, []string{"belongs to another", "seed: 2, not 1", "search.cpuct: 2, not 0.5", "--out"},
		collect("--resume", "--seed", "2", "--set", "search.cpuct=2")...)
	fails(t, exitUsage, []string{"belongs to another", "toolevo collect"}, "eval", "--data", data, "--resume", "--out", run)

	other := t.TempDir()
	must(t, "data", "build", "--data", other, "--dataset", "coffee", "--seed", "6", "--rows", "900")
	must(t, "data", "questions", "--data", other, "--seed", "6", "--scale", "0.01")
	fails(t, exitUsage, []string{"belongs to another", "corpus coffee"},
		"collect", "--data", other, "--resume", "--out", run)
	fails(t, exitUsage, []string{"other inputs", "corpus coffee", "--data"}, "check", run, "--data", other)

	release, err := store.Lock(filepath.Join(run, "run.lock"))
	if err != nil {
		t.Fatal(err)
	}
	fails(t, exitUsage, []string{"another process is working on this run"}, "collect", "--data", data, "--resume", "--out", run)
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

// TestResumeTakesTheRunsConfiguration holds that the printed command is enough, whatever the environment says, and that
// what is said beside it has to agree.
func TestResumeTakesTheRunsConfiguration(t *testing.T) {
	t.Parallel()
	data, run := smallData(t), filepath.Join(t.TempDir(), "run")
	environ := []string{"TOOLEVO_SEED=7", "TOOLEVO_DATA=" + data}
	r := cliWith(t, "", environ, "collect", "--limit", "1", "--trees", "1", "--seed", "8", "--difficulty", "hard", "--out", run)
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

func TestShellWords(t *testing.T) {
	if got, want := shell("toolevo", "--out", "a b", "it's", "", "x=1,2", "~"), `toolevo --out 'a b' 'it'\''s' '' x=1,2 '~'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
