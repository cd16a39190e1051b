package envtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"toolevo/envs"
)

func TestMazeConforms(t *testing.T) {
	m := NewMaze()
	Run(t, func() envs.Environment { return NewMaze() }, []envs.Task{MazeTask},
		append(m.Actions(), "", "left  twice", "learn", "stop now"))
}

func TestDoorConforms(t *testing.T) {
	Run(t, func() envs.Environment { return Door{} }, []envs.Task{DoorTask},
		[]envs.Action{"knock", "enter", "shout", ""})
}

// play steps through actions and returns the last transition.
func play(t *testing.T, env envs.Environment, task envs.Task, actions ...envs.Action) envs.Transition {
	t.Helper()

	s, err := env.Reset(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}

	var last envs.Transition
	for _, a := range actions {
		if last, err = env.Step(t.Context(), s, a); err != nil {
			t.Fatalf("%v: %q: %v", actions, a, err)
		}

		s = last.State
	}
	return last
}

// TestMazeSolutions enumerates every walk of four turns.
func TestMazeSolutions(t *testing.T) {
	m := NewMaze()
	var solved [][]envs.Action
	var walk func(s envs.State, actions []envs.Action)
	walk = func(s envs.State, actions []envs.Action) {
		for _, a := range m.Actions() {
			next, err := m.Step(t.Context(), s, a)
			if err != nil {
				t.Fatal(err)
			}

			path := append(slices.Clone(actions), a)
			switch {
			case next.Reward > 0:
				solved = append(solved, path)
			case next.State.Status() == envs.Running && len(path) < 4:
				walk(next.State, path)
			}
		}
	}

	first, err := m.Reset(t.Context(), MazeTask)
	if err != nil {
		t.Fatal(err)
	}

	walk(first, nil)

	want := MazeSolutions()
	slices.SortFunc(want, slices.Compare)
	slices.SortFunc(solved, slices.Compare)

	if !slices.EqualFunc(solved, want, slices.Equal) {
		t.Errorf("solutions %v, want %v", solved, want)
	}
}

func TestMazeOutcomes(t *testing.T) {
	tests := []struct {
		actions []envs.Action
		outcome envs.Outcome
		says    string
	}{
		{[]envs.Action{"up"}, envs.Deprecated, "Use climb instead."},
		{[]envs.Action{"left"}, envs.ToolError, "There is no way."},
		{[]envs.Action{"right", "right", "climb"}, envs.ToolError, "There is no way."},
		{[]envs.Action{"right", "right"}, envs.OK, "You are in the pit."},
		{[]envs.Action{"fly"}, envs.InvalidAction, "Nobody here can do that."},
		{[]envs.Action{"right please"}, envs.InvocationError, "takes no more words"},
		{[]envs.Action{"\n"}, envs.Malformed, "Say something."},
		{[]envs.Action{"climb", "stop"}, envs.Incorrect, "This is the attic."},
	}
	for _, tt := range tests {
		got := play(t, NewMaze(), MazeTask, tt.actions...).Turn
		if got.Outcome != tt.outcome || !strings.Contains(got.Observation, tt.says) {
			t.Errorf("%v: %s %q, want %s %q", tt.actions, got.Outcome, got.Observation, tt.outcome, tt.says)
		}
	}

	last := play(t, NewMaze(), MazeTask, slices.Repeat([]envs.Action{"left"}, mazeTurns)...)
	if last.State.Status() != envs.Truncated || last.Reward != -1 {
		t.Errorf("after %d turns: %s with reward %v", mazeTurns, last.State.Status(), last.Reward)
	}

	learned := play(t, NewMaze(), MazeTask, "learn climb leads up", "right").State.History().Learned()
	if !slices.Equal(learned, []string{"climb leads up"}) {
		t.Errorf("learned %q", learned)
	}
}

// broken is a maze with one promise broken by a function.
type broken struct {
	*Maze
	reset func(envs.State, error) (envs.State, error)
	step  func(envs.State, envs.Transition, error) (envs.Transition, error)
	key   func(envs.Action) string
	alike bool // all states are
}

func (b *broken) Reset(ctx context.Context, t envs.Task) (envs.State, error) {
	s, err := b.Maze.Reset(ctx, t)
	if b.reset != nil {
		return b.reset(s, err)
	}
	return s, err
}

func (b *broken) Step(ctx context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	t, err := b.Maze.Step(ctx, s, a)
	if b.step != nil {
		return b.step(s, t, err)
	}
	return t, err
}

func (b *broken) Canonical(a envs.Action) string {
	if b.key != nil {
		return b.key(a)
	}
	return b.Maze.Canonical(a)
}

func (b *broken) Alike(x, y envs.State) bool { return b.alike || b.Maze.Alike(x, y) }

