package collect_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/mcts/collect"
	"toolevo/mcts/store"
)

// failing is a model that cannot be asked about some trees, written "question/tree".
func failing(trees ...string) *model {
	return &model{asked: func(r mcts.Request, _ int) error {
		for _, tree := range trees {
			if treeOf(r) == tree {
				return errGone
			}
		}

		return nil
	}}
}

// flaky is a model of which each call fails a number of times before it is answered.
func flaky(times int) *model {
	var mu sync.Mutex
	failed := map[string]int{}
	return &model{asked: func(r mcts.Request, _ int) error {
		mu.Lock()
		defer mu.Unlock()

		if failed[key(r)]++; failed[key(r)] <= times {
			return errGone
		}
		return nil
	}}
}

// The log is told of each tree, and which was given up for what.
func TestLog(t *testing.T) {
	var log bytes.Buffer

	for _, config := range presets() {
		o := options(config, &model{}, open(t, database(t)))
		o.Questions = o.Questions[:1]
		tree := o.Questions[0].Task.ID + "/0"
		o.Policy = failing(tree)
		o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))

		var unresolved *collect.UnresolvedError

		progress, err := collect.Run(context.Background(), o)
		if !errors.As(err, &unresolved) {
			t.Fatal(err)
		}

		grown := strings.Count(log.String(), `level=DEBUG msg="tree grown" question=`+o.Questions[0].Task.ID)
		if grown != int(progress.Trees) || !strings.Contains(log.String(), `level=WARN msg="tree given up" question=`+
			o.Questions[0].Task.ID+` tree=0 because=`) {
			t.Errorf("%d trees grown, logged:\n%s", progress.Trees, &log)
		}

		log.Reset()
	}
}

// A call that succeeds in the end leaves no trace of its failures.
func TestTransientFailures(t *testing.T) {
	for name, config := range presets() {
		t.Run(name, func(t *testing.T) {
			clean := options(config, &model{}, open(t, database(t)))

			want, err := collect.Run(context.Background(), clean)
			if err != nil {
				t.Fatal(err)
			}

			m := flaky(2)
			o := options(config, m, open(t, database(t)))
			o.Retry.Attempts, o.Retry.Backoff = 3, time.Nanosecond

			got, err := collect.Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}

			same(t, stored(t, clean), stored(t, o))
			proven(t, o)

			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the failures were counted (-clean +flaky):\n%s", diff)
			}

			if m.calls != 3*int(got.Asked) {
				t.Errorf("%d requests for %d calls, want three each", m.calls, got.Asked)
			}
		})
	}
}

func TestTooFewAttempts(t *testing.T) {
	m := flaky(2)
	o := options(paper(), m, open(t, database(t)))
	o.Retry.Attempts, o.Retry.Backoff = 2, time.Nanosecond
	snapshot, err := collect.Run(context.Background(), o)

	var unresolved *collect.UnresolvedError
	if !errors.As(err, &unresolved) || unresolved.Trees != 18 || snapshot.Unresolved != 18 {
		t.Fatalf("error is %v and %d trees are counted as unresolved, want all 18", err, snapshot.Unresolved)
	}

	if !strings.Contains(err.Error(), "after 2 attempts") || m.calls != 2*18 || len(stored(t, o)) != 0 {
		t.Errorf("%d requests and %d questions with trees, error is %v", m.calls, len(stored(t, o)), err)
	}
}

// The wait between two attempts ends with the context: otherwise this test would take an hour.
func TestCancelledWhileWaiting(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	m := &model{}
	m.asked = func(mcts.Request, int) error {
		time.AfterFunc(0, cancel)
		return errGone
	}
	o := options(paper(), m, open(t, database(t)))

	o.Retry.Attempts, o.Retry.Backoff, o.Workers = 9, time.Hour, 2
	if _, err := collect.Run(ctx, o); !errors.Is(err, context.Canceled) || m.calls > 2 {
		t.Errorf("%d requests, error is %v", m.calls, err)
	}
}

