package dynamic

import (
	"context"
	"errors"
	"testing"

	"toolevo/envs"
)

// loadedGrader finds an answer right that names the database which is loaded.
type loadedGrader struct{}

func (loadedGrader) Known(envs.Task) bool { return true }

func (loadedGrader) Grade(_ context.Context, m memory, _ envs.History, answer string) (envs.Grade, error) {
	return envs.Grade{Official: answer == m.db}, nil
}

// Tasks begin with the sessions that are theirs, and a grader sees what calls have made of them.
func TestBegin(t *testing.T) {
	t.Parallel()

	c := config(t, "p_c", Options{})
	c.Grader = loadedGrader{}
	c.Begin = func(t envs.Task) (memory, error) { return memory{db: t.ID}, nil }

	env, err := New(c)
	if err != nil {
		t.Fatal(err)
	}

	load := react("LoadDB", `{"DBName": "coffee"}`)

	for _, tt := range []struct {
		task    string
		actions []envs.Action
		want    string
	}{
		{"yelp", nil, "yelp"},
		{"agenda", nil, "agenda"},
		{"yelp", []envs.Action{load}, "coffee"},
	} {
		state, err := env.Reset(t.Context(), envs.Task{ID: tt.task})
		if err != nil {
			t.Fatal(err)
		}

		for _, a := range append(tt.actions, react("Finish", `{"answer": "`+tt.want+`"}`)) {
			next, err := env.Step(t.Context(), state, a)
			if err != nil {
				t.Fatal(err)
			}

			state = next.State
		}

		if last, _ := state.History().Last(); last.Outcome != envs.Correct {
			t.Errorf("%s after %d calls: %s", tt.task, len(tt.actions), last.Observation)
		}
	}
}

// A task that cannot begin is a failure of ours.
func TestBeginFails(t *testing.T) {
	t.Parallel()

	cause := errors.New("disk full")
	c := config(t, "p_c", Options{})
	c.Begin = func(envs.Task) (memory, error) { return memory{}, cause }

	env, err := New(c)
	if err != nil {
		t.Fatal(err)
	}

	_, err = env.Reset(t.Context(), task)
	if stage, _ := envs.FailedStage(err); stage != envs.StageEnvironment || !errors.Is(err, cause) {
		t.Errorf("the error is %v", err)
	}
}
