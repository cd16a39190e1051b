package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/configs"
	"toolevo/configs/apis"
	"toolevo/envs"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/finetune"
	"toolevo/mcts"
	"toolevo/mcts/policy/prompt"
	"toolevo/mcts/policy/serving"
	"toolevo/toolqa"
	"toolevo/toolqa/bench"
)

// demonstrationDir holds the pools; they are read from there, so that -update is seen at once.
const demonstrationDir = "../../toolqa/bench/demonstrations"

// maxObserved is how many bytes the observations of a demonstration may have together. A prompt holds several, and the
// columns of flights alone take a thousand.
const maxObserved = 1300

// exhibit says what a demonstration or a playthrough shows: a question of a template, with an answer that is worth
// showing. "There are 1 of them" teaches less than any other number, and one free slot less than two.
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

// demonstrated is what each pool shows, in the order of preference: a prompt shows the first few, so these have to call
// every tool that the dataset needs.
var demonstrated = map[toolqa.Dataset][]exhibit{
	toolqa.Agenda: {
		{"agenda-easy/length", ""}, {"agenda-hard/free-slots", ","}, {"agenda-hard/unavailable", several},
		{"agenda-easy/location", ""}, {"agenda-hard/events-of-person", ","}, {"agenda-easy/start", ""},
		{"agenda-hard/events-on-date", several}, {"agenda-hard/dates-of-person", several},
	},
	toolqa.Airbnb: {
		{"airbnb-easy/price", ""}, {"airbnb-hard/total-price", ""}, {"airbnb-hard/most-expensive-home", ""},
		{"airbnb-easy/last-review", ""}, {"airbnb-hard/flexible-share", "[1-9]"}, {"airbnb-easy/host-name", ""},
		{"airbnb-hard/average-price", ""}, {"airbnb-hard/count", several},
	},
	toolqa.Coffee: {
		{"coffee-easy/percentage-change", ""}, {"coffee-hard/greatest-difference", ""}, {"coffee-hard/average", ""},
		{"coffee-easy/open", ""}, {"coffee-easy/bearish-or-bullish", ""}, {"coffee-hard/percentage-increase", ""},
	},
	toolqa.DBLP: {
		{"dblp-easy/venue", ""}, {"dblp-hard/common-collaborators", several}, {"dblp-easy/references", several},
		{"dblp-easy/organization", ""}, {"dblp-hard/most-frequent-collaborator", "^[^,]+$"},
		{"dblp-hard/distance", several},
		{"dblp-easy/authors", ""}, {"dblp-hard/institutions", ""},
	},
	toolqa.Flights: {
		{"flights-easy/extra-minutes", ""}, {"flights-hard/average-speed", ""},
		{"flights-hard/number-of-flights", several},
		{"flights-easy/departure-time", ""}, {"flights-hard/fastest", ""}, {"flights-easy/cancelled", ""},
		{"flights-hard/average-flight-time", ""},
	},
	toolqa.SciREX: { // it has four templates to train on
		{"scirex-easy/score", ""}, {"scirex-hard/highest-method", ""}, {"scirex-hard/metrics", ""},
		{"scirex-hard/highest-dataset", ""}, {"scirex-easy/score", ""}, {"scirex-hard/highest-method", ""},
	},
	toolqa.Yelp: {
		{"yelp-easy/hours", ""}, {"yelp-hard/average-stars", `\.\d\d`}, {"yelp-hard/highest-stars", ""},
		{"yelp-easy/categories", ""}, {"yelp-hard/count", several}, {"yelp-easy/postal-code", ""},
		{"yelp-hard/not-open", several}, {"yelp-easy/coordinates", ""},
	},
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

// testBench is the benchmark over the questions of a split of all datasets, with an API version deployed, and
// scripted:reader, who plays it.
func testBench(t *testing.T, data, api string, split toolqa.Split) (*toolevo.Bench, envs.Environment, mcts.Policy) {
	t.Helper()

	c, err := configs.Load(allDatasets(), configs.SettingLayer("test", "api", api),
		configs.SettingLayer("test", "split", string(split)))
	if err != nil {
		t.Fatal(err)
	}

	b, err := toolevo.OpenBench(t.Context(), data, c, openShared)
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

// TestDemonstrations replays every demonstration in the environment.
func TestDemonstrations(t *testing.T) {
	t.Parallel()
	b, env, reader := testBench(t, defaultData(t), "p_c", toolqa.Train)
	if *update {
		writeDemonstrations(t, b, env, reader)
	}

	pools, err := prompt.LoadDemonstrations(os.DirFS(demonstrationDir))
	if err != nil {
		t.Fatal(err)
	}

	if len(pools) != len(toolqa.Datasets()) {
		t.Errorf("pools of %d datasets, want %d", len(pools), len(toolqa.Datasets()))
	}

	questions := map[string]toolqa.Question{}
	for _, q := range chosen(b) {
		questions[q.Text] = q
	}

	for ds, shown := range demonstrated {
		t.Run(string(ds), func(t *testing.T) {
			pool := pools[string(ds)]
			if len(pool) != len(shown) || len(pool) < 2*prompt.DefaultShots {
				t.Fatalf("%d demonstrations, want %d and no less than %d", len(pool), len(shown), 2*prompt.DefaultShots)
			}

			for i, d := range pool {
				q, ok := questions[d.Question]
				if !ok || q.Split != toolqa.Train || q.Template != shown[i].template {
					t.Errorf("%q is no training question of %s: %+v", d.Question, shown[i].template, q)
					continue
				}

				replay(t, env, q, d)

				if n := observed(d); n > maxObserved {
					t.Errorf("%q: observations of %d bytes, want at most %d", d.Question, n, maxObserved)
				}
			}

			if diff := cmp.Diff(needed(t, b, env, reader, ds), called(t, pool[:prompt.DefaultShots])); diff != "" {
				t.Errorf("a prompt does not demonstrate the tools that %s needs (-needed +shown):\n%s", ds, diff)
			}
		})
	}
}

// needed are the tools that the questions of a dataset need: those called for the first one of each template.
func needed(t *testing.T, b *toolevo.Bench, env envs.Environment, reader mcts.Policy,
	ds toolqa.Dataset) map[string]bool {
	t.Helper()

	names, seen := map[string]bool{}, map[string]bool{}
	for _, q := range chosen(b) {
		if q.Dataset != ds || seen[q.Template] {
			continue
		}

		seen[q.Template] = true
		maps.Copy(names, called(t, []prompt.Demonstration{demonstrationOf(solve(t, env, reader, q))}))
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

// observed is the length of a demonstration's observations.
func observed(d prompt.Demonstration) int {
	n := 0
	for _, turn := range d.Turns {
		n += len(turn.Observation)
	}

	return n
}

// replay plays a demonstration: every action is understood, every observation is the one shown, the answer is right.
func replay(t *testing.T, env envs.Environment, q toolqa.Question, d prompt.Demonstration) {
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
}

// writeDemonstrations rewrites the pools.
func writeDemonstrations(t *testing.T, b *toolevo.Bench, env envs.Environment, reader mcts.Policy) {
	t.Helper()

	for ds, shown := range demonstrated {
		var pool []prompt.Demonstration

		taken := map[string]bool{}
		for _, s := range shown {
			d := s.demonstrate(t, b, env, reader, taken)
			taken[d.Question] = true
			pool = append(pool, d)
		}

		text, err := yaml.MarshalWithOptions(map[string]any{"demonstrations": pool},
			yaml.UseLiteralStyleIfMultiline(true), yaml.IndentSequence(true))
		if err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(filepath.Join(demonstrationDir, string(ds)+".yaml"), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// demonstrationOf is what a history shows: the question and every turn, spaces around them trimmed.
func demonstrationOf(h envs.History) prompt.Demonstration {
	d := prompt.Demonstration{Question: strings.TrimSpace(h.Task().Question)}
	for _, t := range h.Turns() {
		d.Turns = append(d.Turns, prompt.DemonstrationTurn{
			Action: strings.TrimSpace(string(t.Action)), Observation: strings.TrimSpace(t.Observation),
		})
	}

	return d
}

// demonstrate returns the first candidate that is not taken, as scripted:reader solves it within maxObserved.
func (s exhibit) demonstrate(t *testing.T, b *toolevo.Bench, env envs.Environment, reader mcts.Policy,
	taken map[string]bool) prompt.Demonstration {
	t.Helper()

	for _, q := range s.candidates(chosen(b)) {
		d := demonstrationOf(solve(t, env, reader, q))
		if err := d.Validate(); err != nil {
			t.Fatal(err)
		}

		if !taken[d.Question] && observed(d) <= maxObserved {
			return d
		}
	}

	t.Fatalf("no training question of %s with an answer like %q and short observations", s.template, s.answer)

	return prompt.Demonstration{}
}

// TestNoQuestionIsDemonstratedToItself renders the prompt of each demonstrated question and of another one.
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

	p, err := serving.NewPrompt(benchmark, c, v, nil)
	if err != nil {
		t.Fatal(err)
	}

	pools, err := prompt.LoadDemonstrations(bench.ToolQA{}.Demonstrations())
	if err != nil {
		t.Fatal(err)
	}

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
