package main

import (
	"bytes"
	"context"
	"database/sql"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/attack"
	"toolevo/envs/sandbox/engines"
	"toolevo/envs/suite"
	"toolevo/finetune"
	"toolevo/finetune/stored"
	"toolevo/mcts/policy/serving"
	"toolevo/mcts/store"
	"toolevo/toolqa/pytool"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
)

// The flags about the engine mean the same on every command that runs programs.
func TestTheEngineHasFlags(t *testing.T) {
	t.Parallel()
	data := smallData(t)
	for _, kind := range []string{stored.Collection, stored.Evaluated} {
		out := must(t, kind, "--data", data, "--limit", "1", "--engine", "forkserver", "--python", "python3",
			"--dry-run")
		says(t, kind, out, "programs run in forkserver python 3.", "engine: forkserver", "flag --engine",
			"flag --python")
		fails(t, exitUsage, []string{"python.engine", "docker"}, kind, "--data", data, "--engine", "docker",
			"--dry-run")
	}
}

// forgetLaterQuestions takes the trees of questions out of a run that the shorter run first has
// not, and what their programs showed, so that going on with it runs them again.
func forgetLaterQuestions(t *testing.T, dir, first string) {
	t.Helper()

	if err := reopened(t, dir).Close(); err != nil {
		t.Fatal(err)
	}

	db, err := sql.Open("sqlite3", filepath.Join(dir, "run.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	db.SetMaxOpenConns(1)

	for _, query := range []string{
		`ATTACH '` + filepath.Join(first, "run.db") + `' AS first`,
		`DELETE FROM tools WHERE key NOT IN (SELECT key FROM first.tools)`,
		`DELETE FROM trees WHERE question NOT IN
			(SELECT id FROM questions WHERE name IN (SELECT name FROM first.questions))`,
		`DELETE FROM meta WHERE key = 'seal'`,
	} {
		if _, err := db.Exec(query); err != nil {
			t.Fatal(err)
		}
	}
}

// reopened opens a run to be changed, as if it had not been finished.
func reopened(t *testing.T, dir string) *store.Run {
	t.Helper()

	run, err := store.ResumeRun(context.Background(), dir,
		func(_ context.Context, run *store.Run) (store.Manifest, string, error) {
			m := run.Manifest
			m.Data, m.Finished = m.DataFolder(dir), nil
			return m, run.Config, nil
		})
	if err != nil {
		t.Fatal(err)
	}

	return run
}

// pythons counts the rows of a run by what ran their programs.
func pythons(t *testing.T, dir string) map[string]int {
	t.Helper()

	n := map[string]int{}

	for row, err := range trajectories.ReadFile(filepath.Join(dir, rowsFile)) {
		if err != nil {
			t.Fatal(err)
		}

		if !strings.HasPrefix(row.Makers[0].Limits, "wall 32s, cpu 8s, memory 1024 MiB, output 64 KiB") {
			t.Fatalf("limits are %q", row.Makers[0].Limits)
		}
		words := make([]string, len(row.Makers))
		for i, m := range row.Makers {
			words[i] = m.String()
		}

		n[strings.Join(words, "; ")]++
	}
	return n
}

// otherPython is what an engine is called after [fakePython.setOther].
func otherPython(engine string) string {
	return regexp.MustCompile(`python [0-9.]+`).ReplaceAllString(engine, "python 3.99.1")
}

// A run goes on with another Python only when it is told to, and then every trajectory names those
// whose output it holds.
func TestARunMixesEnginesOnlyWhenTold(t *testing.T) {
	t.Parallel()
	data, dir, short := smallData(t), filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "short")
	python := newFakePython(t)
	collect := append([]string{"collect", "--data", data, "--policy", "scripted:reader", "--preset", "paper",
		"--trees", "2", "--set", "search.simulations=4"}, python.flags()...)
	must(t, append(collect, "--limit", "2", "--out", short)...)
	must(t, append(collect, "--limit", "4", "--out", dir)...)
	before := pythons(t, dir)

	whole := read(t, filepath.Join(dir, rowsFile))
	if len(before) != 1 {
		t.Fatalf("rows by Python: %v", before)
	}

	first := ""
	for first = range before {
	}
	second := otherPython(first)

	forgetLaterQuestions(t, dir, short)
	python.setOther(t, true)

	resume := []string{"collect", "--data", data, "--resume", "--out", dir}
	fails(t, exitUsage, []string{second + ", not " + first, "--mix-engines", "python.executable"}, resume...)
	out := must(t, append(resume, "--mix-engines")...)
	says(t, "collect --mix-engines", out, "programs ran in "+first+"; then in "+second, "No walls")

	after, rows := pythons(t, dir), 0
	for _, n := range after {
		rows += n
	}

	if after[first] == 0 || after[second] == 0 || rows != before[first] {
		t.Fatalf("rows by Python: %v, before %v", after, before)
	}

	// The rows, but for the name of the Python, are those of a run that was left alone, and the log
	// still proves them.
	says(t, "check", must(t, "check", dir, "--data", data), "0 problems", first+"; then in "+second)
	says(t, "inspect", must(t, "inspect", dir), first+"; then in "+second)
	exported := []string{"export", "--allow-scripted", dir,
		"--out", filepath.Join(t.TempDir(), "export")}
	fails(t, exitUsage, []string{first, second, "export them apart, or add --mix-engines"}, exported...)
	must(t, append(exported, "--mix-engines")...)

	// Grown again by the first Python alone, the trees are its own.
	forgetLaterQuestions(t, dir, short)
	python.setOther(t, false)
	must(t, resume...)

	if !bytes.Equal(read(t, filepath.Join(dir, rowsFile)), whole) {
		t.Errorf("the run is another one than if it had never been mixed: %v", pythons(t, dir))
	}
}

// What --mix-engines is given about the engine is not part of the run, and stands in the command
// that goes on.
func TestMixingWithAnotherEngine(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), filepath.Join(t.TempDir(), "run")
	must(t, "collect", "--data", data, "--limit", "1", "--preset", "paper", "--trees", "2", "--set",
		"search.simulations=4", "--set", "python.engine=forkserver", "--out", dir)
	config := read(t, filepath.Join(dir, store.ConfigFile))
	resume := []string{"collect", "--data", data, "--resume", "--out", dir, "--set", "python.engine=unsafe"}
	fails(t, exitUsage, []string{"python: unsafe python", "not forkserver python"}, resume...)
	says(t, "collect", must(t, append(resume, "--mix-engines")...), "programs ran in forkserver python",
		"; then in unsafe python")

	if !bytes.Equal(config, read(t, filepath.Join(dir, store.ConfigFile))) {
		t.Error("the run's configuration was changed")
	}

	f := &runFlags{}
	f.command, f.MixEngines, f.PythonServers, f.Servers = "collect", true, 3, on(io.Discard).serving()
	says(t, "the command to resume", f.resumeCommand(toolevo.Stop{
		Dir: dir, Settings: []string{"python.engine=unsafe", "python.executable=/py"},
	}), "--mix-engines --set python.engine=unsafe --set python.executable=/py", "--python-servers 3")
}

