package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/configs"
	"toolevo/envs/action"
	"toolevo/envs/envtest/suitetest"
	"toolevo/envs/remote/bench"
	"toolevo/envs/remote/remotetest"
	"toolevo/envs/suite"
	"toolevo/finetune"
	"toolevo/mcts/policy/serving"
	"toolevo/mcts/policy/simserver"
	"toolevo/trajectories/export"
)

// The toy benchmark is known to no program but that of the tests.
func init() { suite.Register(suitetest.Shop{}) }

// asProgram makes this binary the program, so that a process has the toy benchmark, too.
const asProgram = "TOOLEVO_TEST_PROGRAM"

// asImpatient is the value of asProgram that makes it ask servers again soon, as cli does.
const asImpatient = "impatient"

// ofShop are the arguments of a command about the toy benchmark.
func ofShop(args ...string) []string {
	return append(args, "--set", "suite=shop", "--set", "prompt=old", "--progress", "none")
}

// Every suite keeps what package suite promises.
func TestSuitesConform(t *testing.T) {
	t.Parallel()

	for _, b := range suite.All() {
		t.Run(b.Name(), func(t *testing.T) {
			t.Parallel()

			layers := []configs.Layer{configs.SettingLayer("test", "suite", b.Name())}
			if b.Name() == (suitetest.Shop{}).Name() {
				layers = append(layers, configs.SettingLayer("test", "prompt", "old"),
					configs.SettingLayer("test", "api", "new"))
			}

			c, err := configs.Load(layers...)
			if err != nil {
				t.Fatal(err)
			}

			data := smallData(t)
			if b.Name() == (bench.Remote{}).Name() {
				data = libraryData(t)
			}

			opened, err := toolevo.NewBench(data, c, &serving.Servers{}, nil)
			if err != nil {
				t.Fatal(err)
			}

			choice, err := opened.Choice(data)
			if err != nil {
				t.Fatal(err)
			}

			engine, err := openShared(t.Context(), c.Python.Options(0))
			if err != nil {
				t.Fatal(err)
			}

			suitetest.Run(t, b, choice, func(s suite.Suite) {
				if s, ok := s.(suite.Sandboxed); ok {
					s.UseEngine(engine)
				}
			})
		})
	}
}

// libraryData is a data folder with the tools of a server that tests have, and tasks for them.
func libraryData(t *testing.T) string {
	t.Helper()
	return libraryOf(t, remotetest.Command(t))
}

// libraryOf is libraryData with the command that starts the server.
func libraryOf(t *testing.T, command []string) string {
	t.Helper()

	data := filepath.Join(t.TempDir(), "data")
	must(t, append([]string{"tools", "import", "--data", data, "--"}, command...)...)

	for split := range remotetest.Tasks {
		must(t, "tasks", "add", remotetest.WriteTasks(t, t.TempDir(), split), "--data", data, "--split", split)
	}
	return data
}

// A benchmark is one package and one line of registration: every command takes it as it is.
func TestAnotherSuite(t *testing.T) {
	t.Parallel()

	react := serveSuite(t, suitetest.Shop{}, simserver.Options{})
	calls := serveSuite(t, suitetest.Shop{}, simserver.Options{Codec: action.FunctionCall{}})
	inCalls := []string{"--set", "environment.codec=function-call"}

	for name, test := range map[string]struct {
		policy, codec []string
		questions     int
		role          string
	}{
		"scripted":           {[]string{"--policy", "scripted:noisy"}, nil, 10, export.GPT},
		"scripted, in calls": {[]string{"--policy", "scripted:noisy"}, inCalls, 10, export.FunctionCall},
		"served":             {onServer(react, "--set", "server.shots=0"), nil, 6, export.GPT},
		"served, in calls":   {onServer(calls, "--set", "server.shots=0"), inCalls, 6, export.FunctionCall},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			dir := t.TempDir()
			run, exported, eval := filepath.Join(dir, "run"), filepath.Join(dir, "export"), filepath.Join(dir, "eval")

			collect := ofShop("collect", "--data", dir, "--api", "new", "--trees", "3", "--out", run)
			must(t, slices.Concat(collect, test.policy, test.codec)...)
			says(t, "check", must(t, "check", run), "0 problems")
			says(t, "inspect", must(t, "inspect", run, "fruit-train-apple-03", "0"), "[deprecated] Price")
			must(t, "export", "--allow-scripted", run, "--out", exported)
			says(t, "check", must(t, "check", exported), "0 faulty, 0 problems")

			manifest, err := export.ReadManifest(exported)
			if err != nil || manifest.Questions != test.questions {
				t.Errorf("samples of %d questions (%v), want %d", manifest.Questions, err, test.questions)
			}

			for sample, err := range export.Read(exported, false) {
				turns := sample.Conversations
				if err != nil || turns[len(turns)-1].From != test.role || turns[2].From != export.Observation {
					t.Errorf("%v: a sample with the turns %v", err, turns)
				}
			}

			text := must(t, append(ofShop("eval", "--data", dir, "--api", "old,new", "--out", eval, "--json",
				"--policy", "scripted:reader,scripted:stale"), test.codec...)...)
			for _, row := range document[finetune.Report](t, text).Rows {
				want := 1.0
				if row.Policy == "scripted:stale" && row.API == "new" {
					want = 0
				}

				if row.Official != want || row.N == 0 {
					t.Errorf("%s: %v of %d, want %v", row.Cell, row.Official, row.N, want)
				}
			}

			says(t, "check", must(t, "check", eval), "0 problems")
		})
	}
}

// A prompt cannot show the tools of a dataset where the benchmark does not say which they are.
func TestASuiteThatDoesNotNarrow(t *testing.T) {
	t.Parallel()

	fails(t, exitUsage, []string{"server.prompt.tools (from", "the suite shop does not say", "want all"},
		ofShop("collect", "--set", "server.prompt.tools=dataset", "--out", filepath.Join(t.TempDir(), "run"))...)
}

// kill starts a process with the toy benchmark, and kills it once the log of its run holds n calls.
func kill(t *testing.T, run string, n int, args ...string) {
	t.Helper()

	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(slices.Clip(ordinary), asProgram+"=1")
	p := launch(t, cmd)

	if !p.until(t, run, n) {
		t.Fatalf("it ended before it was killed: %s", p.err)
	}

	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}

	p.wait()
}

// A run of another benchmark that is killed goes on to the same rows.
func TestAnotherSuiteIsKilled(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	whole, killed := filepath.Join(dir, "whole"), filepath.Join(dir, "killed")
	s := serveSuite(t, suitetest.Shop{}, simserver.Options{
		Latency: simserver.Latency{PerCompletion: 20 * time.Millisecond},
	})
	collect := func(out string) []string {
		return onServer(s, ofShop("collect", "--data", dir, "--api", "new", "--run-id", "shop",
			"--set", "server.shots=0", "--out", out)...)
	}
	must(t, collect(whole)...)

	kill(t, killed, 20, collect(killed)...)
	must(t, "collect", "--resume", "--out", killed, "--progress", "none", "--server", s.URL()+"/v1")
	says(t, "check", must(t, "check", killed), "0 problems")

	if !bytes.Equal(read(t, filepath.Join(whole, rowsFile)), read(t, filepath.Join(killed, rowsFile))) {
		t.Error("a run that was killed has other rows")
	}
}
