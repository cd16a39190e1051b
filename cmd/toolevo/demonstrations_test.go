package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/configs"
	"toolevo/configs/apis"
	"toolevo/configs/demonstrations"
	"toolevo/envs"
	"toolevo/envs/catalog"
	"toolevo/finetune"
	"toolevo/mcts"
	"toolevo/mcts/policy"
	"toolevo/toolqa"
)

// demonstrationDir holds the pools; they are read from there, so that -update is seen at once.
const demonstrationDir = "../../configs/demonstrations"

// demonstrated are the templates that coffee.yaml demonstrates, in the order of preference: a prompt shows the first
// few, so these have to show every tool that coffee needs.
var demonstrated = []string{
	"coffee-easy/percentage-change",
	"coffee-hard/greatest-difference",
	"coffee-hard/average",
	"coffee-easy/open",
	"coffee-easy/bearish-or-bullish",
	"coffee-hard/percentage-increase",
}

// promptBench is the benchmark over the training questions of the data folder, with p_c deployed.
func promptBench(t *testing.T, data string) (*bench, envs.Environment) {
	t.Helper()
	c, err := configs.Load(configs.SettingLayer("test", "api", "p_c"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := openBench(t.Context(), data, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.close() })
	env, err := b.environment("p_c", nil)
	if err != nil {
		t.Fatal(err)
	}
	return b, env
}

// TestDemonstrations replays every demonstration in the environment.
func TestDemonstrations(t *testing.T) {
	data := defaultData(t)
	b, env := promptBench(t, data)
	if *update {
		writeDemonstrations(t, data, b, env)
	}
	pools, err := policy.LoadDemonstrations(os.DirFS(demonstrationDir))
	if err != nil {
		t.Fatal(err)
	}
	pool := pools["coffee"]
	if len(pool) != len(demonstrated) {
		t.Fatalf("%d demonstrations, want %d", len(pool), len(demonstrated))
	}
	version, err := b.versions.Version("p_c")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, api := range version.APIs {
		known[api.Name] = true
	}
	questions := map[string]toolqa.Question{}
	for _, q := range b.questions {
		questions[q.Text] = q
	}
	for i, d := range pool {
		q, ok := questions[d.Question]
		if !ok || q.Split != toolqa.Train || q.Template != demonstrated[i] {
			t.Errorf("%q is no training question of %s: %+v", d.Question, demonstrated[i], q)
			continue
		}
		for _, turn := range replay(t, env, q, d) {
			if !known[turn.Call.Name] {
				t.Errorf("%q: it calls %s, which p_c does not have", d.Question, turn.Call.Name)
			}
		}
	}
	if shown := called(t, pool[:policy.DefaultShots]); !cmp.Equal(shown, coffeeTools) {
		t.Errorf("a prompt demonstrates %v, want %v", shown, coffeeTools)
	}
}

// coffeeTools are the tools that coffee questions need.
var coffeeTools = map[string]bool{
	"LoadDB": true, "FilterDB": true, "GetValue": true, "PythonInterpreter": true, "SQLInterpreter": true, "Finish": true,
}

// called are the tools that demonstrations call.
func called(t *testing.T, pool []policy.Demonstration) map[string]bool {
	names := map[string]bool{}
	for _, d := range pool {
		for _, turn := range d.Turns {
			_, rest, ok := strings.Cut(turn.Action, "\nAction: ")
			if !ok {
				t.Fatalf("no action in %q", turn.Action)
			}
			name, _, _ := strings.Cut(rest, "\n")
			names[name] = true
		}
	}
	return names
}

// replay plays a demonstration: every action is understood, every observation is the one shown, the answer is right.
func replay(t *testing.T, env envs.Environment, q toolqa.Question, d policy.Demonstration) []envs.Turn {
	t.Helper()
	state, err := env.Reset(t.Context(), q.Task())
	if err != nil {
		t.Fatal(err)
	}
	var last envs.Transition
	for _, turn := range d.Turns {
		if last, err = env.Step(t.Context(), state, envs.Action(turn.Action)); err != nil {
			t.Fatal(err)
		}
		state = last.State
		if last.Turn.Outcome.IsError() {
			t.Errorf("%q: %s\n%s", q.Text, last.Turn.Outcome, turn.Action)
		}
		if diff := cmp.Diff(turn.Observation, strings.TrimSpace(last.Turn.Observation)); diff != "" {
			t.Errorf("%q: %s\nobservation (-shown +real):\n%s", q.Text, turn.Action, diff)
		}
	}
	if state.Status() != envs.Terminated || !last.Grade.Strict || last.Grade.Answer == "" {
		t.Errorf("%q: the answer is not right: %s, %+v", q.Text, state.Status(), last.Grade)
	}
	return state.History().Turns()
}

// writeDemonstrations writes coffee.yaml anew: for each template the first training question, solved by scripted:reader.
func writeDemonstrations(t *testing.T, data string, b *bench, env envs.Environment) {
	t.Helper()
	reader, err := b.policy("scripted:reader")
	if err != nil {
		t.Fatal(err)
	}
	var pool []policy.Demonstration
	for _, template := range demonstrated {
		q := ask(t, data, template, toolqa.Train)
		e, err := finetune.Play(t.Context(), env, reader, q.Task(), mcts.NodeID{Question: q.ID}, 20)
		if err != nil {
			t.Fatal(err)
		}
		d := policy.FromHistory(e.History)
		if err := d.Validate(); err != nil {
			t.Fatal(err)
		}
		pool = append(pool, d)
	}
	text, err := policy.MarshalDemonstrations(pool)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(demonstrationDir, "coffee.yaml"), text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestNoQuestionIsDemonstratedToItself renders the prompt of each demonstrated question and of another one.
func TestNoQuestionIsDemonstratedToItself(t *testing.T) {
	versions, err := catalog.Load(apis.FS())
	if err != nil {
		t.Fatal(err)
	}
	prompt, err := newPrompt(versions, "p_c", true)
	if err != nil {
		t.Fatal(err)
	}
	pools, err := policy.LoadDemonstrations(demonstrations.FS())
	if err != nil {
		t.Fatal(err)
	}
	if len(pools["coffee"]) <= policy.DefaultShots {
		t.Fatalf("%d demonstrations are built in, want more than %d", len(pools["coffee"]), policy.DefaultShots)
	}
	shown := func(question string) (n int, rendered string) {
		rendered = prompt.Render(envs.NewHistory(envs.Task{ID: "q", Dataset: "coffee", Question: question}))
		for _, d := range pools["coffee"] {
			n += strings.Count(rendered, policy.QuestionText(d.Question)+"\n")
		}
		return n, rendered
	}
	if n, _ := shown("Is there coffee?"); n != policy.DefaultShots {
		t.Errorf("%d demonstrations shown, want %d", n, policy.DefaultShots)
	}
	for _, d := range pools["coffee"] {
		n, rendered := shown(d.Question)
		if n != policy.DefaultShots+1 { // with the question itself
			t.Errorf("%q: asked and demonstrated %d times, want %d", d.Question, n, policy.DefaultShots+1)
		}
		if strings.Count(rendered, policy.QuestionText(d.Question)+"\n") != 1 || strings.Contains(rendered, d.Turns[len(d.Turns)-1].Action) {
			t.Errorf("%q is demonstrated to itself", d.Question)
		}
	}
	if n, _ := shown("  " + strings.ReplaceAll(pools["coffee"][0].Question, " ", "  ")); n > policy.DefaultShots {
		t.Error("a question that differs in spaces alone is demonstrated to itself")
	}
}
