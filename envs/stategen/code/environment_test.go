package code

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/envtest"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/sandboxtest"
	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
)

// memory is an [envs.Memory] in memory.
type memory map[string]envs.Result

func (m memory) Recall(_ context.Context, key string) (envs.Result, bool, error) {
	r, ok := m[key]
	return r, ok, nil
}

func (m memory) Remember(_ context.Context, key string, r envs.Result) error {
	m[key] = r
	return nil
}

// counting counts the programs that an engine runs.
type counting struct {
	sandbox.Engine
	runs atomic.Int64
}

func (c *counting) Run(ctx context.Context, p sandbox.Program, l sandbox.Limits) (sandbox.Reply, error) {
	c.runs.Add(1)
	return c.Engine.Run(ctx, p, l)
}

func toyConfig(base, deployed *toolapi.Version, e sandbox.Engine) Config {
	task := toyTask()
	return Config{
		Domains: []stategen.Domain{toy{}}, Base: base, Deployed: deployed, Engine: e,
		Tasks: func(id string) (*stategen.Task, error) {
			if id != task.ID {
				return nil, errors.New("no such task")
			}
			return task, nil
		},
	}
}

func newEnvironment(t *testing.T, c Config) *Environment {
	t.Helper()

	env, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func written(program string) envs.Action {
	return envs.Action(action.Python{}.Format("I write it down.", envs.Finish(program)))
}

func TestEnvironmentConforms(t *testing.T) {
	e := sandboxtest.Engine(t)
	base := version(t, catalog(t, toy{}), "p_c")

	envtest.Run(t, func() envs.Environment { return newEnvironment(t, toyConfig(base, base, e)) },
		[]envs.Task{{ID: toyTask().ID, Question: "Do it."}},
		[]envs.Action{written(toyProgram), written("RESULT = 1"), written("RESULT ="), "RESULT = 1"})
}

func play(t *testing.T, env envs.Environment, a envs.Action) envs.Transition {
	t.Helper()

	s, err := env.Reset(t.Context(), envs.Task{ID: toyTask().ID})
	if err != nil {
		t.Fatal(err)
	}

	next, err := env.Step(t.Context(), s, a)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

func TestEpisodes(t *testing.T) {
	base := version(t, catalog(t, toy{}), "p_c")
	env := newEnvironment(t, toyConfig(base, base, sandboxtest.Engine(t)))

	for text, want := range map[envs.Action]struct {
		outcome envs.Outcome
		class   Class
		cause   Cause
	}{
		written(toyProgram) + "\nThat is all.": {envs.Correct, "", ""},
		written("RESULT = 1"):                  {envs.Incorrect, Result, WrongState},
		written("RESULT ="):                    {envs.Incorrect, Syntax, Unparsable},
		written("RESULT = x"):                  {envs.Incorrect, Execution, NoVariable},
		"I cannot.":                            {envs.Incorrect, Syntax, NoCode},
	} {
		got := play(t, env, text)

		v, err := ReadVerdict(got.Turn.Observation)
		if err != nil || got.Turn.Outcome != want.outcome || v.Class != want.class || v.Cause != want.cause {
			t.Errorf("%q: %s, %+v, %v; want %+v", text, got.Turn.Outcome, v, err, want)
		}

		if got.State.Status() != envs.Terminated || got.Reward > 0 != v.Passed() || got.Grade.Official != v.Passed() {
			t.Errorf("%q: %s with reward %v and grade %+v", text, got.State.Status(), got.Reward, got.Grade)
		}

		if strings.HasSuffix(string(got.Turn.Action), "That is all.") {
			t.Errorf("%q keeps what stands behind its program", text)
		}
	}
}

// A verdict that is remembered costs no run, whichever environment has come to it.
func TestVerdictsAreRemembered(t *testing.T) {
	base := version(t, catalog(t, toy{}), "p_c")
	e, m := &counting{Engine: sandboxtest.Engine(t)}, memory{}
	config := toyConfig(base, base, e)
	config.Memory = m

	first := play(t, newEnvironment(t, config), written(toyProgram))
	runs := e.runs.Load()

	again := play(t, newEnvironment(t, config), written(toyProgram))
	if again.Turn.Observation != first.Turn.Observation {
		t.Errorf("%q at first, and then %q", first.Turn.Observation, again.Turn.Observation)
	}

	if runs == 0 || e.runs.Load() != runs {
		t.Errorf("%d runs, and then %d", runs, e.runs.Load())
	}

	if play(t, newEnvironment(t, config), written("RESULT = 2")); e.runs.Load() == runs {
		t.Error("another program has the verdict of the first")
	}
}

// What is planned passes on the base; lifted, wherever the version can be said. Nothing but the
// reference is lifted.
func TestPlanAndLift(t *testing.T) {
	c := catalog(t, toy{})
	base, deployed := version(t, c, "p_c"), made(t, c, 0)
	e := sandboxtest.Engine(t)

	config := toyConfig(base, base, e)
	task := toyTask()

	_, planned, err := (&Surface{Domain: toy{}, Base: base, Deployed: base}).Plan(task)
	if err != nil {
		t.Fatal(err)
	}

	format := func(c envs.Call) envs.Action { return envs.Action(action.Python{}.Format("", c)) }

	if got := play(t, newEnvironment(t, config), format(planned)); got.Turn.Outcome != envs.Correct {
		t.Errorf("the plan ends with %s", got.Turn.Observation)
	}

	config.Deployed = deployed
	env := newEnvironment(t, config)

	if got := play(t, env, format(planned)); got.Turn.Outcome != envs.Incorrect {
		t.Errorf("the plan for the base ends with %s under %s", got.Turn.Observation, deployed.Name)
	}

	so := envs.NewHistory(envs.Task{ID: task.ID})

	lifted, err := env.Lift(so, planned)
	if err != nil {
		t.Fatal(err)
	}

	if got := play(t, env, format(lifted)); got.Turn.Outcome != envs.Correct {
		t.Errorf("the lifted plan ends with %s under %s", got.Turn.Observation, deployed.Name)
	}

	if _, err := env.Lift(so, envs.Finish("RESULT = 1")); err == nil {
		t.Error("a program that is no reference was lifted")
	}
}

func TestIncompleteConfigurations(t *testing.T) {
	base := version(t, catalog(t, toy{}), "p_c")
	empty := version(t, catalog(t), "p_c")

	for name, change := range map[string]func(*Config){
		"no base":     func(c *Config) { c.Base = nil },
		"no version":  func(c *Config) { c.Deployed = nil },
		"no tasks":    func(c *Config) { c.Tasks = nil },
		"other tools": func(c *Config) { c.Base, c.Deployed = empty, empty },
	} {
		c := toyConfig(base, base, nil)
		change(&c)

		if _, err := New(c); err == nil {
			t.Errorf("%s is no error", name)
		}
	}
}

func TestQuestion(t *testing.T) {
	base := version(t, catalog(t, toy{}), "p_c")
	s := Surface{Domain: toy{}, Base: base, Deployed: base}
	task := toyTask()
	task.Instruction.Variables = "user_variable_0 is a text.\n\nuser_variable_1 is an object."

	got := s.Question(task, "Write the text.\n")
	for _, want := range []string{
		"user_variable_0 is a text.\nuser_variable_1", "\n    join(notes=notes, between=between)\n",
		"\nWrite the text.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}

	if strings.Contains(got, "\n\n") || strings.Contains(got, "yes") {
		t.Errorf("the question has a blank line or a value:\n%s", got)
	}
}