func TestMixingFlagsAreRefused(t *testing.T) {
	t.Parallel()
	data := smallData(t)
	fails(t, exitUsage, []string{"--mix-engines needs --resume"}, "collect", "--data", data, "--mix-engines")
	fails(t, exitUsage, []string{"--python-servers -1"}, "eval", "--data", data, "--python-servers", "-1")
}

// An evaluation keeps its Python, too.
func TestAnEvaluationMixesEnginesOnlyWhenTold(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), filepath.Join(t.TempDir(), "run")
	python := newFakePython(t)
	eval := append([]string{"eval", "--data", data, "--limit", "2", "--policy", "scripted:reader", "--api", "p_c",
		"--out", dir, "--json"}, python.flags()...)
	want := document[finetune.Report](t, must(t, eval...))
	python.setOther(t, true)
	second := otherPython(want.Engines[0])
	fails(t, exitUsage, []string{second + ", not " + want.Engines[0]}, append(eval, "--resume")...)

	got := document[finetune.Report](t, must(t, append(eval, "--resume", "--mix-engines")...))
	if len(want.Engines) != 1 || len(got.Engines) != 2 || got.Engines[1] != second {
		t.Errorf("engines %v, then %v", want.Engines, got.Engines)
	}

	if diff := cmp.Diff(want.Rows, got.Rows); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
}

// So do the evaluations of a command that makes several.
func TestSeveralEvaluationsMixEnginesOnlyWhenTold(t *testing.T) {
	t.Parallel()
	python := newFakePython(t)
	gate := append([]string{"gate", "p_c", "p_c", "--data", smallData(t), "--split", "train",
		"--limit", "1", "--policy", "scripted:reader", "--out", filepath.Join(t.TempDir(), "gate")},
		python.flags()[:4]...)
	must(t, append(gate, "--mix-engines")...)
	python.setOther(t, true)
	fails(t, exitUsage, []string{"python 3.99.1", "--mix-engines"}, gate...)
	must(t, append(gate, "--mix-engines")...)
}

