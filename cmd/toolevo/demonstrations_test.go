package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/configs"
	"toolevo/configs/apis"
	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/finetune"
	"toolevo/mcts"
	"toolevo/mcts/policy/prompt"
	"toolevo/mcts/policy/serving"
	"toolevo/toolqa"
	"toolevo/toolqa/bench"
)

// exhibit says what a demonstration or a playthrough shows: a question of a template, with an
// answer that is worth showing. "There are 1 of them" teaches less than any other number, and one
// free slot less than two.
type exhibit struct {
	template string
	answer   string // a pattern of the answer; any will do where it is empty
}

// candidates are the questions that s may show, in order.
func (s exhibit) candidates(questions []toolqa.Question) []toolqa.Question {
	answer := regexp.MustCompile(s.answer)
	var all []toolqa.Question

	for _, q := range questions {
		if q.Template == s.template && answer.MatchString(q.Answer) {
			all = append(all, q)
		}
	}

	return all
}

// several matches every whole number from 2 on.
const several = `^([2-9]|[1-9]\d+)$`

// allDatasets is the setting that chooses every dataset.
func allDatasets() configs.Layer {
	var names []string
	for _, ds := range toolqa.Datasets() {
		names = append(names, string(ds))
	}
	return configs.SettingLayer("test", "dataset", strings.Join(names, ","))
}

// testBench is the benchmark over the questions of a split of all datasets, with an API version
// deployed, and scripted:reader, who plays it. set are more settings, each a key and a value.
func testBench(t *testing.T, data, api string, split toolqa.Split, set ...string) (*toolevo.Bench, envs.Environment,
	mcts.Policy) {
	t.Helper()

	layers := []configs.Layer{allDatasets()}
	for pair := range slices.Chunk(append([]string{"api", api, "split", string(split)}, set...), 2) {
		layers = append(layers, configs.SettingLayer("test", pair[0], pair[1]))
	}

	c, err := configs.Load(layers...)
	if err != nil {
		t.Fatal(err)
	}

	b, err := toolevo.OpenBench(t.Context(), data, c, nil, openShared)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { b.Close() })

	env, err := b.Suite.Environment(api, nil)
	if err != nil {
		t.Fatal(err)
	}

	reader, err := b.Policy("scripted:reader")
	if err != nil {
		t.Fatal(err)
	}
	return b, env, reader
}

// chosen are the questions of a bench, as its benchmark has them.
func chosen(b *toolevo.Bench) []toolqa.Question {
	all := make([]toolqa.Question, len(b.Questions))
	for i, q := range b.Questions {
		all[i] = toolqa.Question{
			ID: q.ID, Dataset: toolqa.Dataset(q.Labels[envs.LabelDataset]),
			Difficulty: toolqa.Difficulty(q.Labels[envs.LabelDifficulty]), Split: toolqa.Split(q.Split),
			Template: q.Labels[envs.LabelTemplate], Text: q.Text, Answer: q.Gold,
		}
	}

	return all
}

// shippedVersion is one of the API versions that ship with the program.
func shippedVersion(name string) (*toolapi.Version, error) {
	all, err := toolapi.Load(apis.FS())
	if err != nil {
		return nil, err
	}
	return all.Version(name)
}

// solve lets a policy play a question, which it has to get right.
func solve(t *testing.T, env envs.Environment, p mcts.Policy, q toolqa.Question) envs.History {
	t.Helper()

	e, err := finetune.Play(t.Context(), env, p, q.Task(), mcts.NodeID{Question: q.ID}, finetune.Limits{MaxTurns: 40})
	if err != nil {
		t.Fatal(err)
	}

	if !e.Grade.Strict {
		t.Fatalf("%s %q: answered %q (%s), gold is %q", q.Template, q.Text, e.Grade.Answer, e.Status, q.Answer)
	}
	return e.History
}

