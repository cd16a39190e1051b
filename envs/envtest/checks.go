package envtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
)

// checkFresh walks through two environments and compares what they say.
func checkFresh(ctx context.Context, s *suite) error {
	first, err := s.seen(ctx)
	if err != nil {
		return err
	}

	if err := s.compare(ctx, s.env(), first); err != nil {
		return fmt.Errorf("a fresh environment differs from the first: %w", err)
	}
	return nil
}

// seen returns what a walk through a new environment shows.
func (s *suite) seen(ctx context.Context) (all []seen, err error) {
	err = s.walk(ctx, s.env(), func(st step) error {
		all = append(all, seenOf(st.Transition))
		return nil
	})
	return all, err
}

// compare walks through an environment, which must show the same.
func (s *suite) compare(ctx context.Context, env envs.Environment, want []seen) error {
	i := 0
	return s.walk(ctx, env, func(st step) error {
		if i >= len(want) {
			return errors.New("it goes on where the first ended")
		}

		if diff := difference(want[i], seenOf(st.Transition)); diff != "" {
			return fmt.Errorf("a step differs (-want +got):\n%s", diff)
		}
		i++
		return nil
	})
}

// Hostile returns texts that a model may write and that are hard on a parser: empty, not UTF-8, a
// megabyte long, nested 10,000 deep, and ReAct gone wrong. They must lead to observations, never
// errors.
func Hostile() []envs.Action {
	const deep, long = 10_000, 1 << 20
	react := func(input string) envs.Action {
		return envs.Action("Thought: x\nAction: LoadDB\nAction Input: " + input)
	}
	return []envs.Action{
		"", " \n\t\u3000", "\x00", "\xff\xfe\x80", "left \xff", "{}", "}{", "Action:", "Action Input:",
		"Action: Action Input: {}",
		react(`{}`), react(`{ }`), react(`{'Name': 'pear'}`), react(`{"Name": "pear"`),
		react(`{"Name": "pear"}}`),
		react("{\"DBName\": \"cof\xfffee\"}"), react(`{"\ud800": "\udfff"}`), react(`{"DBName": NaN, "DBName": 1e999}`),
		react(`{"Name": "pear"}`) + "\nObservation: ok\n" + react(`{"Name": "pear"}`),
		react(strings.Repeat(`{"a":`, deep) + strings.Repeat("}", deep)),
		react(`{"a":` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + "}"),
		react(`{"a": "` + strings.Repeat("word ", long/5) + `"}`),
		react(`{"a": "` + strings.Repeat(`\u0041`, long/6) + `"}`),
		envs.Action(strings.Repeat("[", long)),
		envs.Action(strings.Repeat("Action: Action Input: ", long/22)),
		envs.Action(strings.Repeat("\xf0\x9f", long/2)),
	}
}

// checkHostile tries hostile text in the first state of every task.
func checkHostile(ctx context.Context, s *suite) error {
	env := s.env()
	for _, task := range s.tasks {
		from, err := env.Reset(ctx, task)
		if err != nil {
			return fmt.Errorf("Reset(%q): %w", task.ID, err)
		}

		for _, a := range Hostile() {
			t, err := env.Step(ctx, from, a)
			if err != nil {
				return fmt.Errorf("task %q, %s: %w", task.ID, brief(a), err)
			}

			err = checkTransition(viewOf(from), a, seenOf(t))
			if err == nil {
				err = checkAgain(ctx, env, from, a, seenOf(t))
			}

			if err != nil {
				return fmt.Errorf("task %q, %s: %w", task.ID, brief(a), err)
			}
		}
	}

	return nil
}

// checkEnded steps from states that are not running.
func checkEnded(ctx context.Context, s *suite) error {
	env := s.env()
	ended := make(map[string]bool)

	err := s.walk(ctx, env, func(st step) error {
		if st.State.Status() == envs.Running {
			return nil
		}

		ended[st.State.History().Task().ID] = true
		_, err := env.Step(ctx, st.State, st.action)
		return checkFailure("a step from a "+st.State.Status().String()+" state", err)
	})
	if err != nil {
		return err
	}

	for _, task := range s.tasks {
		if !ended[task.ID] {
			return fmt.Errorf("none of the actions ended task %q: the suite needs some that do", task.ID)
		}
	}

	return nil
}

