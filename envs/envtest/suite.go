package envtest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
)

// maxStates is how many states of each task the suite steps from.
const maxStates = 30

// Run checks the environments that env returns, which must be equal, on tasks they know. Each
// action is tried in every state reached; some sequence of them has to end each task. The race
// detector only matters for the concurrency check.
func Run(t *testing.T, env func() envs.Environment, tasks []envs.Task, actions []envs.Action) {
	t.Helper()

	s := &suite{env: env, tasks: tasks, actions: actions}

	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			if err := c.run(t.Context(), s); err != nil {
				t.Error(err)
			}
		})
	}
}

// check is the check of one promise of package envs.
type check struct {
	name string
	run  func(context.Context, *suite) error
}

var checks = []check{
	{"steps", checkSteps},
	{"fresh environments agree", checkFresh},
	{"hostile text", checkHostile},
	{"ended tasks", checkEnded},
	{"unknown task", checkUnknown},
	{"concurrency", checkConcurrency},
	{"canonical", checkCanonical},
	{"alike", checkAlike},
}

type suite struct {
	env     func() envs.Environment
	tasks   []envs.Task
	actions []envs.Action
}

// view is everything that can be seen of a state.
type view struct {
	Task    envs.Task
	Turns   []envs.Turn
	Learned []string
	Status  envs.Status
}

func viewOf(s envs.State) view {
	h := s.History()
	return view{Task: h.Task(), Turns: h.Turns(), Learned: h.Learned(), Status: s.Status()}
}

// seen is everything that can be seen of a transition.
type seen struct {
	View   view
	Turn   envs.Turn
	Reward float64
	Grade  envs.Grade
}

func seenOf(t envs.Transition) seen {
	return seen{View: viewOf(t.State), Turn: t.Turn, Reward: t.Reward, Grade: t.Grade}
}

// step is one step of a walk.
type step struct {
	from   envs.State
	before view // from, before the step
	action envs.Action
	envs.Transition
}

// walk steps breadth first from the first state of every task, with every action, from at most
// maxStates states, and calls visit with each transition.
func (s *suite) walk(ctx context.Context, env envs.Environment, visit func(st step) error) error {
	for _, task := range s.tasks {
		first, err := env.Reset(ctx, task)
		if err != nil {
			return fmt.Errorf("Reset(%q): %w", task.ID, err)
		}

		// A first state shows the task as it was given, and nothing else.
		if diff := difference(view{Task: task, Turns: []envs.Turn{}}, viewOf(first)); diff != "" {
			return fmt.Errorf("Reset(%q): not a first state (-want +got):\n%s", task.ID, diff)
		}

		queue := []envs.State{first}
		for i := 0; i < len(queue) && i < maxStates; i++ {
			for _, a := range s.actions {
				// Taken before the step, to see whether that changes the state.
				before := viewOf(queue[i])

				t, err := env.Step(ctx, queue[i], a)
				if err != nil {
					return fmt.Errorf("task %q, %v: %w", task.ID, path(queue[i], a), err)
				}

				if err := visit(step{queue[i], before, a, t}); err != nil {
					return fmt.Errorf("task %q, %v: %w", task.ID, path(queue[i], a), err)
				}

				if t.State.Status() == envs.Running {
					// States that are reached twice stay in it twice, as nothing says that they are
					// equal.
					queue = append(queue, t.State)
				}
			}
		}
	}

	return nil
}

// path returns the actions that led to s, and a.
func path(s envs.State, a envs.Action) []string {
	var actions []string
	for _, turn := range s.History().Turns() {
		actions = append(actions, brief(turn.Action))
	}
	return append(actions, brief(a))
}

func brief(a envs.Action) string {
	if len(a) > 80 {
		return fmt.Sprintf("%.80q… (%d bytes)", string(a), len(a))
	}
	return fmt.Sprintf("%q", string(a))
}