// TestDemonstrations replays every embedded demonstration in the environment. The answers that
// questions of the user's own want are computed from the corpora.
func TestDemonstrations(t *testing.T) {
	t.Parallel()
	data := defaultData(t)

	pools, err := prompt.LoadDemonstrations(bench.ToolQA{}.Demonstrations())
	if err != nil {
		t.Fatal(err)
	}

	if len(pools) != len(toolqa.Datasets()) {
		t.Errorf("pools of %d datasets, want %d", len(pools), len(toolqa.Datasets()))
	}

	b, env, reader := testBench(t, data, "p_c", toolqa.Train)

	for _, ds := range toolqa.Datasets() {
		t.Run(string(ds), func(t *testing.T) {
			pool := pools[string(ds)]
			if len(pool) < 2*prompt.DefaultShots {
				t.Fatalf("%d demonstrations, want no less than %d", len(pool), 2*prompt.DefaultShots)
			}

			own, asked, solver := ownBench(t, data, ds, pool)
			for i, q := range chosen(own) {
				d := pool[i]
				replay(t, asked, q.Task(), d)
				solve(t, asked, solver, q) // to the same answer
			}

			if diff := cmp.Diff(needed(t, b, env, reader, ds), called(t, pool[:prompt.DefaultShots])); diff != "" {
				t.Errorf("a prompt does not demonstrate the tools that %s needs (-needed +shown):\n%s", ds, diff)
			}
		})
	}
}

// What a data folder's prompts show is asked in no split, is solved there, and calls what its
// dataset needs.
func TestMadeDemonstrations(t *testing.T) {
	t.Parallel()
	data := defaultData(t)

	pools, err := prompt.MadeDemonstrations(suite.DemonstrationsDir(data, "toolqa"))
	if err != nil {
		t.Fatal(err)
	}

	asked := map[string]string{}

	for _, split := range []string{"train", "dev", "test"} {
		tasks, err := bench.ToolQA{}.List(data, split)
		if err != nil || len(tasks) == 0 {
			t.Fatal(len(tasks), err)
		}

		for _, task := range tasks {
			asked[envs.QuestionKey(task.Question)] = split
		}
	}

	embedded, err := prompt.LoadDemonstrations(bench.ToolQA{}.Demonstrations())
	if err != nil {
		t.Fatal(err)
	}

	b, env, reader := testBench(t, data, "p_c", toolqa.Train)
	examples, shown, _ := testBench(t, data, "p_c", toolqa.Examples)
	questions := map[string]toolqa.Question{}

	for _, q := range chosen(examples) {
		questions[q.Text] = q
	}

	for _, ds := range toolqa.Datasets() {
		pool := pools[string(ds)]
		if len(pool) < prompt.DefaultShots {
			t.Errorf("%d demonstrations of %s, want no less than %d", len(pool), ds, prompt.DefaultShots)
			continue
		}

		for _, d := range append(pool, embedded[string(ds)]...) {
			if split := asked[envs.QuestionKey(d.Question)]; split != "" {
				t.Errorf("%q is demonstrated, and asked in the split %s", d.Question, split)
			}
		}

		for _, d := range pool {
			replay(t, shown, questions[d.Question].Task(), d)
		}

		if diff := cmp.Diff(needed(t, b, env, reader, ds), called(t, pool[:prompt.DefaultShots])); diff != "" {
			t.Errorf("a prompt does not demonstrate the tools that %s needs (-needed +shown):\n%s", ds, diff)
		}
	}
}

// ownBench is the benchmark over the questions of demonstrations as a user's own, with the answers
// that are demonstrated, and scripted:reader, who plays it.
func ownBench(t *testing.T, data string, ds toolqa.Dataset, pool []prompt.Demonstration) (
	*toolevo.Bench, envs.Environment, mcts.Policy) {
	t.Helper()

	var file bytes.Buffer

	for i, d := range pool {
		call, err := action.ReAct{}.Parse(d.Turns[len(d.Turns)-1].Action)
		if err != nil {
			t.Fatal(err)
		}

		answer, _ := call.Args.Get("answer")
		if err := json.NewEncoder(&file).Encode(map[string]any{
			"qid": fmt.Sprint(i), "question": d.Question, "answer": answer, "dataset": ds,
		}); err != nil {
			t.Fatal(err)
		}
	}

	path := filepath.Join(t.TempDir(), "own.jsonl")
	if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return testBench(t, data, "p_c", toolqa.Train, "questions", path)
}

