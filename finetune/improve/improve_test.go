package improve_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/finetune/improve"
	"toolevo/finetune/training/trainingtest"
	"toolevo/mcts/policy/ollama"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/server"
)

const file = `rounds: 2
name: mine
model: base
continue: true
collect: {dataset: coffee, policy-free: 1, set: [a=1, b=2]}
by_round: {1: {collect: {policy: "scripted:noisy", dataset: agenda, set: a=3}}, 2: {export: {per-question: 8}, train: ["two {round}"]}}
trained: {config: sft.yaml}
export: {allow-scripted: true, per-question: 4}
train: {command: [sh, -c, "mkdir -p {out}/w && cp $WEIGHTS/* {out}/w && echo {model} $0 >{out}/w/base"], result: "{out}/w"}
servers: {o: {kind: ollama, wait: 1}}
collector: o
evaluate: {servers: [o], before: true, flags: {limit: 3}}
`

func TestMain(m *testing.M) {
	server.Register(openai.Kind)
	server.Register(ollama.Kind)
	os.Exit(m.Run())
}

func load(t *testing.T, text string) (*improve.Config, error) {
	t.Helper()

	// What the trainer of the file leaves.
	weights := t.TempDir()
	trainingtest.Weights(t, weights)
	t.Setenv("WEIGHTS", weights)

	path := filepath.Join(t.TempDir(), "rounds.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return improve.Read(path)
}

// recorder stands for the program: it keeps the commands that it is told, and prints what they
// would.
type recorder struct {
	commands []string
	fails    string // the command that fails
}

func (r *recorder) program() improve.Program {
	return improve.Program{
		Path: "/bin/toolevo",
		Run: func(_ context.Context, args ...string) (any, error) {
			r.commands = append(r.commands, strings.Join(args, " "))
			if args[0] == r.fails {
				return nil, errors.New("it fails")
			}
			return json.RawMessage(`{"correct": 5, "rows": 3}`), nil
		},
		Running: func(string) string { return "" },
		Say:     func(string, ...any) {},
		Watch:   func(string) func() { return func() {} },
	}
}

// skipped are all stages that ask a checkpoint, for there is no server.
var skipped = []string{"0/evaluate-o", "1/evaluate-o", "2/collect", "2/evaluate-o"}

func TestStages(t *testing.T) {
	c, err := load(t, file)
	if err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	r := &recorder{}

	result, err := improve.Run(t.Context(), c, dir, r.program(), improve.Options{Skip: skipped})
	if err != nil {
		t.Fatal(err)
	}

	in := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	want := []string{
		"collect --out " + in("round-1", "run") + " --policy-free=1 --set=a=1 --set=b=2 --policy=scripted:noisy " +
			"--dataset=agenda --set=a=3",
		"export --out " + in("round-1", "export") + " --allow-scripted=true --per-question=4 " + in("round-1", "run"),
		"export --out " + in("round-2", "export") + " --allow-scripted=true --per-question=8 " +
			in("round-1", "run") + " " + in("round-2", "run"),
	}
	if d := cmp.Diff(want, r.commands); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	// The second round goes on from the first one's weights.
	text, err := os.ReadFile(in("round-2", "train", "w", "base"))
	if err != nil || strings.TrimSpace(string(text)) != in("round-1", "train", "w")+" two 2" {
		t.Errorf("the second training began with %s, %v", text, err)
	}

	if len(result.Rounds) != 3 || result.Rounds[1].Correct != 5 || result.Rounds[2].Samples != 3 ||
		result.Rounds[2].Correct != 0 {
		t.Errorf("%+v", result)
	}
}

// What is finished stays finished where the folder is moved to; what comes after a failure is not
// begun.
func TestGoesOn(t *testing.T) {
	c, err := load(t, file)
	if err != nil {
		t.Fatal(err)
	}

	dir := filepath.Join(t.TempDir(), "before")
	r := &recorder{fails: "export"}

	if _, err := improve.Run(t.Context(), c, dir, r.program(), improve.Options{Skip: skipped}); err == nil ||
		!strings.Contains(err.Error(), "stage 1/export: it fails") || len(r.commands) != 2 {
		t.Errorf("error %v, commands %q", err, r.commands)
	}

	moved := filepath.Join(filepath.Dir(dir), "after")
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}

	r = &recorder{}
	if _, err := improve.Run(t.Context(), c, moved, r.program(), improve.Options{Skip: skipped}); err != nil {
		t.Fatal(err)
	}

	if slices.ContainsFunc(r.commands, func(s string) bool { return strings.HasPrefix(s, "collect") }) {
		t.Errorf("a finished collection is repeated: %q", r.commands)
	}
}

