package finetune_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/finetune"
	"toolevo/mcts"
	"toolevo/mcts/store"
)

// mixed is a walker of every kind of episode, and its tasks; the last is lost.
func mixed() (*walker, []envs.Task) {
	w := &walker{words: map[string][]string{"detour": detour, "wrong": wrong, "endless": endless, "silent": {}}}
	return w, tasks("right", "detour", "wrong", "endless", "silent", "nowhere")
}

// The rows stand in the order of the jobs, and hold what happened in each.
func TestEvaluate(t *testing.T) {
	w, of := mixed()
	first, second := job(w, of), job(&walker{}, tasks("a", "b"))
	second.Cell.API, second.MaxTurns = "p_s_in", 3
	third := job(&walker{}, tasks("nowhere"))
	third.Cell.Difficulty = "hard"
	fourth := job(&walker{}, nil)
	fourth.Cell.Dataset = "empty"
	report := evaluate(t, options(t), first, second, third, fourth)
	unknown := `environment: reset to task "nowhere": unknown task`
	low, high := interval(2, 5)
	noneLow, noneHigh := interval(0, 2)

	want := []finetune.Row{
		{
			Cell:         first.Cell,
			N:            5,
			Measured:     5,
			Lost:         1,
			Official:     0.4,
			OfficialLow:  low,
			OfficialHigh: high,
			Strict:       0.4,
			StrictLow:    low,
			StrictHigh:   high,
			Unanswered:   2,
			Silent:       1,
			Turns:        (4 + 7 + 2 + 8 + 0) / 5.0,
			Outcomes: map[string]int{
				"ok": 3 + 3 + 1, "deprecated": 1, "invalid-action": 1, "invocation-error": 1, "correct": 2,
				"incorrect": 1, "tool-error": 8,
			},
			RepeatedTurns: 7, // of the eight tool errors, which are alike
			RepeatedShare: 7.0 / (4 + 7 + 2 + 8 + 0),
			FirstLoss:     unknown,
		},
		{
			Cell:         second.Cell,
			N:            2,
			Measured:     2,
			OfficialLow:  noneLow,
			OfficialHigh: noneHigh,
			StrictLow:    noneLow,
			StrictHigh:   noneHigh,
			Unanswered:   2,
			Turns:        3,
			Outcomes:     map[string]int{"ok": 6},
		},
		{Cell: third.Cell, Lost: 1, OfficialHigh: 1, StrictHigh: 1, Outcomes: map[string]int{}, FirstLoss: unknown},
		// Of the fourth there is no episode.
	}
	for i := range want {
		for _, o := range envs.Outcomes() {
			want[i].Outcomes[o.String()] += 0 // those that did not occur are counted, too
		}
	}

	if diff := cmp.Diff(want, report.Rows); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Every dataset weighs the same in the share of turns that repeat a failure, as it does in other
// means.
func TestRepeatedShareOfSeveralDatasets(t *testing.T) {
	w, _ := mixed()
	first, second := job(w, tasks("endless")), job(w, tasks("right"))
	second.Cell.Dataset = "other"
	report := evaluate(t, options(t), first, second)

	want := []float64{7.0 / 8, 0, (7.0/8 + 0) / 2}
	got := []float64{report.Rows[0].RepeatedShare, report.Rows[1].RepeatedShare, report.Summaries[0].RepeatedShare}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// lenient accepts every final answer by the official matcher.
type lenient struct{ *estate }

func (l lenient) Step(ctx context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	next, err := l.estate.Step(ctx, s, a)
	next.Grade.Official = next.Turn.Outcome.Ends()
	return next, err
}

func TestOfficialAndStrictAreApart(t *testing.T) {
	j := job(&walker{words: map[string][]string{"a": wrong, "b": solution, "c": endless, "d": wrong}},
		tasks("a", "b", "c", "d"))
	j.Env = lenient{maze()}

	row := evaluate(t, options(t), j).Rows[0]
	if row.Official != 0.75 || row.Strict != 0.25 {
		t.Errorf("official %v and strict %v, want 0.75 and 0.25", row.Official, row.Strict)
	}
}

func TestWorkersChangeNothing(t *testing.T) {
	var want *finetune.Report

	for _, workers := range []int{1, 8, 8} {
		w, of := mixed()
		w.asked = func(r mcts.Request, _ int) error {
			if id := taskOf(r); id == "task-3" || id == "task-17" {
				return fmt.Errorf("%s: %w", id, errGone)
			}
			return nil
		}
		o := options(t)
		o.Workers = workers
		other := job(w, of)
		other.Cell.API = "p_s_in"

		got := evaluate(t, o, job(w, append(numbered(30), of...)), other)
		if want == nil {
			if want = got; want.Rows[0].Lost != 3 || !strings.Contains(want.Rows[0].FirstLoss, "task-3:") {
				t.Errorf("%d are lost, the first because of %q", want.Rows[0].Lost, want.Rows[0].FirstLoss)
			}
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d workers report otherwise:\n%s", workers, diff)
		}
	}
}

// A failing call is made again; the turns before it are not.
func TestRetries(t *testing.T) {
	for _, failures := range []int{0, 1, 2, 3} {
		left := failures
		w := &walker{}
		w.asked = func(r mcts.Request, _ int) error {
			if r.History.Len() == 2 && left > 0 {
				left--
				return errGone
			}
			return nil
		}
		o := options(t)
		o.Retry.Attempts = 3

		row := evaluate(t, o, job(w, tasks("a"))).Rows[0]
		if lost := failures == 3; lost != (row.Lost == 1) || row.N+row.Lost != 1 || lost == (row.Official == 1) {
			t.Errorf("%d failures: %+v", failures, row)
		}

		want, got := []int{1, 1, min(failures, 2) + 1, 1}, make([]int, 4)
		if failures == 3 {
			want[3] = 0
		}

		for _, r := range w.requests {
			got[r.History.Len()]++
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d failures, requests by turn (-want +got):\n%s", failures, diff)
		}
	}
}

// A question that was lost is tried again by the next evaluation, which goes on where the first one
// got to.
func TestLostQuestionsAreTriedAgain(t *testing.T) {
	o, broken := options(t), true
	w := &walker{}

	w.asked = func(r mcts.Request, _ int) error {
		if broken && taskOf(r) == "task-1" && r.History.Len() == 3 {
			return errGone
		}
		return nil
	}
	if row := evaluate(t, o, job(w, numbered(3))).Rows[0]; row.Lost != 1 || row.N != 2 || row.Official != 1 {
		t.Errorf("%+v", row)
	}

	broken = false

	if row := evaluate(t, o, job(w, numbered(3))).Rows[0]; row.Lost != 0 || row.N != 3 {
		t.Errorf("again: %+v", row)
	}

	if len(w.requests) != 12+1 {
		t.Errorf("%d requests, want one for each of 12 turns and one that failed", len(w.requests))
	}

	if seconds, err := finetune.Seconds(t.Context(), o.Store); len(seconds) != 3 || err != nil {
		t.Errorf("seconds of %d episodes (%v), want 3", len(seconds), err)
	}
}

// Who is killed still has the seconds of the episodes that had ended some time before.
func TestSecondsAreNotedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(t)
		o.Workers = 1

		w := &walker{asked: func(r mcts.Request, _ int) error {
			if taskOf(r) == "a" {
				<-time.After(time.Minute)
				return nil
			}

			seconds, err := finetune.Seconds(t.Context(), o.Store)
			took := slices.Collect(maps.Values(seconds))
			if !slices.Equal(took, []float64{4 * 60}) {
				t.Errorf("after the first of two: %v, want its four minutes", took)
			}
			return err
		}}
		evaluate(t, o, job(w, tasks("a", "b")))
	})
}