// Trees that fail for good are counted and not stored, their siblings are what they would have
// been, and the next run makes them up.
func TestUnresolvedTrees(t *testing.T) {
	whole := collected(t, options(paper(), &model{}, open(t, database(t))))
	for _, workers := range []int{1, 8} {
		path := database(t)
		o := options(paper(), failing("hard-1/0", "never-0/2", "never-0/1", "easy-2/2"), open(t, path))
		o.Workers = workers
		snapshot, err := collect.Run(context.Background(), o)

		var unresolved *collect.UnresolvedError
		if !errors.As(err, &unresolved) || unresolved.Trees != 4 || snapshot.Unresolved != 4 {
			t.Fatalf("error is %v and %d trees are counted as unresolved", err, snapshot.Unresolved)
		}

		if stage, _ := envs.FailedStage(err); stage != envs.StagePolicy || !errors.Is(err, errGone) ||
			!strings.Contains(unresolved.First.Error(), "never-0, tree 1") {
			t.Errorf("%d workers: the first failure in the order of the questions is %v", workers, unresolved.First)
		}

		if snapshot.TreesDone != 18 || snapshot.QuestionsDone != 6 || snapshot.QuestionsReplayed != 0 {
			t.Errorf("%d trees and %d questions are counted as done, want all, none of them replayed: %d",
				snapshot.TreesDone, snapshot.QuestionsDone, snapshot.QuestionsReplayed)
		}

		want := map[string][]*mcts.TreeRecord{}
		for id, trees := range whole {
			want[id] = trees
		}

		want["hard-1"], want["never-0"], want["easy-2"] = whole["hard-1"][1:], whole["never-0"][:1], whole["easy-2"][:2]
		same(t, want, stored(t, o))

		if v, err := collect.Verify(context.Background(), o); err != nil || v.Missing != 4 || v.Trees != 14 ||
			len(v.Problems) > 0 {
			t.Errorf("verified: %+v, %v", v, err)
		}

		o.Policy = &model{}
		again, err := collect.Run(context.Background(), o)
		if err != nil || again.TreesLoaded != 14 || again.QuestionsReplayed != 3 { // all but those of failed trees
			t.Errorf("run again, %d trees were loaded, %d questions replayed: %v", again.TreesLoaded,
				again.QuestionsReplayed, err)
		}

		same(t, whole, stored(t, o))
		proven(t, o)
	}
}

// forgetful is a lane in which later trees depend much on earlier ones, and the trees that fail in
// it at first.
func forgetful() (mcts.Config, *model) {
	c := efficient()
	c.Enough, c.Trees, c.Simulations = 6, 5, 8
	return c, failing("easy-0/0", "easy-2/0", "easy-1/1")
}

// In a lane, what later trees were grown knowing is out of date once an earlier one is made up.
// They are grown again, from the log as far as it goes, and those that are then no longer wanted
// are dropped.
func TestStaleTrees(t *testing.T) {
	config, m := forgetful()
	whole := collected(t, options(config, &model{}, open(t, database(t))))
	path := database(t)
	o := options(config, m, open(t, path))

	var unresolved *collect.UnresolvedError
	if _, err := collect.Run(context.Background(), o); !errors.As(err, &unresolved) || unresolved.Trees < 2 {
		t.Fatal(err)
	}

	before := stored(t, o)
	dropped, otherwise := 0, 0

	for id, trees := range before {
		last := len(whole[id]) - 1
		for _, tree := range trees {
			if tree.Tree > last {
				dropped++
			} else if !cmp.Equal(tree, whole[id][tree.Tree]) {
				otherwise++
			}
		}
	}

	if dropped == 0 || otherwise == 0 {
		t.Errorf("%d trees are to be dropped and %d to be grown again: the test shows nothing", dropped, otherwise)
	}

	if v, err := collect.Verify(context.Background(), o); err != nil || v.Missing < unresolved.Trees ||
		len(v.Problems) > 0 {
		t.Errorf("with %d trees unresolved: %+v, %v", unresolved.Trees, v, err)
	}

	known := logged(t, path)
	o.Policy = &model{asked: func(r mcts.Request, _ int) error {
		if known[key(r)] {
			t.Errorf("%s is in the log, and the model was asked again", key(r))
		}
		return nil
	}}
	same(t, whole, collected(t, o))
	proven(t, o)
}

