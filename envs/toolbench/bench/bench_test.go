package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/dynamic"
	"toolevo/envs/envtest"
	"toolevo/envs/envtest/suitetest"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/envs/toolbench"
)

// queries are invented.
var queries = filepath.Join("..", "testdata", "queries")

// choice is that of a data folder which holds the queries of a folder.
func choice(t testing.TB, queries string) suite.Choice {
	t.Helper()

	p, err := toolbench.Import(queries, "")
	if err != nil {
		t.Fatal(err)
	}

	data := t.TempDir()
	if _, err := p.Save(data, "test", suite.Splits()); err != nil {
		t.Fatal(err)
	}
	return suite.Choice{
		Data: data, Split: "test", Prompt: base, Environment: dynamic.Settings{UpdateTool: true},
	}
}

func open(t testing.TB, c suite.Choice) *opened {
	t.Helper()

	s, err := ToolBench{}.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*opened)
}

func TestSuite(t *testing.T) {
	t.Parallel()

	suitetest.Run(t, ToolBench{}, choice(t, queries), nil)
}

func TestEnvironment(t *testing.T) {
	t.Parallel()

	c := choice(t, queries)
	s := open(t, c)

	for _, version := range s.choice.Versions.Names() {
		t.Run(version, func(t *testing.T) {
			task, known := s.tasks[0], environmentOf(t, s, version)
			env := func() envs.Environment { return environmentOf(t, open(t, c), version) }

			actions := []envs.Action{"Thought: hm", write("nobody", "{}"), write(envs.FinishTool, `{"answer": "dry"}`)}
			for _, call := range s.planned(s.queries[task.ID]) {
				actions = append(actions, text(call), text(lifted(t, known, task, call)))
			}

			envtest.Run(t, env, []envs.Task{task}, actions)
		})
	}
}

func environmentOf(t testing.TB, s suite.Suite, version string) envs.Environment {
	t.Helper()

	env, err := s.Environment(version, nil)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func write(name, input string) envs.Action {
	return envs.Action(fmt.Sprintf("Thought: next\nAction: %s\nAction Input: %s", name, input))
}

func text(c envs.Call) envs.Action { return envs.Action(action.ReAct{}.Format("next", c)) }

// versionOf returns a version over all functions.
func versionOf(t testing.TB, s *opened, version string) *toolapi.Version {
	t.Helper()

	v, err := s.choice.Versions.Version(version)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// lifted is a call as somebody sends it who knows the version of an environment.
func lifted(t testing.TB, env envs.Environment, task envs.Task, call envs.Call) envs.Call {
	t.Helper()

	call, err := envs.Lift(env, envs.NewHistory(task), call)
	if err != nil {
		t.Error(err)
	}
	return call
}

// play takes actions from the beginning of a task to its end, and returns the transitions.
func play(t testing.TB, env envs.Environment, task envs.Task, actions ...envs.Action) []envs.Transition {
	t.Helper()

	state, err := env.Reset(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}

	var all []envs.Transition

	for _, a := range actions {
		next, err := env.Step(t.Context(), state, a)
		if err != nil {
			t.Fatal(err)
		}

		all, state = append(all, next), next.State
	}
	return all
}

// Who knows a version solves every task in it; who calls what the prompt says solves none where
// APIs have moved on.
func TestVersions(t *testing.T) {
	t.Parallel()

	for name, folder := range map[string]string{"invented": queries, "published": publishedFolder()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if _, err := os.Stat(folder); err != nil {
				t.Skipf("the published data is not here: %v (set TOOLEVO_SHARED_DATA)", err)
			}

			s := open(t, choice(t, folder))
			stride := 1 + len(s.tasks)/100
			played := (len(s.tasks) + stride - 1) / stride

			for _, version := range s.choice.Versions.Names() {
				env := environmentOf(t, s, version)
				oracle, stale := 0, 0

				for i, task := range s.tasks {
					if i%stride != 0 {
						continue
					}

					var knowing, unaware []envs.Action

					for _, call := range s.planned(s.queries[task.ID]) {
						knowing = append(knowing, text(lifted(t, env, task, call)))
						unaware = append(unaware, text(call))
					}

					finish := write(envs.FinishTool, `{"answer": "Here it is."}`)
					oracle += reward(play(t, env, task, append(knowing, finish)...))
					stale += reward(play(t, env, task, append(unaware, finish)...))
				}

				want := -played
				if version == base {
					want = played
				} else if strings.HasPrefix(version, "dtb_") { // names of APIs stay: see TestPublishedVersions
					want = stale
				}

				if oracle != played || stale != want {
					t.Errorf("%s: the rewards of %d tasks sum up to %d with knowledge of it, to %d without", version,
						played, oracle, stale)
				}
			}
		})
	}
}