func TestChangedFile(t *testing.T) {
	dir := t.TempDir()

	run := func(text string, o improve.Options) (commands []string, err error) {
		c, err := load(t, text)
		if err != nil {
			t.Fatal(err)
		}

		r := &recorder{}
		_, err = improve.Run(t.Context(), c, dir, r.program(), o)
		return r.commands, err
	}

	if _, err := run(file, improve.Options{Skip: skipped}); err != nil {
		t.Fatal(err)
	}

	changed := strings.Replace(file, "per-question: 4", "per-question: 2", 1)

	var e *improve.ChangedError
	if _, err := run(changed, improve.Options{Skip: skipped}); !errors.As(err, &e) || e.Stage != "1/export" {
		t.Errorf("error %v, want one about 1/export", err)
	}

	commands, err := run(changed, improve.Options{Redo: true, Skip: skipped})
	if err != nil || len(commands) != 2 {
		t.Errorf("%q, %v", commands, err)
	}

	// How many rounds there are changes nothing of those that are finished.
	commands, err = run(strings.Replace(changed, "rounds: 2", "rounds: 1", 1), improve.Options{})
	if err != nil || len(commands) != 0 {
		t.Errorf("%q, %v", commands, err)
	}
}

// How a stage's server and trainer are started are settings of it, too.
func TestChangedSurroundings(t *testing.T) {
	const server = `{kind: openai, command: [serve, "{model}", "{name}", "{port}"], ` +
		`environment: {A: b}, wait: 1}`

	const adapting = "{kind: openai, adapters: true, wait: 1}"

	started := strings.NewReplacer("{kind: ollama, wait: 1}", server,
		"train: {command", "train: {environment: {SEED: 1}, command").Replace(file)

	for name, test := range map[string]struct{ was, is, stage string }{
		"a command":             {"[serve", "[serve, --more", "0/evaluate-o"},
		"an environment":        {"{A: b}", "{A: c}", "0/evaluate-o"},
		"a kind":                {"{o: {kind: openai", "{o: {kind: ollama", "0/evaluate-o"},
		"adapters":              {server, adapting, "0/evaluate-o"},
		"a template":            {"name: mine", "name: mine\ntemplate: llama3", "0/evaluate-o"},
		"a trainer's":           {"{SEED: 1}", "{SEED: 2}", "1/train"},
		"how long it may take":  {"wait: 1}", "wait: 2}", ""},
		"a server nobody asked": {"servers: {", "servers: {p: {kind: ollama, wait: 1}, ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir, got := t.TempDir(), ""

			for _, text := range []string{started, strings.Replace(started, test.was, test.is, 1)} {
				c, err := load(t, text)
				if err != nil {
					t.Fatal(err)
				}

				_, err = improve.Run(t.Context(), c, dir, (&recorder{}).program(),
					improve.Options{Skip: skipped})
				if e, ok := errors.AsType[*improve.ChangedError](err); ok {
					got = e.Stage
				} else if err != nil {
					t.Fatal(err)
				}
			}

			if got != test.stage {
				t.Errorf("the stage %q has changed, want %q", got, test.stage)
			}
		})
	}
}

// A stage that is named is done again, and so is what rests on it.
func TestAgain(t *testing.T) {
	c, err := load(t, file)
	if err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()

	for _, o := range []improve.Options{
		{Skip: skipped}, {Skip: skipped, Again: []string{"2/train"}}, {Skip: skipped, Again: []string{"1/export"}},
	} {
		r := &recorder{}
		if _, err := improve.Run(t.Context(), c, dir, r.program(), o); err != nil {
			t.Fatal(err)
		}

		exports := slices.DeleteFunc(r.commands, func(s string) bool { return !strings.HasPrefix(s, "export") })

		want := map[string]int{"": 2, "2/train": 0, "1/export": 2}[strings.Join(o.Again, "")]
		if len(exports) != want {
			t.Errorf("again %v: %q", o.Again, exports)
		}
	}

	r := &recorder{}
	none := improve.Options{Again: []string{"3/train"}}
	if _, err := improve.Run(t.Context(), c, dir, r.program(), none); err == nil {
		t.Error("a stage that there is not is done again")
	}
}

