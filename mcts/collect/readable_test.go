package collect_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/envtest"
	"toolevo/mcts"
	"toolevo/mcts/collect"
)

// mumbling is the estate, in which no action can be read from what is mumbled.
func mumbling() envs.Environment {
	e := &estate{Maze: envtest.NewMaze()}
	return mcts.WithStep(e, func(ctx context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
		if strings.HasPrefix(string(a), "mumble") {
			a = ""
		}
		return e.Step(ctx, s, a)
	})
}

// mumble is text without an action.
func mumble(r mcts.Request, sample int, _ *rand.Rand) string {
	return fmt.Sprintf("mumble %d", r.Seed+uint64(sample))
}

// A run whose model never writes an action ends after forty first turns, or with its last tree, and
// says what the model wrote. It goes on when it is told to, or when the model acts.
func TestCannotAct(t *testing.T) {
	for name, config := range presets() {
		t.Run(name, func(t *testing.T) {
			path := database(t)
			m := &model{write: mumble}
			o := options(config, m, open(t, path))
			o.Env, o.Workers = mumbling(), 1

			var all []string
			for i := range 30 {
				all = append(all, fmt.Sprintf("easy-%d", i))
			}

			o.Questions = questions(all...)

			_, err := collect.Run(context.Background(), o)

			var cannot *collect.CannotActError
			if !errors.As(err, &cannot) || cannot.Turns != 40 || len(cannot.Examples) != 2 {
				t.Fatalf("%v after %d samples, want a CannotActError of 40 turns", err, m.samples)
			}

			if grown := len(stored(t, o)); grown == 0 || grown == len(all) {
				t.Errorf("%d of %d questions have trees when it ends", grown, len(all))
			}

			o.Unreadable = true

			s, err := collect.Run(context.Background(), o)
			if err != nil || s.QuestionsDone != s.Questions || s.Unreadable != s.Turns || s.Turns == 0 {
				t.Errorf("told to go on: %+v: %v", s, err)
			}

			o.Unreadable, o.Store = false, open(t, database(t))
			o.Questions = questions("easy-0")

			// Its trees are there when it is resumed, and say the same.
			for range 2 {
				if _, err := collect.Run(context.Background(), o); !errors.As(err, &cannot) || cannot.Turns >= 40 {
					t.Errorf("a run of one question: %v, want a CannotActError of its first turns", err)
				}
			}
		})
	}
}

// One first turn with an action is enough for a run to go on, whether this process took it or one
// before.
func TestActsOnce(t *testing.T) {
	m := &model{write: func(r mcts.Request, sample int, rng *rand.Rand) string {
		if r.Node.Question == "easy-0" {
			return word(r, sample, rng)
		}
		return mumble(r, sample, rng)
	}}
	o := options(paper(), m, open(t, database(t)))
	o.Env, o.Workers, o.Questions = mumbling(), 1, questions("easy-0")

	for range 2 {
		s, err := collect.Run(context.Background(), o)
		if err != nil || s.QuestionsDone != s.Questions {
			t.Fatalf("%+v: %v", s, err)
		}

		if share := float64(s.Unreadable) / float64(s.Turns); len(o.Questions) > 1 && share < 0.5 {
			t.Errorf("%d of %d turns are unreadable", s.Unreadable, s.Turns)
		}

		o.Questions = questions("easy-0", "easy-1", "easy-2", "easy-3", "easy-4", "easy-5", "easy-6")
	}
}