// checkSteps checks every transition, that a second step gives the same, and that the first state
// stays the same.
func checkSteps(ctx context.Context, s *suite) error {
	env := s.env()
	return s.walk(ctx, env, func(st step) error {
		first := seenOf(st.Transition)
		if diff := difference(st.before, viewOf(st.from)); diff != "" {
			return fmt.Errorf("the state stepped from changed (-before +after):\n%s", diff)
		}

		if err := checkTransition(st.before, st.action, first); err != nil {
			return err
		}

		if err := checkAgain(ctx, env, st.from, st.action, first); err != nil {
			return err
		}

		if diff := difference(first, seenOf(st.Transition)); diff != "" {
			return fmt.Errorf("a second step changed the first transition (-before +after):\n%s", diff)
		}
		return nil
	})
}

// checkAgain steps from a state with the same action, and with what the turn keeps of it: both must
// give the first transition.
func checkAgain(ctx context.Context, env envs.Environment, from envs.State, a envs.Action, first seen) error {
	for _, same := range []envs.Action{a, first.Turn.Action} {
		again, err := env.Step(ctx, from, same)
		if err != nil {
			return fmt.Errorf("second step: %w", err)
		}

		if diff := difference(first, seenOf(again)); diff != "" {
			return fmt.Errorf("a second step differs, of %s (-first +second):\n%s", brief(same), diff)
		}
	}
	return nil
}

// checkTransition holds a transition to the invariants that need no second step.
func checkTransition(before view, a envs.Action, got seen) error {
	n := len(before.Turns)
	if len(got.View.Turns) != n+1 {
		return fmt.Errorf("the history went from %d turns to %d", n, len(got.View.Turns))
	}

	// The capacity is cut, so that append cannot write into the history's own turns.
	if diff := difference(append(before.Turns[:n:n], got.Turn), got.View.Turns); diff != "" {
		return fmt.Errorf("the history is not the old one and the turn (-want +got):\n%s", diff)
	}

	if !cmp.Equal(got.View.Task, before.Task) {
		return fmt.Errorf("the task became %v", got.View.Task)
	}

	// What was learned stays; a turn can only add to it.
	if k := len(before.Learned); len(got.View.Learned) < k ||
		!slices.Equal(before.Learned, got.View.Learned[:k]) {
		return fmt.Errorf("learned descriptions %q became %q", before.Learned, got.View.Learned)
	}

	// An environment may cut an action, e.g. if text follows a call, but not rewrite it.
	text, kept := strings.ToValidUTF8(string(a), "\uFFFD"), string(got.Turn.Action)
	if !strings.HasPrefix(text, kept) || kept == "" && text != "" {
		return fmt.Errorf("the turn keeps the action %s", brief(got.Turn.Action))
	}

	if !utf8.ValidString(kept) || !utf8.ValidString(got.Turn.Observation) {
		return errors.New("the turn is not valid UTF-8")
	}

	call := got.Turn.Call
	if got.Turn.Outcome == envs.Malformed &&
		(call.Name != "" || call.Tool != "" || len(call.Args) > 0) {
		return fmt.Errorf("a malformed action has the call %v", call)
	}
	return checkReward(got)
}

// difference says how two values differ. Nearly all are equal, which package reflect sees in a
// tenth of the time.
func difference(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

// checkReward compares status, outcome, reward and grade.
func checkReward(got seen) error {
	outcome, status := got.Turn.Outcome, got.View.Status

	want := map[envs.Outcome]float64{envs.Correct: 1, envs.Incorrect: -1}[outcome]
	if status == envs.Truncated {
		want = -1
	}

	switch {
	case outcome.Ends() != (status == envs.Terminated):
		return fmt.Errorf("outcome %s with status %s", outcome, status)
	case got.Reward != want:
		return fmt.Errorf("reward %v with outcome %s and status %s", got.Reward, outcome, status)
	case !outcome.Ends() && got.Grade != envs.Grade{}:
		return fmt.Errorf("grade %v with outcome %s", got.Grade, outcome)
	case outcome == envs.Correct && !got.Grade.Official && !got.Grade.Strict:
		return errors.New("a correct answer that no matcher accepts")
	}

	return nil
}