// What a stage has half done rests on the stage before it, and goes with that.
func TestAgainOfUnfinished(t *testing.T) {
	c, err := load(t, file)
	if err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	if _, err := improve.Run(t.Context(), c, dir, (&recorder{fails: "export"}).program(),
		improve.Options{Skip: skipped}); err == nil {
		t.Fatal("the export has not failed")
	}

	half := filepath.Join(dir, "round-1", "export", "half")
	if err := errors.Join(os.MkdirAll(filepath.Dir(half), 0o755), os.WriteFile(half, nil, 0o644)); err != nil {
		t.Fatal(err)
	}

	for _, o := range []improve.Options{{Skip: skipped}, {Skip: skipped, Again: []string{"1/collect"}}} {
		if _, err := improve.Run(t.Context(), c, dir, (&recorder{fails: "export"}).program(), o); err == nil {
			t.Fatal("the export has not failed")
		}

		if _, err := os.Stat(half); (err == nil) != (o.Again == nil) {
			t.Errorf("again %v: half of an export: %v", o.Again, err)
		}
	}
}

// What the user made for a skipped stage is never removed, though the stages before it are
// repeated. If it is not to be skipped again, nothing is.
func TestSkippedKeepsItsFolder(t *testing.T) {
	changed := strings.Replace(file, "per-question: 4", "per-question: 2", 1)
	skip := append([]string{"1/train"}, skipped...)

	for name, repeat := range map[string]struct {
		file    string
		o       improve.Options
		refused bool
	}{
		"again":         {file, improve.Options{Again: []string{"1/export"}, Skip: skip}, false},
		"redo":          {changed, improve.Options{Redo: true, Skip: skip}, false},
		"again without": {file, improve.Options{Again: []string{"1/export"}, Skip: skipped}, true},
		"redo without":  {changed, improve.Options{Redo: true, Skip: skipped}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			weights := filepath.Join(dir, "round-1", "train", "w")
			exported := filepath.Join(dir, "round-1", "export")
			trainingtest.Weights(t, weights)
			trainingtest.Weights(t, exported)

			var errs []error

			for _, run := range []struct {
				file string
				o    improve.Options
			}{{file, improve.Options{Skip: skip}}, {repeat.file, repeat.o}} {
				c, err := load(t, run.file)
				if err != nil {
					t.Fatal(err)
				}

				_, err = improve.Run(t.Context(), c, dir, (&recorder{}).program(), run.o)
				errs = append(errs, err)
			}

			if errs[0] != nil || (errs[1] != nil) != repeat.refused ||
				repeat.refused && console.KindOf(errs[1]) != console.WrongUsage {
				t.Error(errs)
			}

			if _, err := os.Stat(weights); err != nil {
				t.Error(err)
			}

			if _, err := os.Stat(exported); (err == nil) != repeat.refused {
				t.Errorf("what is repeated: %v", err)
			}
		})
	}
}