// However often the run that makes a tree up is itself stopped, no tree stays that was grown
// knowing less.
func TestStaleTreesOfInterruptedRuns(t *testing.T) {
	config, m := forgetful()

	whole := collected(t, options(config, &model{}, open(t, database(t))))
	for _, stops := range []struct {
		name string
		run  func(ctx context.Context, cancel context.CancelFunc, o *collect.Options, attempt int)
	}{
		{"cancelled", func(ctx context.Context, cancel context.CancelFunc, o *collect.Options, attempt int) {
			steps := 0
			o.Env.(*estate).stepped = func() error {
				if steps++; steps > 8*attempt {
					cancel()
				}
				return ctx.Err()
			}
		}},
		{"the environment fails", func(_ context.Context, _ context.CancelFunc, o *collect.Options, attempt int) {
			steps := 0
			o.Env.(*estate).stepped = func() error {
				if steps++; steps > 8*attempt {
					return envs.Fail(envs.StageTool, "step", errGone)
				}
				return nil
			}
		}},
	} {
		t.Run(stops.name, func(t *testing.T) {
			s := open(t, database(t))
			o := options(config, m, s)
			o.Workers = 1

			var unresolved *collect.UnresolvedError
			if _, err := collect.Run(context.Background(), o); !errors.As(err, &unresolved) {
				t.Fatal(err)
			}

			for attempt, done := 1, false; !done; attempt++ {
				ctx, cancel := context.WithCancel(context.Background())
				o := options(config, &model{}, s)
				o.Workers = 1
				stops.run(ctx, cancel, &o, attempt)
				_, err := collect.Run(ctx, o)

				cancel()

				done = err == nil
				if v, err := collect.Verify(context.Background(), options(config, nil, s)); err != nil ||
					len(v.Problems) > 0 {
					t.Fatalf("attempt %d: %v\n%s", attempt, err, strings.Join(v.Problems, "\n"))
				}
			}

			o = options(config, nil, s)
			same(t, whole, stored(t, o))
			proven(t, o)
		})
	}
}

// A question that the environment does not know is a failure of its trees alone.
func TestUnknownQuestion(t *testing.T) {
	for name, config := range presets() {
		t.Run(name, func(t *testing.T) {
			m := &model{}
			o := options(config, m, open(t, database(t)))
			o.Questions = append(questions("nowhere"), o.Questions...)
			_, err := collect.Run(context.Background(), o)

			var unresolved *collect.UnresolvedError
			if stage, _ := envs.FailedStage(err); !errors.As(err, &unresolved) || unresolved.Trees != config.Trees ||
				stage != envs.StageEnvironment {
				t.Errorf("error is %v", err)
			}

			if trees := stored(t, o); len(trees) != 6 || len(trees["nowhere"]) != 0 {
				t.Errorf("%d questions have trees, want 6", len(trees))
			}
		})
	}
}

// A store that cannot be written ends the run, and Run waits for what it started.
func TestStoreFailure(t *testing.T) {
	for name, config := range presets() {
		t.Run(name, func(t *testing.T) {
			s := open(t, database(t))
			var closed atomic.Bool
			var late atomic.Int64
			m := &model{asked: func(_ mcts.Request, before int) error {
				if closed.Load() {
					late.Add(1)
				}

				if before == 25 {
					defer closed.Store(true)
					return s.Close()
				}
				return nil
			}}
			o := options(config, m, s)

			_, err := collect.Run(context.Background(), o)
			if stage, _ := envs.FailedStage(err); stage != envs.StageStore {
				t.Errorf("error is %v", err)
			}
			// None of the four workers gets beyond its next call.
			if m.running != 0 || late.Load() > 4 {
				t.Errorf("%d calls are running, %d were made after the end", m.running, late.Load())
			}

			if _, err := collect.Verify(context.Background(), o); err == nil {
				t.Error("a closed store was verified")
			}
		})
	}
}

// An answer without a number for a log-probability is the policy's failure: it is not used, and its
// tree is given up.
func TestUnloggableAnswer(t *testing.T) {
	o := options(paper(), policyFunc(func(r mcts.Request) []mcts.Proposal {
		return []mcts.Proposal{{Text: "right", LogProb: math.NaN(), Scored: true}}
	}), open(t, database(t)))
	_, err := collect.Run(context.Background(), o)

	var unresolved *collect.UnresolvedError
	if stage, _ := envs.FailedStage(err); stage != envs.StagePolicy || !errors.As(err, &unresolved) ||
		len(stored(t, o)) != 0 {
		t.Errorf("error is %v", err)
	}
}

type policyFunc func(r mcts.Request) []mcts.Proposal

func (f policyFunc) Propose(_ context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	return f(r), nil
}

// Failures drawn at random, retried at random, and run again until all is well, change nothing.
func TestRandomFailures(t *testing.T) {
	for name, config := range presets() {
		whole := collected(t, options(config, &model{}, open(t, database(t))))
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(2) {
				s := open(t, database(t))
				var err error

				for attempt := range 60 {
					rng := rand.New(rand.NewPCG(seed, uint64(attempt)))
					var mu sync.Mutex

					o := options(config, &model{asked: func(mcts.Request, int) error {
						mu.Lock()
						defer mu.Unlock()

						if rng.IntN(40) == 0 {
							return errGone
						}
						return nil
					}}, s)
					if _, err = collect.Run(context.Background(), o); err == nil {
						break
					}
				}

				if err != nil {
					t.Fatal(err)
				}

				o := options(config, nil, s)
				same(t, whole, stored(t, o))
				proven(t, o)
			}
		})
	}
}

