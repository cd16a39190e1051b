package app

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/console"
	"toolevo/finetune"
	"toolevo/mcts"
	"toolevo/mcts/collect"
	"toolevo/mcts/collect/cluster"
	"toolevo/mcts/policy/serving"
	"toolevo/mcts/store"
)

// A coordinator is healthy while a worker gets on with a unit that it has not ended.
func TestWorkOfWorkers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()

	s, err := store.Open(t.Context(), filepath.Join(dir, "run.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	c, err := cluster.Start(t.Context(), cluster.Options{Run: "run", Store: s,
		Listen: "127.0.0.1:0", Dir: filepath.Join(dir, "nats"), Token: "token",
		Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}

	w, err := cluster.Connect(cluster.WorkerOptions{
		Place: cluster.PlaceOf("run", c.Address(), "token", ""),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()

	b := &Bench{Models: &serving.Models{}}
	watched := followed{done: func() int64 { return 0 }, workers: c}

	if n := watched.work(b); n != 0 {
		t.Errorf("%d was done before anything", n)
	}

	seen := make(chan int64, 1)
	nothing := func() {}

	go func() {
		_ = w.Serve(t.Context(), cluster.Work{
			Patience: time.Minute,
			Room: func(ctx context.Context) (func(), func(), error) {
				return nothing, nothing, ctx.Err()
			},
			Do: func(ctx context.Context, a *cluster.Assignment) ([]byte, error) {
				for c.Counts().Messages == 0 && mcts.Wait(ctx, time.Millisecond) == nil { // begun
				}

				seen <- watched.work(b)
				return nil, nil
			},
		})
	}()

	if _, err := c.Do(t.Context(), cluster.Unit{ID: "unit"}); err != nil {
		t.Error(err)
	}

	if n := <-seen; n == 0 {
		t.Error("a unit that was begun is no work")
	}

	if err := c.Close(t.Context(), true); err != nil {
		t.Error(err)
	}
}

// A worker that has a unit is as healthy as that gets on, and one that waits for units is healthy.
func TestHealthOfWorker(t *testing.T) {
	t.Parallel()

	w := &working{}
	moves := func() bool {
		before := w.health()
		return w.health() != before
	}

	if !moves() {
		t.Error("a worker that waits for its first unit is stuck")
	}

	ended := w.began()
	if moves() {
		t.Error("a unit that does not get on is work")
	}

	before, other := w.health(), w.began()
	other()

	if w.health() == before {
		t.Error("a unit that has ended is no work")
	}

	if ended(); !moves() {
		t.Error("a worker that waits for its next unit is stuck")
	}
}

func noServers() string { return "" }

// An evaluation says how much there is to do before its first episode is over. What the log had is
// no work.
func TestEvalStatus(t *testing.T) {
	t.Parallel()

	var s finetune.Snapshot
	read := evalStatus(func() finetune.Snapshot { return s }, noServers)

	for _, test := range []struct {
		snapshot finetune.Snapshot
		want     console.Status
	}{
		{
			finetune.Snapshot{Planned: 40},
			console.Status{Total: 40, Work: console.Work{Left: 40}, Text: "0/40 episodes"},
		},
		{
			finetune.Snapshot{Planned: 40, Done: 30, Replayed: 28},
			console.Status{
				Done:  30,
				Total: 40,
				Work:  console.Work{Done: 2, Left: 10},
				Text:  "30/40 episodes",
			},
		},
	} {
		s = test.snapshot
		if diff := cmp.Diff(test.want, read()); diff != "" {
			t.Errorf("%+v: -want +got:\n%s", s, diff)
		}
	}
}

// Seven calls a minute are not 0 a second, however often somebody looks. The work that is left is
// that of questions: most of the trees that are planned are never grown.
func TestCollectStatus(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := collect.Snapshot{
			Questions:         10,
			QuestionsDone:     4,
			QuestionsReplayed: 3,
			TreesPlanned:      60,
			TreesDone:         24,
		}
		read := collectStatus(func() collect.Snapshot { return s }, noServers)

		for range 14 {
			for range 42 { // a call takes 60/7 s
				<-time.After(time.Minute / 7 / 42)
				read()
			}

			s.Asked++
		}

		got := read()
		if !strings.Contains(got.Text, " 7 calls/min,") {
			t.Errorf("14 calls in two minutes are %q", got.Text)
		}

		got.Text = ""

		want := console.Status{Done: 24, Total: 60, Work: console.Work{Done: 1, Left: 6}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}
