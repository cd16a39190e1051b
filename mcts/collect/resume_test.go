package collect_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"toolevo/mcts"
	"toolevo/mcts/collect"
	"toolevo/mcts/store"
)

// interruption is one way to stop an attempt once the model has answered k calls in it.
type interruption struct {
	// strike is called with each request after the k-th; its error is the request's.
	strike func(*attempt) error
	// stopped reports whether Run's error says what happened.
	stopped func(error) bool
	// loses is how many answers of an attempt may miss the log when so many workers are at it.
	loses func(workers int) int
}

// attempt is one start of a run.
type attempt struct {
	cancel    context.CancelFunc
	interrupt func()
}

var errGone = errors.New("the server is gone")

func interruptions() map[string]interruption {
	cancelled := func(err error) bool { return errors.Is(err, context.Canceled) }
	return map[string]interruption{
		"cancelled": {
			func(a *attempt) error { a.cancel(); return context.Canceled },
			cancelled, func(workers int) int { return workers - 1 },
		},
		"cancelled while it answers": {
			func(a *attempt) error { a.cancel(); return nil },
			cancelled, func(workers int) int { return workers },
		},
		"interrupted": {
			func(a *attempt) error { a.interrupt(); return nil },
			cancelled, func(int) int { return 0 },
		},
		"gone for good": {
			func(*attempt) error { return errGone },
			func(err error) bool {
				var unresolved *collect.UnresolvedError
				return errors.As(err, &unresolved) && errors.Is(err, errGone)
			}, func(int) int { return 0 },
		},
	}
}

// A run that is stopped after every k-th model call, by whatever means, and gone on with as often
// as it takes, stores the trees of the run that was left alone. No call that the log holds is made
// again, and the log holds every answer but those that were on their way when the run was
// cancelled.
func TestInterruptedRuns(t *testing.T) {
	for preset, config := range presets() {
		whole := collected(t, options(config, &model{}, open(t, database(t))))

		for kind, by := range interruptions() {
			for workers, k := range map[int]int{1: 61, 4: 9} {
				t.Run(fmt.Sprintf("%s/%s/every %d/%d workers", preset, kind, k, workers), func(t *testing.T) {
					interrupted(t, config, by, k, workers, whole)
				})
			}
		}
	}
}

func interrupted(t *testing.T, config mcts.Config, by interruption, k, workers int,
	whole map[string][]*mcts.TreeRecord) {
	path := database(t)
	answers := map[string]int{} // over all attempts

	attempts, through := 0, false
	for ; !through; attempts++ {
		if attempts > 500 {
			t.Fatal("500 attempts were not enough: the run makes no progress")
		}

		s, err := store.Open(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}

		m, err := tried(t, config, by, k, workers, path, s)
		for call, n := range m.answered {
			answers[call] += n
		}

		if through = err == nil; through {
			o := options(config, nil, s)
			same(t, whole, stored(t, o))
			proven(t, o)
		} else if !by.stopped(err) {
			t.Fatalf("attempt %d: error is %v", attempts, err)
		}

		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}

	if attempts < 2 {
		t.Error("was never interrupted: the test shows nothing")
	}

	log, lost := logged(t, path), 0
	for call, n := range answers {
		if lost += n; log[call] {
			lost--
		}
	}

	if most := (attempts - 1) * by.loses(workers); lost > most || len(log) == 0 {
		t.Errorf("%d answers are not in the log of %d calls, want at most %d", lost, len(log), most)
	}

	for call := range log {
		if answers[call] == 0 {
			t.Errorf("%s is in the log, and nobody was asked", call)
		}
	}
}

// tried runs until the interruption strikes after the k-th call, or to the end.
func tried(t *testing.T, config mcts.Config, by interruption, k, workers int, path string, s *store.Store) (*model,
	error) {
	t.Helper()

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	ctx, interrupt := mcts.Interruptible(ctx)
	a := &attempt{cancel, interrupt}
	known := logged(t, path)
	m := &model{}
	m.asked = func(r mcts.Request, before int) error {
		if known[key(r)] {
			t.Errorf("%s is in the log, and the model was asked again", key(r))
		}

		if before < k {
			return nil
		}
		return by.strike(a)
	}
	o := options(config, m, s)
	o.Workers = workers
	_, err := collect.Run(ctx, o)

	if m.running != 0 {
		t.Errorf("Run returned with %d calls in progress", m.running)
	}
	return m, err
}

// Interrupted at every step of the environment, most of them during a replay.
func TestInterruptedReplays(t *testing.T) {
	for preset, config := range presets() {
		whole := collected(t, options(config, &model{}, open(t, database(t))))
		t.Run(preset, func(t *testing.T) {
			s := open(t, database(t))

			for steps, done := 20, false; !done; steps += steps / 2 {
				ctx, cancel := context.WithCancel(context.Background())
				o := options(config, &model{}, s)
				o.Workers = 1
				taken := 0
				o.Env.(*estate).stepped = func() error {
					if taken++; taken > steps {
						cancel()
					}
					return ctx.Err()
				}
				_, err := collect.Run(ctx, o)

				cancel()

				if done = err == nil; !done && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
			}

			o := options(config, nil, s)
			same(t, whole, stored(t, o))
			proven(t, o)
		})
	}
}
