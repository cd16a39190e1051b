package bench

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/console"
	"toolevo/envs/dynamic"
	"toolevo/envs/envtest"
	"toolevo/envs/envtest/suitetest"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/stategen/taskfile"
	"toolevo/envs/suite"
)

// wanted says what tasks are generated.
func wanted(t testing.TB, split string, n int) *generating {
	t.Helper()
	return &generating{domains: domains.All(), split: split, tasks: n, options: stategen.Options{
		Calls: stategen.DefaultCalls, Selector: stategen.Argmax, Seed: 1, Workers: 2,
	}}
}

// generate generates tasks in a data folder.
func generate(t testing.TB, data, split string, n int) Generated {
	t.Helper()

	made, err := wanted(t, split, n).run(t.Context(), data, &console.Steps{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// choice is that of a new data folder with n tasks of each domain.
func choice(t testing.TB, n int) suite.Choice {
	t.Helper()

	data := t.TempDir()
	generate(t, data, "test", n)
	return suite.Choice{Data: data, Split: "test", Prompt: base, Environment: dynamic.Settings{UpdateTool: true}}
}

func open(t testing.TB, c suite.Choice) *opened {
	t.Helper()

	s, err := StateGen{}.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { s.Close() })
	return s.(*opened)
}

func environmentOf(t testing.TB, s suite.Suite, version string) envs.Environment {
	t.Helper()

	env, err := s.Environment(version, nil)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func text(c envs.Call) envs.Action { return envs.Action(action.ReAct{}.Format("next", c)) }

func finish(answer any) envs.Call {
	return envs.Call{Name: envs.FinishTool, Args: envs.Args{{Name: "answer", Value: answer}}}
}

// play plays a task by its plan, each call as say writes it, and returns the last transition and
// the calls.
func play(t testing.TB, s *opened, env envs.Environment, task envs.Task, say func(envs.History, envs.Call) envs.Call) (
	last envs.Transition, calls []envs.Call) {
	t.Helper()

	plan, ok := s.Plan(task.Question)
	if !ok {
		t.Fatalf("%s has no plan", task.ID)
	}

	state, err := env.Reset(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}

	var results []string

	for state.Status() == envs.Running {
		_, call, err := plan(results)
		if err != nil {
			return last, calls
		}

		said := say(state.History(), call)
		if last, err = env.Step(t.Context(), state, text(said)); err != nil {
			t.Fatal(err)
		}

		state, calls, results = last.State, append(calls, call), append(results, last.Turn.Observation)
	}
	return last, calls
}

// as is a call as it is.
func as(_ envs.History, c envs.Call) envs.Call { return c }

func TestSuite(t *testing.T) {
	t.Parallel()
	suitetest.Run(t, StateGen{}, choice(t, 4), nil)
}

func TestEnvironment(t *testing.T) {
	t.Parallel()

	c := choice(t, 1)
	s := open(t, c)

	for _, version := range []string{base, "p_s_in"} {
		env := func() envs.Environment { return environmentOf(t, open(t, c), version) }
		known := env()

		for _, task := range s.Tasks() {
			_, calls := play(t, s, environmentOf(t, s, base), task, as)

			actions := []envs.Action{"Thought: hm", text(finish("nothing")), text(finish(envs.Args{}))}

			for _, call := range calls[:2] {
				lifted, err := envs.Lift(known, envs.NewHistory(task), call)
				if err != nil {
					t.Fatal(err)
				}

				actions = append(actions, text(call), text(lifted))
			}

			t.Run(version+" "+task.ID, func(t *testing.T) { envtest.Run(t, env, []envs.Task{task}, actions) })
		}
	}
}

// Who knows a version solves every task in it; who calls what the prompt says solves none where
// tools have moved on.
func TestVersions(t *testing.T) {
	t.Parallel()

	s := open(t, choice(t, 8))

	for _, version := range []string{base, "p_s_in", "p_s_ood"} {
		env := environmentOf(t, s, version)

		lift := func(so envs.History, c envs.Call) envs.Call {
			lifted, err := envs.Lift(env, so, c)
			if err != nil {
				t.Error(err)
			}
			return lifted
		}

		for _, task := range s.Tasks() {
			if last, _ := play(t, s, env, task, lift); last.Reward != 1 {
				t.Errorf("%s: %s: who knows it gets %v: %s", version, task.ID, last.Reward, last.Turn.Observation)
			}

			if last, _ := play(t, s, env, task, as); (last.Reward == 1) != (version == base) {
				t.Errorf("%s: %s: who does not gets %v", version, task.ID, last.Reward)
			}
		}
	}
}

// An answer is right by its meaning, and only where the calls have left what they should.
func TestReward(t *testing.T) {
	t.Parallel()

	s := open(t, choice(t, 8))
	env := environmentOf(t, s, base)

	for _, task := range s.Tasks() {
		_, calls := play(t, s, env, task, as)
		right := calls[len(calls)-1].Args[0].Value.(string)

		said := func(answer any) func(envs.History, envs.Call) envs.Call {
			return func(_ envs.History, c envs.Call) envs.Call {
				if c.Name == envs.FinishTool {
					return finish(answer)
				}
				return c
			}
		}

		value := readings(right)

		for answer, want := range map[any]float64{right: 1, " " + right + "\n": 1, "": -1, "null": -1, "{}": -1} {
			if last, _ := play(t, s, env, task, said(answer)); last.Reward != want {
				t.Errorf("%s: the answer %q gets %v, want %v", task.ID, answer, last.Reward, want)
			}
		}

		// A model with function calls may give the value itself.
		if last, _ := play(t, s, env, task, said(value[len(value)-1])); last.Reward != 1 {
			t.Errorf("%s: the value %v gets %v", task.ID, value, last.Reward)
		}

		// The answer alone is not enough where calls were to leave something.
		state, err := env.Reset(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}

		last, err := env.Step(t.Context(), state, text(finish(right)))
		if err != nil {
			t.Fatal(err)
		}

		e, err := s.episode(task.ID)
		if err != nil {
			t.Fatal(err)
		}

		begun, err1 := e.start()
		want, err2 := e.oracle()

		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}

		if !e.domain.Same(e.domain.Effects(begun), want.Effects) && last.Reward != -1 {
			t.Errorf("%s: the answer without calls gets %v", task.ID, last.Reward)
		}
	}
}

// An interrupted generation keeps whole tasks, and goes on to the same bytes.
func TestInterruptedGeneration(t *testing.T) {
	t.Parallel()

	whole, parts := t.TempDir(), t.TempDir()
	generate(t, whole, "train", 20)

	for {
		ctx, cancel := context.WithCancel(t.Context())

		// The end of the context is noticed between tasks, wherever it comes.
		f, err := taskfile.Edit(parts, suite.Splits())
		if err != nil {
			t.Fatal(err)
		}

		g := wanted(t, "train", 20)
		n := 0

		for _, d := range g.domains {
			if _, err = g.domain(ctx, f, d, func(int, int) {
				if n++; n == 7 {
					cancel()
				}
			}); err != nil {
				break
			}
		}

		cancel()

		if err := errors.Join(f.Commit(), f.Close()); err != nil {
			t.Fatal(err)
		}

		if err == nil {
			break
		}

		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}

	want, err1 := os.ReadFile(taskfile.Path(whole, "train"))
	got, err2 := os.ReadFile(taskfile.Path(parts, "train"))

	if err := errors.Join(err1, err2); err != nil || string(got) != string(want) {
		t.Errorf("the tasks differ (%v)", err)
	}
}

// Splits share no program, generating what is there already changes nothing, and more are other
// ones.
func TestSplitsOfGeneratedTasks(t *testing.T) {
	t.Parallel()

	data := t.TempDir()
	programs := map[string]string{}

	for _, split := range suite.Splits() {
		made := generate(t, data, split, 8)
		again := generate(t, data, split, 8)

		for i, d := range made.Domains {
			if d.Tasks != 8 || d.Added != 8 || again.Domains[i].Added != 0 || again.Domains[i].Tasks != 8 {
				t.Errorf("%s: %+v, then %+v", split, d, again.Domains[i])
			}
		}

		for _, d := range generate(t, data, split, 12).Domains {
			if d.Tasks != 12 || d.Added != 4 {
				t.Errorf("%s: %+v when more are wanted", split, d)
			}
		}

		tasks, err := StateGen{}.List(data, split)
		if err != nil {
			t.Fatal(err)
		}

		for _, task := range tasks {
			if other, ok := programs[task.Labels[labelProgram]]; ok && other != split {
				t.Errorf("%s is in %s and %s", task.Labels[labelProgram], other, split)
			}

			programs[task.Labels[labelProgram]] = split
		}
	}
}

// What is not there is told with what to do.
func TestOpenErrors(t *testing.T) {
	t.Parallel()

	whole := choice(t, 2)

	for want, change := range map[string]func(*suite.Choice){
		"`toolevo tasks generate` makes tasks": func(c *suite.Choice) { c.Split = "dev" },
		"unknown domain \"coffee\"":            func(c *suite.Choice) { c.Datasets = []string{"coffee"} },
		"difficulty of generated tasks":        func(c *suite.Choice) { c.Difficulties = []string{"hard"} },
	} {
		c := whole
		change(&c)

		if _, err := (StateGen{}).Open(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}

	if none, err := (StateGen{}).List(whole.Data, "dev"); err != nil || len(none) > 0 {
		t.Errorf("a split that is not there has %d tasks (%v)", len(none), err)
	}

	c := whole
	c.Difficulties = []string{branching}

	for _, task := range open(t, c).Tasks() {
		if task.Labels[envs.LabelDifficulty] != branching || strings.HasSuffix(task.ID, "/main") {
			t.Errorf("%s is %s", task.ID, task.Labels[envs.LabelDifficulty])
		}
	}
}

// A verified folder has no problems; one in which something was changed has.
func TestVerify(t *testing.T) {
	t.Parallel()

	data := t.TempDir()
	generate(t, data, "train", 8)

	verified := func(data string) *Verified {
		v := verifying{mutants: 8, done: &Verified{}}
		if err := v.run(t.Context(), data, &console.Steps{}); err != nil {
			t.Fatal(err)
		}
		return v.done
	}

	good := verified(data)
	if good.Count != 0 || len(good.Splits) != 1 || good.Splits[0].Cases < 24 {
		t.Errorf("a good folder: %+v", good)
	}

	for kind, m := range good.Splits[0].Mutants {
		if m.Caught+m.Alike != m.Mutants || m.Caught*2 < m.Mutants {
			t.Errorf("%s: %+v", kind, m)
		}

		if mistakes[kind] == "" {
			t.Errorf("no words for the mutants %s", kind)
		}
	}

	changed := t.TempDir()

	f, err := taskfile.Edit(changed, suite.Splits())
	if err != nil {
		t.Fatal(err)
	}

	from, err := taskfile.Open(data, "train", func(task *stategen.Task) error {
		task.Cases[0].Result.Any = "something else"
		_, err := f.Add("train", task)
		return err
	})
	if err := errors.Join(err, from.Close(), f.Commit(), f.Close()); err != nil {
		t.Fatal(err)
	}

	if bad := verified(changed); bad.Count < 24 || !slices.ContainsFunc(bad.Problems, func(p string) bool {
		return strings.Contains(p, "RESULT is not the recorded one")
	}) {
		t.Errorf("a changed folder: %+v", bad)
	}
}
