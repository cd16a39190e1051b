package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/console"
	"toolevo/envs/remote/remotetest"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/engines"
	"toolevo/finetune/rundir"
	"toolevo/finetune/stored"
	"toolevo/toolqa"
	"toolevo/toolqa/questions"
)

var update = flag.Bool("update", false, "rewrite the golden files and the demonstrations")

// scratch is a folder for what the tests of this binary share.
var scratch string

func TestMain(m *testing.M) {
	if as := os.Getenv(asProgram); as != "" {
		os.Unsetenv(asProgram) // it is no setting

		if as == asImpatient {
			mainWith(soon)
		}

		main()
	}

	engines.Main()
	remotetest.Main()

	// Whoever began the tests may ignore the end of the terminal, and so would what they start: a
	// handler ends that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)

	debug.SetGCPercent(400) // the heaps of tests are small, and collecting them is a tenth of all they do
	flag.Parse()

	// Most of a test is waiting for the programs that it starts, and for servers that hang.
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = flag.Set(f.Name, strconv.Itoa(2*runtime.GOMAXPROCS(0)))
	}

	var err error
	if scratch, err = os.MkdirTemp("", "toolevo-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}

	pythonFirst()

	if err := build(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}

	confine.UseBinary(binary())

	for _, variable := range modulesHere() { // of the programs that tests start
		name, value, _ := strings.Cut(variable, "=")
		os.Setenv(name, value)
	}

	ordinary, usualSurroundings = os.Environ(), surroundings()
	code := m.Run()

	closeShared()
	closeCalmServers()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// pythonFirst puts the folder of the interpreter before all others, where python3 is a script that
// looks for one, which takes longer than most programs that tests run in it.
func pythonFirst() {
	found, err := exec.LookPath("python3")
	if err != nil {
		return
	}

	text, err := exec.Command(found, "-c", "import sys; print(sys.executable)").Output()
	if dir := filepath.Dir(strings.TrimSpace(string(text))); err == nil && dir != filepath.Dir(found) {
		os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
}

// ordinary is the environment of programs that tests start. That of this process has bait now and
// then, while another test attacks an engine.
var ordinary []string

// program is a call of the program.
func program(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()

	cmd := exec.Command(binary(), args...)
	cmd.Env = slices.Clip(ordinary)
	return cmd
}

// The exit codes, as the documents promise them.
const (
	exitDone        = 0
	exitBad         = 1
	exitUsage       = 2
	exitGaveUp      = 3
	exitInterrupted = 130
)

// The files of run directories.
const (
	rowsFile       = stored.RowsFile
	reportJSON     = rundir.ReportFile
	reportMarkdown = stored.ReportMarkdown
	reportCSV      = stored.ReportCSV
	reportLaTeX    = stored.ReportLaTeX
)

// The kinds of policies on servers.
const (
	kindOpenAI = "openai"
	kindOllama = "ollama"
)

// result is how a command ended.
type result struct {
	code     int
	out, err string
}

// cli runs a command in this process.
func cli(t testing.TB, args ...string) result {
	t.Helper()
	return cliWith(t, "", nil, args...)
}

// soon is how long a command in a test waits before it asks a server again. It changes no result,
// as is the point of the tests with faults, and the default would make them wait for minutes.
const soon = 10 * time.Millisecond

// modulesHere is an environment in which a prompt does not promise numpy if it is missing: a model
// would not be asked.
var modulesHere = sync.OnceValue(func() []string {
	if exec.Command("python3", "-c", "import numpy").Run() == nil {
		return nil
	}
	return []string{"TOOLEVO_PYTHON_MODULES="}
})

// on is a program that says on a screen what is for people, reads nothing and throws results away.
func on(screen io.Writer) *app {
	return &app{Program: console.Program{
		In:  strings.NewReader(""),
		Out: io.Discard,
		Err: &console.Screen{W: screen},
	}}
}

// cliWith runs a command with a standard input and an environment. Servers have much time to answer
// it, as this process, too, may be busy.
func cliWith(t testing.TB, in string, environ []string, args ...string) result {
	t.Helper()
	return cliOf(t, time.Minute, in, environ, args...)
}

// cliOf is cliWith for servers that are looked at for some time.
func cliOf(t testing.TB, probe time.Duration, in string, environ []string, args ...string) result {
	t.Helper()
	var out, words bytes.Buffer

	if slices.ContainsFunc(args, func(arg string) bool {
		return strings.Contains(arg, "openai:") ||
			strings.Contains(arg, "ollama:")
	}) {
		environ = append(slices.Clone(modulesHere()), environ...)
	}

	a := on(&words)
	a.In, a.Out, a.Environ = strings.NewReader(in), &out, environ
	a.backoff, a.quietPeriod, a.open, a.attack = soon, time.Hour, openShared, attackedOnce
	a.probe = probe
	code := a.run(context.WithoutCancel(t.Context()), args)
	return result{code, out.String(), words.String()}
}

// attackedOnce attacks each kind of engine once: the tests open hundreds.
var attackedOnce = engines.Once()

// must runs a command that has to succeed, and returns what it wrote to stdout.
func must(t testing.TB, args ...string) string {
	t.Helper()

	r := cli(t, args...)
	if r.code != exitDone {
		t.Fatalf("toolevo %s: exit %d\n%s%s", strings.Join(args, " "), r.code, r.out, r.err)
	}
	return r.out
}

// made is must for what a test only needs, and does not test: the program itself does it, which
// takes a quarter of the processor time that this process takes under the race detector. It has no
// suites but those that are shipped.
func made(t testing.TB, args ...string) string {
	t.Helper()
	var out, words bytes.Buffer

	cmd := program(t, args...)

	cmd.Stdout, cmd.Stderr = &out, &words
	if err := cmd.Run(); err != nil {
		t.Fatalf("toolevo %s: %v\n%s%s", strings.Join(args, " "), err, &out, &words)
	}
	return out.String()
}

// collection is made for a collection that a test only needs, without walls around its programs:
// attacking them would take longer than all else.
func collection(t testing.TB, args ...string) string {
	t.Helper()
	return made(t, append([]string{"collect", "--engine", "unsafe", "--progress", "none"}, args...)...)
}

// fails runs a command that has to end with a code and say some words on stderr and nothing on
// stdout.
func fails(t *testing.T, code int, words []string, args ...string) result {
	t.Helper()

	r := cli(t, args...)
	if r.code != code || r.out != "" {
		t.Errorf("toolevo %s: exit %d, want %d\n%s%s", strings.Join(args, " "), r.code, code, r.out, r.err)
	}

	says(t, strings.Join(args, " "), r.err, words...)
	return r
}

func says(t *testing.T, about, text string, words ...string) {
	t.Helper()

	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("toolevo %s: it does not say %q:\n%s", about, w, text)
		}
	}
}