// alone is the error of a request at which a server fails alone.
type alone struct{ error }

func (alone) GivenUp() string { return "HTTP 500" }

// An episode of which a request fails alone is noted as given up until it is there, and checking
// does not call it missing.
func TestGivenUp(t *testing.T) {
	o, broken := options(t), true
	w := &walker{asked: func(r mcts.Request, _ int) error {
		if broken && taskOf(r) == "task-1" && r.History.Len() == 3 {
			return alone{envs.Fail(envs.StagePolicy, "complete", errGone)}
		}
		return nil
	}}
	j := job(w, numbered(3))

	for _, broken = range []bool{true, false} {
		row := evaluate(t, o, j).Rows[0]
		givenUp := 0

		if broken {
			givenUp = 1
		}

		v, err := finetune.Verify(t.Context(), []finetune.Job{j}, o)
		if err != nil || len(v.Problems) > 0 || v.Missing > 0 || len(v.GivenUp) != givenUp ||
			row.Lost != givenUp {
			t.Errorf("%v: %+v, %+v, %v", broken, row, v, err)
		}
	}
}

// Cancelled at every k-th call and gone on with: the report of the evaluation that was left alone,
// and no call that the log holds is made again.
func TestInterruptedEvaluations(t *testing.T) {
	w, of := mixed()
	want := evaluate(t, options(t), job(w, append(numbered(10), of...)))

	for _, k := range []int{1, 7, 20} {
		for _, workers := range []int{1, 4} {
			t.Run(fmt.Sprintf("every %d/%d workers", k, workers), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "run.db")
				answered := map[string]int{}

				attempts, through := 0, false
				for ; !through; attempts++ {
					if attempts > 200 {
						t.Fatal("200 attempts were not enough: the evaluation makes no progress")
					}

					ctx, cancel := context.WithCancel(context.Background())
					w, of := mixed()
					w.asked = func(_ mcts.Request, before int) error {
						if before < k {
							return nil
						}

						cancel()
						return context.Canceled
					}
					s := open(t, path)
					again, o := job(w, append(numbered(10), of...)),
						finetune.Options{Store: s, Workers: workers, Retry: mcts.Retry{Attempts: 2}}
					lost, err := finetune.Evaluate(ctx, []finetune.Job{again}, o)

					cancel()

					for node, n := range w.answered {
						answered[node] += n
					}

					if through = err == nil; !through && !errors.Is(err, context.Canceled) {
						t.Fatal(err)
					}

					if through {
						report, err := finetune.Summarise([]finetune.Job{again}, episodes(o, lost, again))
						if err != nil {
							t.Fatal(err)
						}

						if diff := cmp.Diff(want, report); diff != "" {
							t.Errorf("-uninterrupted +interrupted:\n%s", diff)
						}

						checkLog(t, s, answered, attempts*(workers-1))
					}

					if err := s.Close(); err != nil {
						t.Fatal(err)
					}
				}

				if attempts < 2 {
					t.Error("was never interrupted: the test shows nothing")
				}
			})
		}
	}
}

