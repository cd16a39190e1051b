package simserver_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"toolevo/configs/apis"
	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/dynamic"
	"toolevo/envs/toolapi"
	"toolevo/envs/wire"
	"toolevo/mcts"
	"toolevo/mcts/policy/prompt"
	"toolevo/mcts/policy/scripted"
)

const (
	question = "What was the opening price of coffee on 2000-01-03?"
	answer   = "122.25"
)

// plans solves the questions about opening prices: load, filter, read, compute, finish.
func plans(q string) (envs.Plan, bool) {
	if !strings.HasPrefix(q, "What was the opening price") {
		return nil, false
	}

	call := func(name, key, value string) envs.Call {
		return envs.Call{Tool: name, Name: name, Args: envs.Args{{Name: key, Value: value}}}
	}
	steps := []envs.Call{
		call("LoadDB", "DBName", "coffee"), call("FilterDB", "condition", "Date=2000-01-03, Open>1"),
		call("GetValue", "column_name", "Open"), call("PythonInterpreter", "Python", "x = 122.25\nprint(x)"),
		call("SQLInterpreter", "SQL", "SELECT MAX(Open) FROM coffee.coffee_data"),
	}

	return func(results []string) (string, envs.Call, error) {
		if len(results) > 2 && !strings.Contains(results[2], answer) {
			return "", envs.Call{}, errors.New("no opening price")
		}

		if len(results) < len(steps) {
			return "I need step " + steps[len(results)].Tool + ".", steps[len(results)], nil
		}
		return "I know the answer.", call("Finish", "answer", strings.TrimSpace(results[3])), nil
	}, true
}

// tools answer the calls of the plan, and others as the real tools do.
func tools() map[string]dynamic.Tool[int] {
	tools := map[string]dynamic.Tool[int]{}
	answer := func(tool, param string, answers map[string]string, otherwise string) {
		tools[tool] = dynamic.ToolFunc[int](func(_ context.Context, s int, args envs.Args) (int, envs.Result, error) {
			v, _ := args.Text(param)
			if text, ok := answers[strings.TrimSpace(v)]; ok {
				return s, envs.Result{Observation: text}, nil
			}
			return s, envs.Result{Observation: otherwise, Outcome: envs.ToolError}, nil
		})
	}
	answer("LoadDB", "DBName", map[string]string{
		"coffee": "We have successfully loaded the coffee database, including the following columns: Date, Open, " +
			"High, Low, Close, Volume, Currency.",
	}, "The database you want to query in not in the list. Please change another database for query.")
	answer("FilterDB", "condition", map[string]string{"Date=2000-01-03, Open>1": "We have successfully filtered " +
		"the data (1 rows)."},
		"The filtering query Dat=2000-01-03 is incorrect. Please modify the condition.")
	answer("GetValue", "column_name", map[string]string{"Open": `{"Open": "122.25"}`, "High": `{"High": "124.0"}`},
		"The value you are querying does not exist. Please modify it.")
	answer("PythonInterpreter", "Python", map[string]string{"x = 122.25\nprint(x)": "122.25"},
		"122\nNameError: name 'y' is not defined")
	answer("SQLInterpreter", "SQL", map[string]string{
		"SELECT MAX(Open) FROM coffee.coffee_data": "MAX(Open): 310.75\n\nThere is one row.",
	}, "There is something wrong with the SQL command you send. Please modify it.")

	for _, name := range []string{"RetrieveAgenda", "RetrieveScirex", "LoadGraph", "NodeCheck", "NeighbourCheck",
		"EdgeCheck"} {
		answer(name, "", nil, "There is no information that can be matched in the database. Please try another query.")
	}
	return tools
}

type grader struct{}

func (grader) Known(envs.Task) bool { return true }

func (grader) Grade(_ context.Context, _ int, _ envs.History, a string) (envs.Grade, error) {
	return envs.Grade{Answer: a, Official: a == answer, Strict: a == answer}, nil
}

// versions are the API versions that scripted runs are made in.
var versions = []string{"p_c", "p_s_in", "p_s_ood", "p_s_ood_proprietary", "p_s_in" + wrapped}

// wrapped ends the name of a version whose answers are objects.
const wrapped = ", wrapped"

// shipped loads the shipped versions once for all tests: nothing changes a catalog.
var shipped = sync.OnceValues(func() (*toolapi.Catalog, error) { return toolapi.Load(apis.FS()) })

// environment is the dynamic environment over the toy tools with a version deployed.
func environment(t testing.TB, version string) (envs.Environment, prompt.Prompt) {
	t.Helper()
	return environmentOf(t, version, action.ReAct{})
}

// environmentOf is environment for actions of a codec.
func environmentOf(t testing.TB, version string, codec action.Codec) (envs.Environment, prompt.Prompt) {
	t.Helper()

	all, err := shipped()
	if err != nil {
		t.Fatal(err)
	}

	shown, err := all.Version("p_c")
	if err != nil {
		t.Fatal(err)
	}

	name, isWrapped := strings.CutSuffix(version, wrapped)

	deployed, err := all.Version(name)
	if err != nil {
		t.Fatal(err)
	}

	if isWrapped {
		deployed.Response = &wire.AnswerForm{State: "Status", Message: "Text"}
	}

	env, err := dynamic.New(dynamic.Config[int]{
		Prompt: shown, Deployed: deployed, Tools: tools(), Grader: grader{},
		Options: dynamic.Options{Settings: dynamic.Settings{Codec: codec.String(), UpdateTool: true}},
	})
	if err != nil {
		t.Fatal(err)
	}

	p := prompt.New(shown.APIs)
	p.Codec = codec
	return env, p
}

func profiled(t testing.TB, profile string) *scripted.Policy {
	t.Helper()
	return profiledIn(t, profile, action.ReAct{})
}

func profiledIn(t testing.TB, profile string, codec action.Codec) *scripted.Policy {
	t.Helper()

	p, err := scripted.ParseProfile(profile)
	if err != nil {
		t.Fatal(err)
	}

	p.Codec = codec
	return scripted.New(p, plans)
}

// histories plays one episode and returns the history before each action.
func histories(t testing.TB, env envs.Environment, p mcts.Policy, seed uint64, greedy bool) []envs.History {
	t.Helper()

	state, err := env.Reset(t.Context(), envs.Task{ID: "q", Question: question})
	if err != nil {
		t.Fatal(err)
	}
	var list []envs.History

	for turn := range uint64(20) {
		h := state.History()
		if state.Status() != envs.Running {
			break
		}

		list = append(list, h)

		got, err := p.Propose(t.Context(), mcts.Request{History: h, N: 1, Seed: seed*1000 + turn, Greedy: greedy})
		if err != nil {
			t.Fatal(err)
		}

		next, err := env.Step(t.Context(), state, envs.Action(got[0].Text))
		if err != nil {
			t.Fatal(err)
		}

		state = next.State
	}
	return list
}

// demonstrated is a prompt with demonstrations in it.
func demonstrated(t testing.TB, p prompt.Prompt) prompt.Prompt {
	t.Helper()
	env, _ := environment(t, "p_c")
	all := histories(t, env, profiled(t, "reader"), 1, true)

	var turns []prompt.DemonstrationTurn
	for _, t := range all[len(all)-1].Turns() {
		turns = append(turns, prompt.DemonstrationTurn{Action: string(t.Action), Observation: t.Observation})
	}

	p.Demonstrations = map[string][]prompt.Demonstration{"coffee": {
		{Question: question + " (second)", Turns: turns}, {Question: question + " (third)", Turns: turns},
	}}
	return p
}