// publishedFolder is that of the published queries, if they are here.
func publishedFolder() string {
	return filepath.Join(os.Getenv("TOOLEVO_SHARED_DATA"), "stabletoolbench")
}

func reward(all []envs.Transition) int { return int(all[len(all)-1].Reward) }

// The reward wants every relevant call, with arguments that fit, and then an answer.
func TestRule(t *testing.T) {
	t.Parallel()

	s := open(t, choice(t, queries))
	env := environmentOf(t, s, base)
	task := taskOf(t, s, "G1_instruction-21")

	track := write("api_tracking_id_for_parcel_post", `{"id": "CH-7"}`)
	price := write("price_for_parcel_post", `{"weight": 2.5, "country": "IT", "express": true}`)
	answer := write(envs.FinishTool, `{"answer": "In Bern; 12 francs."}`)

	for name, test := range map[string]struct {
		actions []envs.Action
		want    int
	}{
		"all":              {[]envs.Action{track, price, answer}, 1},
		"in another order": {[]envs.Action{price, track, track, answer}, 1},
		"after a mistake":  {[]envs.Action{write("price_for_parcel_post", `{}`), price, track, answer}, 1},
		"one is missing":   {[]envs.Action{track, answer}, -1},
		"none":             {[]envs.Action{answer}, -1},
		"no answer":        {[]envs.Action{track, price, write(envs.FinishTool, `{"answer": " "}`)}, -1},
		"a missing one":    {[]envs.Action{track, write("price_for_parcel_post", `{"weight": 1}`), answer}, -1},
		"another type": {
			[]envs.Action{track, write("price_for_parcel_post", `{"weight": "1", "country": "IT"}`), answer}, -1,
		},
		"an unknown one": {
			[]envs.Action{track, write("price_for_parcel_post", `{"weight": 1, "country": "IT", "a": 1}`), answer}, -1,
		},
		"of another query": {
			[]envs.Action{track, write("forecast_for_get_24h_weather", `{"city": "Bern", "days": 3}`), answer}, -1,
		},
		"the end of a name": {
			[]envs.Action{track, write("parcel_post", `{"weight": 1, "country": "IT"}`), answer}, -1,
		},
	} {
		if got := reward(play(t, env, task, test.actions...)); got != test.want {
			t.Errorf("%s: reward %d, want %d", name, got, test.want)
		}
	}
}