// checkLog compares the answers of all attempts with the log: at most so many, on their way when an
// attempt was cancelled, may have been made in vain.
func checkLog(t *testing.T, s *store.Store, answered map[string]int, inVain int) {
	t.Helper()

	calls, err := s.CallCount(context.Background())
	if err != nil {
		t.Fatal(err)
	}

	total := 0
	for _, n := range answered {
		total += n
	}

	if len(answered) != calls || total-calls > inVain {
		t.Errorf("%d calls were answered %d times, the log has %d; at most %d may be in vain", len(answered), total,
			calls, inVain)
	}
}

// An interruption begins no call, also none of an episode that waits for a worker; what is being
// answered is logged.
func TestInterrupted(t *testing.T) {
	for _, workers := range []int{1, 4} {
		t.Run(fmt.Sprint(workers, " workers"), func(t *testing.T) {
			ctx, interrupt := mcts.Interruptible(t.Context())
			all := make(chan struct{})
			var mu sync.Mutex
			started := map[string]bool{}
			w := &walker{}
			w.asked = func(r mcts.Request, _ int) error {
				mu.Lock()
				if !started[taskOf(r)] {
					if started[taskOf(r)] = true; len(started) == workers {
						interrupt()
						close(all)
					}
				}
				mu.Unlock()
				<-all // every worker has an episode

				return nil
			}
			o := options(t)

			o.Workers = workers
			if _, err := finetune.Evaluate(ctx, []finetune.Job{job(w, numbered(20))}, o); !errors.Is(err,
				context.Canceled) {
				t.Fatalf("error is %v", err)
			}

			if len(started) != workers || len(w.requests) != workers || w.running != 0 {
				t.Errorf("%d episodes with %d calls, %d still running; want one call of each of %d", len(started),
					len(w.requests), w.running, workers)
			}

			if row := evaluate(t, o, job(w, numbered(20))).Rows[0]; row.Official != 1 || len(w.requests) != 4*20 {
				t.Errorf("gone on with: %d calls, %+v", len(w.requests), row)
			}
		})
	}
}

func TestInterruptedBeforeTheStart(t *testing.T) {
	ctx, interrupt := mcts.Interruptible(t.Context())
	interrupt()

	w := &walker{}

	o := options(t)
	if _, err := finetune.Evaluate(ctx, []finetune.Job{job(w, numbered(4))}, o); !errors.Is(err, context.Canceled) ||
		len(w.requests) != 0 {
		t.Errorf("%d calls and %v", len(w.requests), err)
	}
}

// A store that cannot be written ends the evaluation: what it cannot keep would be asked again.
func TestStoreFailure(t *testing.T) {
	o := options(t)
	o.Retry.Attempts = 3
	var closed atomic.Bool
	var late atomic.Int64
	w := &walker{asked: func(_ mcts.Request, before int) error {
		if closed.Load() {
			late.Add(1)
		}

		if before == 10 {
			defer closed.Store(true)
			return o.Store.Close()
		}
		return nil
	}}

	lost, err := finetune.Evaluate(context.Background(), []finetune.Job{job(w, numbered(40))}, o)
	if stage, _ := envs.FailedStage(err); stage != envs.StageStore || lost != nil {
		t.Errorf("error is %v", err)
	}
	// None of the four workers gets beyond its next call.
	if w.running != 0 || late.Load() > 4 {
		t.Errorf("%d calls are running, %d were made after the end", w.running, late.Load())
	}
}

