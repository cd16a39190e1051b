package dynamic

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// shipped loads the shipped versions once for all tests: nothing changes them.
var shipped = sync.OnceValues(func() (*toolapi.Catalog, error) { return toolapi.Load(os.DirFS("../../configs/apis")) })

func version(t testing.TB, name string) *toolapi.Version {
	t.Helper()

	c, err := shipped()
	if err != nil {
		t.Fatal(err)
	}

	v, err := c.Version(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// memory is what the fake tools remember: the name of the loaded database.
type memory struct{ db string }

// databases are those that the fake LoadDB finds.
var databases = map[string]bool{"coffee": true, "flights": true}

var task = envs.Task{ID: "easy-coffee-0000", Question: "What was the coffee price on 2000-01-14?"}

// fakeTools answer with their own call, LoadDB remembers.
func fakeTools(t testing.TB) map[string]Tool[memory] {
	tools := make(map[string]Tool[memory])

	for _, api := range version(t, "p_c").APIs {
		if api.Tool == envs.FinishTool || api.Tool == envs.UpdateTool {
			continue
		}

		tools[api.Tool] = ToolFunc[memory](func(_ context.Context, m memory, args envs.Args) (memory, envs.Result,
			error) {
			return m, envs.Result{Observation: fmt.Sprintf("%s ran on %s with %q loaded.", api.Tool,
				pytext.AppendJSON(nil, args), m.db)}, nil
		})
	}

	tools["LoadDB"] = ToolFunc[memory](loadDB)
	return tools
}

func loadDB(_ context.Context, m memory, args envs.Args) (memory, envs.Result, error) {
	name, ok := args.Text("DBName")
	if !ok || !databases[name] {
		return m, envs.Result{
			Observation: "The database you want to query in not in the list. Please change another database for query.",
			Outcome:     envs.ToolError,
		}, nil
	}

	return memory{db: name}, envs.Result{Observation: "We have successfully loaded the " + name +
		" database, including the following columns: Date, Open."}, nil
}

// fakeGrader knows one task; 65.15 is right, and " 65.15" officially but not strictly.
type fakeGrader struct{}

func (fakeGrader) Known(t envs.Task) bool { return t.ID == task.ID }

func (fakeGrader) Grade(_ context.Context, _ memory, _ envs.History, answer string) (envs.Grade, error) {
	if answer == "crash" {
		return envs.Grade{}, errors.New("the matcher crashed")
	}
	return envs.Grade{Official: pytext.Strip(answer) == "65.15", Strict: answer == "65.15"}, nil
}

func config(t testing.TB, deployed string, options Options) Config[memory] {
	options.UpdateTool = true
	return Config[memory]{
		Prompt: version(t, "p_c"), Deployed: version(t, deployed),
		Tools: fakeTools(t), Grader: fakeGrader{}, Options: options,
		Same: func(a, b memory) bool { return a == b },
	}
}

func newEnv(t testing.TB, deployed string, options Options) *Environment[memory] {
	t.Helper()

	env, err := New(config(t, deployed, options))
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// react returns an action with a thought.
func react(name, input string) envs.Action {
	return envs.Action("Thought: so be it.\n\nAction: " + name + "\n\nAction Input: " + input)
}

// play steps through actions and returns the last transition.
func play(t testing.TB, env *Environment[memory], actions ...envs.Action) envs.Transition {
	t.Helper()

	s, err := env.Reset(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}

	var last envs.Transition
	for _, a := range actions {
		if last, err = env.Step(t.Context(), s, a); err != nil {
			t.Fatalf("%q: %v", a, err)
		}

		s = last.State
	}
	return last
}