// Calls of one message count one by one, also beside the answer.
func TestRuleOfSeveralCalls(t *testing.T) {
	t.Parallel()

	c := choice(t, queries)
	c.Environment.Codec, c.Environment.ParallelCalls = "tools", 3
	s := open(t, c)
	env := environmentOf(t, s, base)
	task := taskOf(t, s, "G1_instruction-21")

	const (
		track = `{"name": "api_tracking_id_for_parcel_post", "arguments": {"id": "CH-7"}}`
		price = `{"name": "price_for_parcel_post", "arguments": {"weight": 2.5, "country": ` +
			`"IT", "express": true}}`
		refused = `{"name": "price_for_parcel_post", "arguments": {}}`
		answer  = `{"name": "Finish", "arguments": {"answer": "In Bern; 12 francs."}}`
	)

	message := func(calls ...string) envs.Action {
		return envs.Action(`{"content": "", "calls": [` + strings.Join(calls, ", ") + `]}`)
	}

	for name, test := range map[string]struct {
		actions []envs.Action
		want    int
	}{
		"both at once":      {[]envs.Action{message(track, price), message(answer)}, 1},
		"beside the answer": {[]envs.Action{message(track), message(price, answer)}, 1},
		"all in one":        {[]envs.Action{message(track, price, answer)}, 1},
		"one is refused": {[]envs.Action{message(track, refused), message(price),
			message(answer)}, 1},
		"one is missing": {[]envs.Action{message(track, refused), message(answer)}, -1},
		"one was not run": {[]envs.Action{message(refused, track), message(price),
			message(answer)}, -1},
	} {
		if got := reward(play(t, env, task, test.actions...)); got != test.want {
			t.Errorf("%s: reward %d, want %d", name, got, test.want)
		}
	}
}

func taskOf(t testing.TB, s *opened, id string) envs.Task {
	t.Helper()

	i := slices.IndexFunc(s.tasks, func(t envs.Task) bool { return t.ID == id })
	if i < 0 {
		t.Fatalf("no task %s", id)
	}
	return s.tasks[i]
}

// A call that does not fit never reaches the simulator, and the response to one that does is cut.
func TestCallsAreCheckedFirst(t *testing.T) {
	t.Parallel()

	s := open(t, choice(t, queries))
	env := environmentOf(t, s, base)
	task := taskOf(t, s, "G1_instruction-11")

	all := play(t, env, task,
		write("forecast_for_get_24h_weather", `{"city": "Bern"}`),
		write("forecast_for_get_24h_weather", `{"city": "Bern", "days": "three"}`),
		write("health_for_get_24h_weather", `{"city": "Bern"}`),
		write("no_such_function", `{}`),
		write("forecast_for_get_24h_weather", `{"days": 2, "city": "Bern"}`),
		write("health_for_get_24h_weather", `{}`),
	)

	for i, want := range []struct {
		outcome envs.Outcome
		says    string
	}{
		{envs.InvocationError, `argument error: missing property 'days'`},
		{envs.InvocationError, `argument error: parameter "days": got string, want number`},
		{envs.InvocationError, `argument error: health_for_get_24h_weather takes no arguments.`},
		{envs.InvalidAction, `stations_for_get_24h_weather[lat, lon, most]`},
		{envs.OK, `{"error": "", "response": {"city": "Bern", "days": [{"date": `},
		{envs.OK, `{"error": "", "response": {"status": `},
	} {
		if turn := all[i].Turn; turn.Outcome != want.outcome || !strings.Contains(turn.Observation, want.says) {
			t.Errorf("%s: %s, %s; want %s, %s", turn.Action, turn.Outcome, turn.Observation, want.outcome, want.says)
		}
	}

	template := json.RawMessage(`"` + strings.Repeat("é", 3000) + `"`)
	long := function{document: &toolbench.Document{Template: template}, simulator: echo{}, most: mostObservation}

	_, result, err := long.Call(t.Context(), struct{}{}, nil)
	if text := []rune(result.Observation); err != nil || len(text) != mostObservation+3 {
		t.Errorf("a long response has %d characters (%v)", len(text), err)
	}
}

// What a call is told that a version does not take is what the run wants it told.
func TestFeedback(t *testing.T) {
	t.Parallel()

	c := choice(t, queries)

	for feedback, want := range map[toolapi.Feedback]envs.Outcome{
		toolapi.FeedbackDeprecation: envs.Deprecated, toolapi.FeedbackNone: envs.InvalidAction,
	} {
		c.Environment.Feedback = feedback
		s := open(t, c)
		task := taskOf(t, s, "G1_instruction-21")
		call := s.planned(s.queries[task.ID])[0]

		if got := play(t, environmentOf(t, s, inDomain), task, text(call))[0].Turn; got.Outcome != want {
			t.Errorf("%s: %s, %s", feedback, got.Outcome, got.Observation)
		}
	}
}