// refusal is an error that no further request can mend.
type refusal struct{ error }

func (refusal) Final() bool { return true }

// An error of the policy that says it is final ends the run at once: no tree is given up for it,
// and nothing else is asked.
func TestFinalFailure(t *testing.T) {
	m := &model{asked: func(_ mcts.Request, n int) error {
		if n >= 40 {
			return refusal{errGone}
		}
		return nil
	}}
	o := options(paper(), m, open(t, database(t)))
	o.Workers, o.Retry.Attempts = 1, 3
	snapshot, err := collect.Run(context.Background(), o)

	var unresolved *collect.UnresolvedError
	if !envs.IsFinal(err) || errors.As(err, &unresolved) || snapshot.Unresolved != 0 || m.calls != 41 {
		t.Errorf("error %v after %d requests, %d trees unresolved", err, m.calls, snapshot.Unresolved)
	}
}

// alone is the error of a request at which a server fails alone.
type alone struct{ error }

func (alone) GivenUp() string { return "HTTP 500" }

// Trees that are given up because of a request of theirs are named, and asked again, last.
func TestGivenUp(t *testing.T) {
	for name, config := range presets() {
		t.Run(name, func(t *testing.T) {
			whole := collected(t, options(config, &model{}, open(t, database(t))))
			o := options(config, nil, open(t, database(t)))
			all := o.Questions
			unlucky := all[0].Task.ID
			o.Questions = all[:len(all)-1]

			m := &model{asked: func(r mcts.Request, _ int) error {
				if r.Node.Question == unlucky {
					return alone{envs.Fail(envs.StagePolicy, "complete", errGone)}
				}
				return nil
			}}
			o.Policy, o.Retry.Attempts = m, 3
			_, err := collect.Run(context.Background(), o)

			var unresolved *collect.UnresolvedError
			if !errors.As(err, &unresolved) || !unresolved.Named() || len(unresolved.GivenUp) != config.Trees ||
				unresolved.GivenUp[0].Question != unlucky || unresolved.GivenUp[0].Reason != "HTTP 500" {
				t.Fatalf("%v: %+v", err, unresolved)
			}

			trees := stored(t, o)
			if len(trees) != len(whole)-2 {
				t.Errorf("%d questions have trees, of %d", len(trees), len(whole))
			}

			v := proven(t, o)
			if len(v.GivenUp) != config.Trees {
				t.Errorf("the check finds %v given up", v.GivenUp)
			}

			var last string

			again := &model{asked: func(r mcts.Request, _ int) error { last = r.Node.Question; return nil }}
			o.Questions = all
			o.Policy, o.Workers = again, 1

			_, err = collect.Run(context.Background(), o)
			if err != nil || last != unlucky {
				t.Errorf("%v, and %s was asked last", err, last)
			}

			same(t, whole, stored(t, o))

			if left, err := o.Store.GivenUp(context.Background()); err != nil || len(left) > 0 {
				t.Errorf("still given up: %v, %v", left, err)
			}
		})
	}
}

// A tree that is given up is noted at once, so that a run that is killed later has noted it, too.
func TestGivenUpBeforeAnInterruption(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := options(paper(), nil, open(t, database(t)))
	unlucky := o.Questions[0].Task.ID
	o.Workers, o.Policy = 1, &model{asked: func(r mcts.Request, before int) error {
		if r.Node.Question == unlucky {
			return alone{envs.Fail(envs.StagePolicy, "complete", errGone)}
		}

		if before > 10 {
			cancel()
		}
		return nil
	}}

	if _, err := collect.Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}

	noted := func() []store.GivenUp {
		all, err := o.Store.GivenUp(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return all
	}

	var want []store.GivenUp
	for i := range o.Search.Trees {
		want = append(want, store.GivenUp{Question: unlucky, Tree: i, Reason: "HTTP 500"})
	}

	if diff := cmp.Diff(want, noted()); diff != "" {
		t.Errorf("-want +noted:\n%s", diff)
	}

	v, err := collect.Verify(context.Background(), o)
	planned := len(o.Questions) * o.Search.Trees

	if err != nil || v.Trees+v.Missing+len(v.GivenUp) != planned {
		t.Errorf("%+v of %d trees, %v", v, planned, err)
	}

	o.Policy = &model{}
	collected(t, o)

	if left := noted(); len(left) > 0 {
		t.Errorf("%v are still noted", left)
	}
}