// document decodes what has to be one JSON document and nothing else.
func document[T any](t testing.TB, text string) T {
	t.Helper()
	var v T

	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&v); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, text)
	}

	if d.More() {
		t.Fatalf("more than one document:\n%s", text)
	}
	return v
}

// shared makes a folder once for all tests, below scratch.
func shared(name string, fill func(t testing.TB, dir string)) func(t testing.TB) string {
	var once sync.Once
	dir, done := "", false
	return func(t testing.TB) string {
		t.Helper()
		once.Do(func() {
			dir = filepath.Join(scratch, name)
			fill(t, dir)

			done = true
		})

		if !done {
			t.Fatalf("%s could not be made", name)
		}
		return dir
	}
}

// smallData is a data folder with a synthetic corpus and a hundredth of the paper's questions, with
// invented queries of ToolBench, and with generated tasks.
var smallData = shared("data", func(t testing.TB, dir string) {
	made(t, "data", "build", "--data", dir, "--dataset", "coffee", "--seed", "5", "--rows", "900")
	made(t, "data", "questions", "--data", dir, "--seed", "5", "--scale", "0.01")
	must(t, "toolbench", "import", inventedQueries, "--split", "train", "--data", dir)
	must(t, "tasks", "generate", "--n", "10", "--data", dir, "--progress", "none")
})

// inventedQueries are of ToolBench's form.
var inventedQueries = filepath.FromSlash("../../envs/toolbench/testdata/queries")

// defaultData is a data folder with the corpora of the demo and the paper's numbers of questions.
var defaultData = shared("default", func(t testing.TB, dir string) {
	made(t, "data", "build", "--data", dir, "--scale", "demo")
	made(t, "data", "questions", "--data", dir)
})

// smallRun is a finished collection.
var smallRun = shared("run", func(t testing.TB, dir string) {
	must(t, "collect", "--data", smallData(t), "--limit", "3", "--trees", "2", "--out", dir)
})

// binary is the program, built once, without the race detector and without what only debuggers
// read.
func binary() string { return filepath.Join(scratch, "toolevo") }

// build copies it from the cache of `go run`, which links it only where it changed; `go build`
// links it every time.
func build() error {
	cmd := exec.Command("go", "run", "-ldflags=-s -w", "-exec", "cp", ".", binary())
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go run -exec cp: %w\n%s", err, text)
	}
	return nil
}

// ask returns the first question of a template in a split.
func ask(t testing.TB, data, template string, split toolqa.Split) toolqa.Question {
	t.Helper()

	ds, name, _ := strings.Cut(template, "-")
	difficulty, _, _ := strings.Cut(name, "/")

	qs, err := questions.Read(data, toolqa.Dataset(ds), toolqa.Difficulty(difficulty), split)
	if err != nil {
		t.Fatal(err)
	}

	for _, q := range qs {
		if q.Template == template {
			return q
		}
	}

	t.Fatalf("no %s question of %s in %s", split, template, data)
	return toolqa.Question{}
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()

	path := filepath.Join("testdata", name)
	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: make it with -update", err)
	}

	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// published is the folder of the published benchmark's files, and skips the test where there is
// none.
func published(t *testing.T) string {
	t.Helper()

	dir := os.Getenv("TOOLEVO_SHARED_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}

	dir = filepath.Join(dir, "toolqa")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the published ToolQA files are not there (%v): set TOOLEVO_SHARED_DATA", err)
	}
	return dir
}

func read(t testing.TB, path string) []byte {
	t.Helper()

	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// files lists everything below a folder, nothing where it is missing.
func files(t testing.TB, dir string) []string {
	t.Helper()
	var all []string

	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, path)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}

	return all
}