// echo answers with the template.
type echo struct{ toolbench.Scripted }

func (echo) Simulate(_ context.Context, d *toolbench.Document, _ envs.Args) (toolbench.Answer, error) {
	return toolbench.Answer{Response: string(d.Template)}, nil
}

// A task has its functions in the version of the prompt, and says of none that it is relevant.
func TestQuestions(t *testing.T) {
	t.Parallel()

	c := choice(t, queries)
	shown := taskOf(t, open(t, c), "G1_instruction-21")

	want := `{"name": "price_for_parcel_post", "description": "which calls the API Price of the tool Parcel-Post: What a ` +
		`parcel costs.", "parameters": {"type": "object", "properties": {"weight": {"type": "number", "default": 2.5}, ` +
		`"country": {"type": "string", "default": "CH"}, "express": {"type": "boolean", "default": false}}, ` +
		`"required": ["weight", "country"]}}`
	if !strings.Contains(shown.Tools, want) || shown.Labels[labelCategory] != "Logistics" {
		t.Errorf("the task has %s, with the labels %v", shown.Tools, shown.Labels)
	}

	c.Prompt = inDomain
	if later := taskOf(t, open(t, c), "G1_instruction-21"); strings.Contains(later.Tools, `"price_for_parcel_post"`) ||
		!strings.Contains(later.Tools, "Price of the tool Parcel-Post: What a parcel costs.") {
		t.Errorf("the functions of another version are %s", later.Tools)
	}
}

// What a data folder lacks, and what cannot be deployed, is told with what to do.
func TestOpenErrors(t *testing.T) {
	t.Parallel()

	whole := choice(t, queries)

	for want, change := range map[string]func(*suite.Choice){
		"run `toolevo toolbench import` for it":   func(c *suite.Choice) { c.Split = "dev" },
		"no group G3_x in the split test: it has": func(c *suite.Choice) { c.Datasets = []string{"G3_x"} },
		"Valid are dtb_combined, dtb_v2, dtb_v3, p_c, p_s_in, p_s_ood": func(c *suite.Choice) {
			c.Prompt = "p_x"
		},
	} {
		c := whole
		change(&c)

		if _, err := (ToolBench{}).Open(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}

	if _, err := (ToolBench{}).Versions(t.TempDir()); err == nil ||
		!strings.Contains(err.Error(), "run `toolevo toolbench import`") {
		t.Errorf("versions of no data: %v", err)
	}

	broken := toolapi.File{Path: "mine.yaml", Text: "version: mine\napis: [{name: nobody}]"}
	if _, err := (ToolBench{}).Versions(whole.Data, broken); err == nil ||
		!strings.Contains(err.Error(), "mine.yaml: ") {
		t.Errorf("a version that is not whole: %v", err)
	}
}

// A choice of groups has their tasks alone, and the listed tasks are those that are opened.
func TestGroups(t *testing.T) {
	t.Parallel()

	c := choice(t, queries)
	all := open(t, c).Tasks()

	listed, err := ToolBench{}.List(c.Data, c.Split)
	if err != nil || len(listed) != len(all) || listed[0].Question != all[0].Question {
		t.Errorf("%d tasks are listed (%v), want %d", len(listed), err, len(all))
	}

	if none, err := (ToolBench{}).List(c.Data, "dev"); err != nil || len(none) > 0 {
		t.Errorf("a split that is not there has %d tasks (%v)", len(none), err)
	}

	c.Datasets = []string{"G2_category"}

	s := open(t, c)
	if len(s.Tasks()) != 3 || len(s.Datasets()) != 1 {
		t.Errorf("a group has %d tasks of %v", len(s.Tasks()), s.Datasets())
	}
}

var _ dynamic.Grader[struct{}] = rule{}