// A run keeps what auto once chose: bubblewrap that comes or goes does not change it in silence.
func TestARunKeepsWhatAutoChose(t *testing.T) {
	if _, err := exec.LookPath("bwrap"); err != nil {
		t.Skip("bubblewrap is not installed")
	}

	data, dir := smallData(t), t.TempDir()
	collect := []string{"collect", "--data", data, "--limit", "1", "--trees", "1"}

	with, without := filepath.Join(dir, "with"), filepath.Join(dir, "without")
	if out := must(t, append(collect, "--out", with)...); !strings.Contains(out, "programs ran in bwrap ") {
		t.Skip("bubblewrap does not work here")
	}

	path := os.Getenv("PATH")

	python, err := exec.Command("python3", "-c", "import os, sys; print(os.path.realpath(sys.executable))").Output()
	if err != nil {
		t.Fatal(err)
	}

	bin := t.TempDir()
	if err := os.Symlink(strings.TrimSpace(string(python)), filepath.Join(bin, "python3")); err != nil {
		t.Fatal(err)
	}

	t.Setenv("PATH", bin)
	says(t, "collect", must(t, append(collect, "--out", without)...), "programs ran in forkserver ")
	fails(t, exitGaveUp, []string{"engine bwrap", "not installed", "was started with this engine", "--mix-engines"},
		append(collect, "--resume", "--out", with)...)
	says(t, "collect", must(t, append(collect, "--resume", "--out", with, "--mix-engines")...),
		"programs ran in bwrap ", "; then in forkserver ")

	t.Setenv("PATH", path)

	out := must(t, append(collect, "--resume", "--out", without)...)
	if strings.Contains(out, "bwrap") {
		t.Errorf("a run of forkserver went on in bwrap:\n%s", out)
	}
}

// Engines without walls are named in every report.
func TestUnsafeIsSaidEverywhere(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), t.TempDir()
	run, exported, eval := filepath.Join(dir, "run"), filepath.Join(dir, "export"), filepath.Join(dir, "eval")
	const warning = "No walls around model-written programs (python.engine unsafe)."
	unsafe := []string{"--data", data, "--limit", "1", "--set", "python.engine=unsafe"}

	r := cli(t, append([]string{"collect", "--trees", "1", "--out", run}, unsafe...)...)
	says(t, "collect", r.out, warning)
	says(t, "collect, on stderr", r.err, warning)
	r = cli(t, append([]string{"eval", "--policy", "scripted:reader", "--api", "p_c", "--out", eval}, unsafe...)...)
	says(t, "eval", r.out, warning)
	says(t, "eval, on stderr", r.err, warning)

	for _, name := range []string{reportJSON, reportMarkdown} {
		says(t, name, string(read(t, filepath.Join(eval, name))), warning, "unsafe python")
	}

	says(t, "inspect", must(t, "inspect", run), warning)
	says(t, "check", must(t, "check", run, "--data", data), warning)
	says(t, "export", must(t, "export", "--allow-scripted", run, "--out", exported), warning)
	says(t, "check export", must(t, "check", exported), warning)

	for _, args := range [][]string{{"inspect", run, "--json"}, {"check", run, "--data", data, "--json"},
		{"check", exported, "--json"}} {
		if got := document[struct{ Warnings []string }](t, must(t, args...)).Warnings; !slices.Equal(got,
			[]string{warning}) {
			t.Errorf("%v warns %q", args, got)
		}
	}

	m, err := export.ReadManifest(exported)
	if err != nil || m.Unconfined != m.Rows || m.Rows == 0 || m.Runs[0].Makers[0].Name != engines.Unsafe {
		t.Errorf("manifest %+v, %v", m, err)
	}

	says(t, "lineage", string(read(t, filepath.Join(exported, export.LineageFile))), `"makers":"unsafe python `)
	r = cliWith(t, "", nil, "play", "--data", data, "--set", "python.engine=unsafe")
	says(t, "play", r.err, warning)
}

// An engine that does not hold is not used: nothing is asked, nothing is made.
func TestABreachEndsARunBeforeItStarts(t *testing.T) {
	t.Parallel()
	data := smallData(t)
	breach := &attack.BreachError{
		Engine: sandbox.Stamp{Engine: "forkserver"},
		Of:     24,
		Breaches: []attack.Finding{{
			Attack: attack.Attack{Name: "tcp-connect", Wall: attack.Network},
			Seen:   "connected",
		}},
	}

	for _, kind := range []string{stored.Collection, stored.Evaluated} {
		dir := filepath.Join(t.TempDir(), "run")
		var out, words bytes.Buffer
		a := on(&words)
		a.Out = &out
		a.attack = func(context.Context, sandbox.Stamp, func(context.Context) (sandbox.Engine, error)) error {
			return breach
		}

		args := []string{kind, "--data", data, "--limit", "1", "--out", dir}
		if code := a.run(t.Context(), args); code != exitGaveUp || out.Len() > 0 {
			t.Errorf("%s: exit %d\n%s%s", kind, code, &out, &words)
		}

		says(t, kind, words.String(), "tcp-connect", "connected", "does not hold", "doctor sandbox")

		if left := files(t, dir); len(left) > 0 {
			t.Errorf("%s left %v", kind, left)
		}

		words.Reset()

		if code := a.run(t.Context(), append(args, "--set", "python.engine=unsafe")); code != exitDone {
			t.Errorf("%s: exit %d: the engine unsafe was attacked\n%s", kind, code, &words)
		}
	}
}