// needed are the tools that the questions of a dataset need: those called for the first one of each
// template.
func needed(t *testing.T, b *toolevo.Bench, env envs.Environment, reader mcts.Policy,
	ds toolqa.Dataset) map[string]bool {
	t.Helper()

	names, seen := map[string]bool{}, map[string]bool{}
	for _, q := range chosen(b) {
		if q.Dataset != ds || seen[q.Template] {
			continue
		}

		seen[q.Template] = true
		maps.Copy(names, called(t, []prompt.Demonstration{prompt.DemonstrationOf(solve(t, env, reader, q))}))
	}
	return names
}

// called are the tools that demonstrations call.
func called(t *testing.T, pool []prompt.Demonstration) map[string]bool {
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

// replay plays a demonstration: every action is understood, every observation is the one shown, the
// answer is right.
func replay(t *testing.T, env envs.Environment, task envs.Task, d prompt.Demonstration) {
	t.Helper()

	state, err := env.Reset(t.Context(), task)
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
			t.Errorf("%q: %s\n%s", task.Question, last.Turn.Outcome, turn.Action)
		}

		if diff := cmp.Diff(turn.Observation, strings.TrimSpace(last.Turn.Observation)); diff != "" {
			t.Errorf("%q: %s\nobservation (-shown +real):\n%s", task.Question, turn.Action, diff)
		}
	}

	if state.Status() != envs.Terminated || !last.Grade.Strict || last.Grade.Answer == "" {
		t.Errorf("%q: the answer is not right: %s, %+v", task.Question, state.Status(), last.Grade)
	}
}

// TestNoQuestionIsDemonstratedToItself renders the prompt of each demonstrated question and of
// another one.
func TestNoQuestionIsDemonstratedToItself(t *testing.T) {
	t.Parallel()
	benchmark, err := suite.Lookup("toolqa")
	if err != nil {
		t.Fatal(err)
	}

	c, err := configs.Load()
	if err != nil {
		t.Fatal(err)
	}

	v, err := shippedVersion("p_c")
	if err != nil {
		t.Fatal(err)
	}

	p, err := serving.NewPrompt(benchmark, c, v, nil, nil)
	if err != nil {
		t.Fatal(err)
	}

	pools, err := prompt.LoadDemonstrations(bench.ToolQA{}.Demonstrations())
	if err != nil {
		t.Fatal(err)
	}

	p.Demonstrations = pools

	for _, ds := range toolqa.Datasets() {
		pool := pools[string(ds)]
		if len(pool) <= prompt.DefaultShots {
			t.Errorf("%d demonstrations of %s are built in, want more than %d", len(pool), ds, prompt.DefaultShots)
			continue
		}

		shown := func(question string) (n int, rendered string) {
			rendered = p.Render(envs.NewHistory(toolqa.Question{Dataset: ds, Text: question}.Task()))
			for _, d := range pool {
				n += strings.Count(rendered, prompt.QuestionText(d.Question)+"\n")
			}
			return n, rendered
		}
		if n, _ := shown("Is there coffee?"); n != prompt.DefaultShots {
			t.Errorf("%s: %d demonstrations shown, want %d", ds, n, prompt.DefaultShots)
		}

		for _, d := range pool {
			n, rendered := shown(d.Question)
			if n != prompt.DefaultShots+1 { // with the question itself
				t.Errorf("%q: asked and demonstrated %d times, want %d", d.Question, n, prompt.DefaultShots+1)
			}

			if strings.Count(rendered, prompt.QuestionText(d.Question)+"\n") != 1 ||
				strings.Contains(rendered, d.Turns[len(d.Turns)-1].Action) {
				t.Errorf("%q is demonstrated to itself", d.Question)
			}
		}

		if n, _ := shown("  " + strings.ReplaceAll(pool[0].Question, " ", "  ")); n > prompt.DefaultShots {
			t.Errorf("%s: a question that differs in spaces alone is demonstrated to itself", ds)
		}
	}
}