// retell makes a transition's turn the last one of its state.
func retell(t *envs.Transition) {
	s := t.State.(*toyState)

	h := envs.NewHistory(MazeTask)
	for _, turn := range s.history.Turns()[:s.history.Len()-1] {
		h = h.Append(turn)
	}

	t.State = &toyState{history: h.Append(t.Turn), status: s.status, place: s.place}
}

// TestSuiteFindsFaults runs every check on environments with a fault it is to find.
func TestSuiteFindsFaults(t *testing.T) {
	var calls atomic.Int64 // of all environments together
	changed := func(f func(t *envs.Transition)) *broken {
		return &broken{step: func(_ envs.State, t envs.Transition, err error) (envs.Transition, error) {
			if err == nil {
				f(&t)
			}
			return t, err
		}}
	}

	tests := []struct {
		name, check, want string
		env               *broken
	}{
		{"random observation", "steps", "a second step differs", changed(func(t *envs.Transition) {
			t.Turn.Observation = fmt.Sprint(calls.Add(1))
			retell(t)
		})},
		{"keeps another action", "steps", "the turn keeps the action", changed(func(t *envs.Transition) {
			t.Turn.Action = "so " + t.Turn.Action
			retell(t)
		})},
		{"keeps no action", "steps", "the turn keeps the action", changed(func(t *envs.Transition) {
			t.Turn.Action = ""
			retell(t)
		})},
		{"keeps less than the action", "steps", "a second step differs", changed(func(t *envs.Transition) {
			t.Turn.Action = t.Turn.Action[:1]
			retell(t)
		})},
		{"state changes", "steps", "the state stepped from changed",
			&broken{step: func(s envs.State, t envs.Transition, err error) (envs.Transition, error) {
				if err == nil && t.Turn.Outcome == envs.Deprecated {
					s.(*toyState).history = s.History().Learn("x")
				}
				return t, err
			}}},
		{"two turns at once", "steps", "the history went from", changed(func(t *envs.Transition) {
			s := t.State.(*toyState)
			s.history = s.history.Append(t.Turn)
		})},
		{"another turn", "steps", "the history is not the old one and the turn",
			changed(func(t *envs.Transition) { t.Turn.Observation += "!" })},
		{"reward while running", "steps", "reward 0.5", changed(func(t *envs.Transition) { t.Reward = 0.5 })},
		{"grade without an answer", "steps", "grade", changed(func(t *envs.Transition) { t.Grade.Official = true })},
		{"never ends", "steps", "outcome incorrect with status running", changed(func(t *envs.Transition) {
			t.State.(*toyState).status, t.Reward = envs.Running, 0
		})},
		{"forgets", "steps", "learned descriptions", changed(func(t *envs.Transition) {
			s := t.State.(*toyState)

			h := envs.NewHistory(MazeTask)
			for _, turn := range s.history.Turns() {
				h = h.Append(turn)
			}

			if t.Turn.Outcome != envs.OK {
				s.history = h
			}
		})},
		{"environments differ", "fresh environments agree", "a fresh environment differs",
			changed(func(t *envs.Transition) { t.Reward = float64(calls.Add(1)) })},
		{"hostile text is an error", "hostile text", "too strange",
			&broken{step: func(_ envs.State, t envs.Transition, err error) (envs.Transition, error) {
				if t.Turn.Outcome == envs.Malformed {
					err = errors.New("too strange")
				}
				return t, err
			}}},
		{"no end", "ended tasks", "none of the actions ended",
			changed(func(t *envs.Transition) { t.State.(*toyState).status = envs.Running })},
		{"steps after the end", "ended tasks", "is not an error",
			&broken{step: func(_ envs.State, t envs.Transition, _ error) (envs.Transition, error) { return t, nil }}},
		{"nameless error", "ended tasks", "names no stage",
			&broken{step: func(_ envs.State, t envs.Transition, err error) (envs.Transition, error) {
				if err != nil {
					err = errors.New("no")
				}
				return t, err
			}}},
		{"any task", "unknown task", "is not an error",
			&broken{reset: func(s envs.State, _ error) (envs.State, error) { return s, nil }}},
		{"order matters", "concurrency", "differs",
			changed(func(t *envs.Transition) { t.Reward = float64(calls.Add(1)) })},
		{"one key for all", "canonical", "two answers", &broken{key: func(envs.Action) string { return "" }}},
		{"everything is alike", "alike", "two answers", &broken{alike: true}},
		{"key with spaces", "canonical", "the key of", &broken{key: func(a envs.Action) string { return string(a) }}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.env.Maze = NewMaze()
			s := &suite{
				env:     func() envs.Environment { return tt.env },
				tasks:   []envs.Task{MazeTask},
				actions: tt.env.Actions(),
			}

			i := slices.IndexFunc(checks, func(c check) bool { return c.name == tt.check })
			if err := checks[i].run(t.Context(), s); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("check %q = %v, want %q in it", tt.check, err, tt.want)
			}
		})
	}
}