// The prompt says what can be imported where programs run, and a sample of training says what its
// own prompt said.
func TestThePromptSaysWhatCanBeImported(t *testing.T) {
	t.Parallel()
	benchmark, err := suite.Lookup("toolqa")
	if err != nil {
		t.Fatal(err)
	}

	c, err := configs.Load()
	if err != nil {
		t.Fatal(err)
	}

	stamp := sandbox.Stamp{Engine: "forkserver", Python: "3.11.2", Modules: []string{"numpy 1.24.2", "pandas 2.1.0"}}

	for _, api := range []string{"p_c", "p_s_ood"} {
		v, err := shippedVersion(api)
		if err != nil {
			t.Fatal(err)
		}

		bare, err := serving.NewPrompt(benchmark, c, v, nil, nil)
		if err != nil {
			t.Fatal(err)
		}

		full, err := serving.NewPrompt(benchmark, c, v, []string{"pandas", "numpy"}, nil)
		if err != nil {
			t.Fatal(err)
		}

		for i, api := range v.APIs {
			want := bare.Tools[i].Description
			if api.Tool == "PythonInterpreter" {
				want += " " + pytool.Describe(stamp.ModuleNames())
			}

			if full.Tools[i].Description != want {
				t.Errorf("%s: %q, want %q", api.Name, full.Tools[i].Description, want)
			}
		}

		if text := full.System(envs.Task{}); strings.Count(text, "numpy") != 1 || strings.Count(text, "pandas") != 1 {
			t.Errorf("the prompt names the modules not once:\n%s", text)
		}
	}

	data, dir := smallData(t), t.TempDir()
	run, exported := filepath.Join(dir, "run"), filepath.Join(dir, "export")
	must(t, "collect", "--data", data, "--limit", "1", "--trees", "1", "--set", "python.engine=forkserver", "--set",
		"python.modules=", "--out", run)
	must(t, "export", "--allow-scripted", run, "--out", exported)

	for sample, err := range export.Read(exported, false) {
		if err != nil {
			t.Fatal(err)
		}

		if !strings.Contains(sample.System, "what it prints. "+pytool.Describe(nil)) {
			t.Fatalf("a sample's system text does not say what can be imported:\n%s", sample.System)
		}
	}
}

// What a machine lacks a scripted run does without, and says so; what it teaches names what the
// configuration says.
func TestMissingModulesAreSaid(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), filepath.Join(t.TempDir(), "run")
	missing := []string{"--engine", "unsafe", "--set", "python.modules=no_such_module,another_one"}
	args := append([]string{"--data", data, "--limit", "1", "--trees", "1", "--out", dir}, missing...)
	r := cli(t, append([]string{"collect"}, args...)...)
	says(t, "collect", r.err, "has no no_such_module, another_one",
		"--set python.executable=FILE")

	if n := strings.Count(r.err, "has no no_such_module"); r.code != exitDone || n != 1 {
		t.Errorf("exit %d, said %d times:\n%s", r.code, n, r.err)
	}

	// What training data and a person who plays are told is the configuration's, whatever this
	// machine has.
	told := pytool.Describe([]string{"no_such_module", "another_one"})
	exported := filepath.Join(t.TempDir(), "export")
	must(t, "export", "--allow-scripted", dir, "--out", exported)

	samples := 0
	for sample, err := range export.Read(exported, false) {
		if samples++; err != nil || !strings.Contains(sample.System, told) {
			t.Errorf("a sample's system text does not say what the configuration says: %v\n%s", err, sample.System)
		}
	}

	if samples == 0 {
		t.Error("no sample was exported")
	}

	r = cliWith(t, "", nil, append([]string{"play", "--data", data}, missing[2:]...)...)
	says(t, "play", r.err, "has no no_such_module", told)
}

// A model is not asked where its prompt would promise what fails: what the prompt says is the
// configuration's, on every machine.
func TestAModelIsNotPromisedWhatIsMissing(t *testing.T) {
	t.Parallel()
	data := smallData(t)
	for _, kind := range []string{stored.Collection, stored.Evaluated} {
		args := []string{kind, "--data", data, "--limit", "1", "--engine", "forkserver", "--policy", "openai:m",
			"--server", "http://127.0.0.1:1/v1", "--dry-run"}
		fails(t, exitUsage, []string{"has no no_such_module, which the prompt says",
			"--set python.executable=FILE", "--set python.modules="},
			append(args, "--set", "python.modules=no_such_module")...)
		says(t, kind, must(t, append(args, "--set", "python.modules=")...), "modules: []")
	}
}