// checkUnknown resets to a task that does not exist.
func checkUnknown(ctx context.Context, s *suite) error {
	_, err := s.env().Reset(ctx, envs.Task{ID: "there is no such task", Question: "?"})
	return checkFailure("Reset to an unknown task", err)
}

// checkFailure returns nil if err is an error that names its stage.
func checkFailure(what string, err error) error {
	if err == nil {
		return errors.New(what + " is not an error")
	}

	if _, ok := envs.FailedStage(err); !ok {
		return fmt.Errorf("%s: the error names no stage: %w", what, err)
	}
	return nil
}

// checkConcurrency walks through one environment from several goroutines, and compares that with a
// single walk.
func checkConcurrency(ctx context.Context, s *suite) error {
	want, err := s.seen(ctx)
	if err != nil {
		return err
	}

	env := s.env()
	failed := make([]error, 8)

	var group sync.WaitGroup
	for w := range failed {
		group.Go(func() {
			if err := s.compare(ctx, env, want); err != nil {
				failed[w] = fmt.Errorf("a concurrent walk differs from a sequential one: %w", err)
			}
		})
	}

	group.Wait()
	return errors.Join(failed...)
}

// checkCanonical compares the answers to actions with equal keys. An environment without keys
// passes.
func checkCanonical(ctx context.Context, s *suite) error {
	env := s.env()

	keys, ok := env.(envs.Canonicalizer)
	if !ok {
		return nil
	}

	for _, task := range s.tasks {
		from, err := env.Reset(ctx, task)
		if err != nil {
			return fmt.Errorf("Reset(%q): %w", task.ID, err)
		}

		// A search takes actions with equal keys for one, so their answers must be equal.
		answers := make(map[string]envs.Turn)

		for _, a := range s.actions {
			key := keys.Canonical(a)
			// White space around an action must not make it another one.
			for _, same := range []envs.Action{a, " \n" + a + "\n "} {
				if got := keys.Canonical(same); got != key {
					return fmt.Errorf("the key of %s is %q, that of %s is %q",
						brief(a), key, brief(same), got)
				}

				t, err := env.Step(ctx, from, same)
				if err != nil {
					return fmt.Errorf("task %q, %s: %w", task.ID, brief(same), err)
				}

				first, ok := answers[key]
				if !ok {
					answers[key] = t.Turn
				} else if first.Observation != t.Turn.Observation ||
					first.Outcome != t.Turn.Outcome || !cmp.Equal(first.Call, t.Turn.Call) {
					return fmt.Errorf("one key %q, two answers: %s %q and %s %q",
						key, first.Outcome, first.Observation, t.Turn.Outcome, t.Turn.Observation)
				}
			}
		}
	}

	return nil
}

// checkAlike compares the answers to one action in states that are alike: if it fails in one, it
// fails in the same way in the other. An environment that compares no states passes.
func checkAlike(ctx context.Context, s *suite) error {
	env := s.env()
	var firsts []envs.State                 // the first of each set of states that are alike
	var answers []map[envs.Action]envs.Turn // the answers in them
	return s.walk(ctx, env, func(st step) error {
		at := slices.IndexFunc(firsts, func(first envs.State) bool {
			// Environments compare states of one task only.
			sameTask := first.History().Task().ID == st.from.History().Task().ID
			return sameTask && envs.Alike(env, first, st.from)
		})
		if at < 0 {
			firsts, at = append(firsts, st.from), len(firsts)
			answers = append(answers, map[envs.Action]envs.Turn{})
		}

		first, ok := answers[at][st.action]
		if !ok {
			answers[at][st.action] = st.Turn
			return nil
		}

		got := st.Turn
		// A call that succeeds may answer otherwise: only failures are not tried again.
		failed := first.Outcome.IsError() || got.Outcome.IsError()
		if failed && (first.Outcome != got.Outcome || first.Observation != got.Observation) {
			return fmt.Errorf("states that are alike give two answers: %s %q and %s %q",
				first.Outcome, first.Observation, got.Outcome, got.Observation)
		}

		return nil
	})
}