// A trainer would resume what one with other settings left; where it left nothing, or its stage is
// skipped, nothing is resumed.
func TestTrainingBegunWithOtherSettings(t *testing.T) {
	const leaves = "mkdir -p {out}/w && cp $WEIGHTS/* {out}/w && echo {model} $0 >{out}/w/base"

	halves := strings.Replace(file, leaves, "mkdir -p {out}/half && false", 1)
	nothing := strings.Replace(file, leaves, "false", 1)
	again, train := append([]string{"1/train"}, skipped...), []string{"1/train"}

	for name, test := range map[string]struct {
		first, second string
		o             improve.Options
		changed, kept bool
	}{
		"the same":     {halves, halves, improve.Options{Skip: skipped}, false, true},
		"others":       {halves, file, improve.Options{Skip: skipped}, true, true},
		"again":        {halves, file, improve.Options{Skip: skipped, Again: train}, false, false},
		"redo":         {halves, file, improve.Options{Skip: skipped, Redo: true}, false, false},
		"skipped":      {halves, file, improve.Options{Skip: again}, false, true},
		"nothing left": {nothing, file, improve.Options{Skip: skipped}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()

			var err error

			for i, text := range []string{test.first, test.second} {
				c, loadErr := load(t, text)
				if loadErr != nil {
					t.Fatal(loadErr)
				}

				o := []improve.Options{{Skip: skipped}, test.o}[i]
				_, err = improve.Run(t.Context(), c, dir, (&recorder{}).program(), o)
			}

			e, changed := errors.AsType[*improve.ChangedError](err)
			if changed != test.changed || changed && e.Stage != "1/train" {
				t.Errorf("error %v", err)
			}

			half := filepath.Join(dir, "round-1", "train", "half")
			if _, err := os.Stat(half); (err == nil) != test.kept {
				t.Errorf("what the first training left: %v", err)
			}
		})
	}
}

func TestTrainerThatLeavesNothing(t *testing.T) {
	for name, trainer := range map[string]string{
		"nothing":         "true",
		"an empty folder": "mkdir -p {out}/w",
		"an empty file":   "mkdir -p {out}/w && echo {} >{out}/w/config.json && : >{out}/w/model.safetensors",
		"half a file":     "mkdir -p {out}/w && cp $WEIGHTS/* {out}/w && truncate -s 40 {out}/w/model.safetensors",
	} {
		t.Run(name, func(t *testing.T) {
			const leaves = "mkdir -p {out}/w && cp $WEIGHTS/* {out}/w && echo {model} $0 >{out}/w/base"

			c, err := load(t, strings.Replace(file, leaves, trainer, 1))
			if err != nil {
				t.Fatal(err)
			}

			r := &recorder{}

			_, err = improve.Run(t.Context(), c, t.TempDir(), r.program(), improve.Options{Skip: skipped})
			if err == nil || !strings.Contains(err.Error(), "train.result") {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for from, c := range map[string]struct{ to, want string }{
		"rounds: 2":                    {"rounds: 0", "rounds: 0"},
		"name: mine":                   {"", "name: want"},
		"model: base":                  {"", "model: want"},
		"continue: true":               {"continues: true", "continues"},
		"collector: o":                 {"", "collector: want"},
		"collector: o\n":               {"collector: p\n", `"p"`},
		"servers: [o]":                 {"servers: []", "evaluate.servers"},
		"kind: ollama":                 {"kind: vllm", "servers.o"},
		"wait: 1}":                     {"wait: 1, calls: [a]}", "servers.o.calls"},
		"per-question: 4":              {"out: x", "export: out cannot be set in the file"},
		"policy: \"scripted:noisy\", ": {"", "by_round.1.collect.policy: want"},
		"allow-scripted: true, ":       {"", "want allow-scripted: true"},
		"{per-question: 8}":            {"{allow-scripted: false}", "want allow-scripted: true"},
		"config: sft.yaml":             {"policy: x", "the policy is the checkpoint"},
		"limit: 3":                     {"server: x", "evaluate.flags: server"},
		`result: "{out}/w"`:            {`result: ""`, "train.result"},
		"export: {per-question":        {"export: [per-question", "rounds.yaml"},
	} {
		_, err := load(t, strings.Replace(file, from, c.to, 1))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: error %v, want one with %q", c.to, from, err, c.want)
		}
	}
}

func TestSkipNamesStages(t *testing.T) {
	c, err := load(t, file)
	if err != nil {
		t.Fatal(err)
	}

	o := improve.Options{Skip: []string{"3/train"}}

	_, err = improve.Run(t.Context(), c, t.TempDir(), (&recorder{}).program(), o)
	if err == nil || !strings.Contains(err.Error(), "2/train") {
		t.Errorf("error %v, want one that names the stages", err)
	}
}

// Every shipped file is one that can be read.
func TestShipped(t *testing.T) {
	names, err := fs.Glob(configs.Improvements(), "*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}

	for _, name := range names {
		text, err := fs.ReadFile(configs.Improvements(), name)
		if err != nil {
			t.Fatal(err)
		}

		if _, err := load(t, string(text)); err != nil {
			t.Error(err)
		}
	}
}
