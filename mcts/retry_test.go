package mcts_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"toolevo/envs"
	"toolevo/envs/envtest"
	"toolevo/mcts"
)

// shaky fails its first calls.
type shaky struct {
	*envtest.Maze
	failures, calls int
	err             error
}

func (s *shaky) Step(ctx context.Context, from envs.State, a envs.Action) (envs.Transition, error) {
	if s.calls++; s.calls <= s.failures {
		return envs.Transition{}, s.err
	}
	return s.Maze.Step(ctx, from, a)
}

func (s *shaky) Propose(context.Context, mcts.Request) ([]mcts.Proposal, error) {
	if s.calls++; s.calls <= s.failures {
		return nil, s.err
	}
	return []mcts.Proposal{{Text: "right"}}, nil
}

func TestRetry(t *testing.T) {
	crash := envs.Fail(envs.StageTool, "x", errors.New("crash"))

	full := envs.Fail(envs.StageStore, "x", errors.New("disk full"))
	thrice := mcts.Retry{Attempts: 3, Backoff: time.Second}

	for _, test := range []struct {
		name            string
		failures, calls int
		err             error
		works           bool
		waited          time.Duration
		retry           mcts.Retry
	}{
		{"at once", 0, 1, crash, true, 0, thrice},
		{"at the second attempt", 1, 2, crash, true, time.Second, thrice},
		{"at the third", 2, 3, crash, true, 3 * time.Second, thrice},
		{"never", 9, 3, crash, false, 3 * time.Second, thrice},
		{"a store that is full is not tried again", 9, 1, full, false, 0, thrice},
		// 1, 2, 4, 8, 16, 32 seconds, and no more than a minute
		{"at the ninth", 8, 9, crash, true, 183 * time.Second, mcts.Retry{Attempts: 9, Backoff: time.Second}},
		{"after long waits", 2, 3, crash, true, 10 * time.Minute, mcts.Retry{Attempts: 3, Backoff: 5 * time.Minute}},
		{"once", 9, 1, crash, false, 0, mcts.Retry{Attempts: 1, Backoff: time.Second}},
	} {
		for _, what := range []string{"policy", "environment"} {
			t.Run(test.name+"/"+what, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := &shaky{Maze: envtest.NewMaze(), failures: test.failures, err: test.err}

					start, err := time.Now(), error(nil)
					if what == "policy" {
						_, err = test.retry.Policy(s).Propose(context.Background(), mcts.Request{})
					} else {
						env := test.retry.Environment(s)

						from, resetErr := env.Reset(context.Background(), envtest.MazeTask)
						if resetErr != nil {
							t.Fatal(resetErr)
						}

						_, err = env.Step(context.Background(), from, "right")
					}

					if (err == nil) != test.works || err != nil && !errors.Is(err, test.err) {
						t.Errorf("error is %v", err)
					}

					if waited := time.Since(start); s.calls != test.calls || waited != test.waited {
						t.Errorf("%d calls in %v, want %d in %v", s.calls, waited, test.calls, test.waited)
					}
				})
			})
		}
	}
}

func TestRetryEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
		defer cancel()

		s := &shaky{failures: 1000, err: errors.New("gone")}

		_, err := mcts.Retry{Attempts: 1000, Backoff: time.Minute}.Policy(s).Propose(ctx, mcts.Request{})
		if !errors.Is(err, context.DeadlineExceeded) || s.calls != 2 {
			t.Errorf("%v after %d calls", err, s.calls)
		}
	})
}

// A call that its context ends is not made again, and its own error stands.
func TestRetryOfWhatWasEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	gone, calls := errors.New("cut"), 0
	p := walker()
	p.asked = func(mcts.Request) error {
		calls++
		cancel()
		return gone
	}

	_, err := mcts.Retry{Attempts: 3}.Policy(p).Propose(ctx, mcts.Request{N: 1})
	if err != gone || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

// An environment that is tried again is still an environment, and its keys are the ones it had.
func TestRetryingEnvironmentConforms(t *testing.T) {
	maze := envtest.NewMaze()
	envtest.Run(t, func() envs.Environment { return mcts.Retry{Attempts: 2}.Environment(envtest.NewMaze()) },
		[]envs.Task{envtest.MazeTask}, maze.Actions())
}

// seated holds conversations.
type seated struct{ begun, ended int }

func (s *seated) Propose(context.Context, mcts.Request) ([]mcts.Proposal, error) { return nil, nil }

func (s *seated) Converse() (mcts.Policy, func()) {
	s.begun++
	return walker(), func() { s.ended++ }
}

// A policy that holds conversations begins one, any other is used as it is.
func TestConverse(t *testing.T) {
	s := &seated{}

	conversation, end := mcts.Converse(s)
	end()

	if _, ok := conversation.(wanderer); !ok || s.begun != 1 || s.ended != 1 {
		t.Errorf("a conversation with %T, %d begun, %d ended", conversation, s.begun, s.ended)
	}

	other := &shaky{}

	conversation, end = mcts.Converse(other)
	end()

	if conversation != mcts.Policy(other) {
		t.Errorf("a conversation with %T", conversation)
	}
}