// refused is an error after which no further try can help, as that of a refused key.
type refused struct{ error }

func (refused) Final() bool { return true }

// What no further try can help ends the evaluation: the other questions would be lost one by one.
func TestFinalFailure(t *testing.T) {
	o := options(t)
	o.Workers = 1
	w := &walker{asked: func(_ mcts.Request, before int) error {
		if before < 6 {
			return nil
		}
		return refused{errGone}
	}}

	lost, err := finetune.Evaluate(context.Background(), []finetune.Job{job(w, numbered(5))}, o)
	if !errors.Is(err, refused{errGone}) || lost != nil || len(w.requests) != 7 {
		t.Errorf("%v are lost, %v after %d calls", lost, err, len(w.requests))
	}
}

// unscored gives no number for a log-probability.
type unscored struct{}

func (unscored) Propose(context.Context, mcts.Request) ([]mcts.Proposal, error) {
	return []mcts.Proposal{{Text: "stop", LogProb: math.NaN()}}, nil
}

// Such an answer is the server's fault: the questions are lost, not wrong.
func TestUnloggableAnswer(t *testing.T) {
	row := evaluate(t, options(t), job(unscored{}, numbered(2))).Rows[0]
	if row.N != 0 || row.Lost != 2 {
		t.Errorf("%d measured, %d lost; want both lost", row.N, row.Lost)
	}
}

// How many episodes there are is known from the first on, and at the end what became of them.
func TestProgress(t *testing.T) {
	o := options(t)
	o.Progress = &finetune.Progress{}
	w, of := mixed()
	w.asked = func(mcts.Request, int) error {
		if s := o.Progress.Snapshot(); s.Planned != 16 || s.Done >= 16 || s.Replayed > 0 {
			t.Errorf("while episodes are played: %+v, want 16 planned", s)
		}
		return nil
	}
	report := evaluate(t, o, job(w, append(numbered(10), of...)))

	want := finetune.Snapshot{Planned: 16, Done: 16}
	for _, turns := range report.Rows[0].Outcomes {
		want.Turns += int64(turns)
	}

	if diff := cmp.Diff(want, o.Progress.Snapshot()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	// Whoever goes on with what is done has it from the log.
	o.Progress = &finetune.Progress{}
	evaluate(t, o, job(w, append(numbered(10), of...)))

	want.Replayed = int64(report.Rows[0].N)
	if diff := cmp.Diff(want, o.Progress.Snapshot()); diff != "" {
		t.Errorf("again, -want +got:\n%s", diff)
	}
}

// window is a model whose context window is full from the second turn on.
type window struct{}

func (window) Propose(_ context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	if r.History.Len() > 0 {
		return []mcts.Proposal{{Finish: mcts.FinishTooLong}}, nil
	}
	return []mcts.Proposal{{Text: "right"}}, nil
}

// An episode ends unanswered where its prompt no longer fits, and one may have a single turn.
func TestOneTurn(t *testing.T) {
	o, whole, turn := options(t), job(window{}, numbered(2)), job(window{}, numbered(2))
	turn.Cell.Dataset, turn.MaxTurns = "short", 1

	for i, row := range evaluate(t, o, whole, turn).Rows {
		if row.Unanswered != 2 || row.TooLong != 2-2*i || row.Silent != 0 || row.Turns != 1 {
			t.Errorf("%d turns at most: %+v", 8-7*i, row)
		}
	}
}

func TestEvaluateChecksWhatItIsGiven(t *testing.T) {
	for _, test := range []struct {
		name, want string
		change     func(*finetune.Options, *finetune.Job)
	}{
		{"workers", "0 workers", func(o *finetune.Options, _ *finetune.Job) { o.Workers = 0 }},
		{"attempts", "-1 attempts", func(o *finetune.Options, _ *finetune.Job) { o.Retry.Attempts = -1 }},
		{"turns", "0 turns", func(_ *finetune.Options, j *finetune.Job) { j.MaxTurns = 0 }},
		{"an episode twice", `"test:walker/p_c/toy/easy/task-1" occurs twice`,
			func(_ *finetune.Options, j *finetune.Job) {
				j.Tasks = append(j.Tasks, j.Tasks[1])
			}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &walker{}
			o, j := options(t), job(w, numbered(3))
			test.change(&o, &j)

			_, err := finetune.Evaluate(context.Background(), []finetune.Job{j}, o)
			if err == nil || !strings.Contains(err.Error(), test.want) || len(w.requests) != 0 {
				t.Errorf("%d calls, error is %v, want one with %q", len(w.requests), err, test.want)
			}
		})
	}
}
