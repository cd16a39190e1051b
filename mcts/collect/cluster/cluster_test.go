package cluster_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/mcts/collect/cluster"
	"toolevo/mcts/store"
)

// brief is the patience with workers that are lost.
const brief = 2 * time.Second

// run is a run whose units are questions of a few calls each.
type run struct {
	t       *testing.T
	dir     string
	store   *store.Store
	place   cluster.Place
	listens bool // at a server of its own

	patience time.Duration
	extent   string
	inTurn   bool
}

func newRun(t *testing.T) *run {
	t.Helper()

	dir := t.TempDir()

	s, err := store.Open(t.Context(), filepath.Join(dir, "run.db"))
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return &run{t: t, dir: dir, store: s, patience: time.Minute}
}

// coordinate starts a coordinator of the run. If a place is given it is that of a server that is
// there.
func (r *run) coordinate() *cluster.Coordinator {
	r.t.Helper()

	o := cluster.Options{
		Run: "run", Store: r.store, Patience: r.patience, Extent: r.extent, InTurn: r.inTurn,
		Log: logger(),
		Welcome: func(_ context.Context, hello []byte) ([]byte, error) {
			if string(hello) != "hello" {
				return nil, errors.New("not welcome:\n" + string(hello))
			}
			return bytes.Repeat([]byte("welcome"), 500_000), nil // more than a message
		},
		Ask: cluster.Remembering(r.store),
	}

	// Another port each time: others may have the one before by now.
	r.listens = r.listens || r.place == cluster.Place{}
	if o.Place = r.place; r.listens {
		o.Listen, o.Dir, o.Token = "127.0.0.1:0", filepath.Join(r.dir, "nats"), "token"
	}

	c, err := cluster.Start(r.t.Context(), o)
	if err != nil {
		r.t.Fatal(err)
	}

	if r.listens {
		r.place = cluster.PlaceOf("run", c.Address(), "token", "")
	}
	return c
}

func logger() *slog.Logger {
	if os.Getenv("TOOLEVO_TEST_VERBOSE") != "" {
		return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return slog.New(slog.DiscardHandler)
}

// do does units through a coordinator, all at once, and checks their outcomes.
func (r *run) do(ctx context.Context, c *cluster.Coordinator, units int) error {
	var group sync.WaitGroup
	failed := make(chan error, units)

	for i := range units {
		group.Go(func() {
			id := fmt.Sprint("unit-", i)

			outcome, err := c.Do(ctx, cluster.Unit{
				ID: id, Work: []byte(id),
				Earlier: func(ctx context.Context) ([]store.Row, error) { return r.store.RowsOf(ctx, id, 0, 1) },
			})
			if err == nil && string(outcome) != "done "+id {
				err = fmt.Errorf("%s ended with %q", id, outcome)
			}

			failed <- err
		})
	}

	group.Wait()
	close(failed)

	for err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// calls is how many calls a unit takes.
const calls = 5

// check makes sure that the run has each call of each unit once, all of one worker's making.
func (r *run) check(units int) {
	r.t.Helper()

	for i := range units {
		id := fmt.Sprint("unit-", i)

		rows, err := r.store.RowsOf(r.t.Context(), id, 0, 1)
		if err != nil || len(rows) != calls {
			r.t.Errorf("%s has %d calls, %v", id, len(rows), err)
		}
	}

	if n, err := r.store.CallCount(r.t.Context()); n != units*calls || err != nil {
		r.t.Errorf("the run has %d calls, want %d (%v)", n, units*calls, err)
	}
}

// member is a worker of tests. Its calls each take a moment.
type member struct {
	*cluster.Worker
	patience time.Duration
	extent   string
	slots    int
	call     time.Duration
	made     *atomic.Int64 // calls, by all members

	doing func(ctx context.Context, a *cluster.Assignment) // called before each call; may be nil
	fails error                                            // at all units; may be nil

	grows func(ctx context.Context, a *cluster.Assignment) ([]byte, error) // does units in place of calls; may be nil
}

// join has a worker join on a machine of its own, and joinOn on one.
func (r *run) join(name string, slots int, call time.Duration, made *atomic.Int64) *member {
	r.t.Helper()
	return r.joinOn(name, name, slots, call, made)
}

func (r *run) joinOn(machine, name string, slots int, call time.Duration, made *atomic.Int64) *member {
	r.t.Helper()

	w, err := cluster.Connect(cluster.WorkerOptions{Place: r.place, Name: name, Machine: machine, Log: logger()})
	if err != nil {
		r.t.Fatal(err)
	}

	if welcome, err := w.Join(r.t.Context(), []byte("hello")); len(welcome) != 3_500_000 || err != nil {
		r.t.Fatal(len(welcome), err)
	}
	return &member{Worker: w, patience: r.patience, extent: r.extent, slots: slots, call: call,
		made: made}
}

func (m *member) serve(ctx context.Context) error {
	return m.Serve(ctx, cluster.Work{
		Patience: m.patience,
		Extent:   m.extent,
		Room:     slots(m.slots),
		Do:       m.do,
	})
}

// serveAfter is there, but does units only once another one has tried.
func (m *member) serveAfter(t *testing.T, tried *atomic.Int64) error {
	t.Helper()

	var first sync.Once
	free := slots(m.slots)
	return m.Serve(t.Context(), cluster.Work{
		Patience: m.patience,
		Room: func(ctx context.Context) (arrived, release func(), err error) {
			first.Do(func() { waitFor(t, func() bool { return tried.Load() > 0 }) })
			return free(ctx)
		},
		Do: m.do,
	})
}

// slots is room for n units at once.
func slots(n int) func(context.Context) (arrived, release func(), err error) {
	free := make(chan struct{}, n)
	return func(ctx context.Context) (arrived, release func(), err error) {
		select {
		case free <- struct{}{}:
			return func() {}, func() { <-free }, nil
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// do makes the calls of a unit that its log lacks.
func (m *member) do(ctx context.Context, a *cluster.Assignment) ([]byte, error) {
	if a.Fruitless != nil {
		return []byte("given up " + a.ID), nil
	}

	if m.grows != nil {
		return m.grows(ctx, a)
	}

	if m.fails != nil {
		m.made.Add(1)
		return []byte("failed " + a.ID), cluster.Unable(m.fails)
	}

	for i := len(a.Earlier); i < calls; i++ {
		if m.doing != nil {
			m.doing(ctx, a)
		}

		// Both may have come about below, before this goroutine runs again.
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		select {
		case <-time.After(m.call):
		case <-ctx.Done():
			return nil, ctx.Err()
		}

		m.made.Add(1)
		a.Add(callOf(string(a.Work), i))
	}
	return append([]byte("done "), a.Work...), nil
}

// callOf returns a call as a store logs it.
func callOf(question string, i int) store.Row {
	value := store.PackProposals([]mcts.Proposal{{Text: fmt.Sprint("call ", i)}})
	return store.Row{Question: question, Path: fmt.Sprint("0.", i), N: 1, Seed: uint64(i), Value: string(value)}
}

func TestUnitsAreDoneOnce(t *testing.T) {
	t.Parallel()

	r := newRun(t)
	c := r.coordinate()

	var made atomic.Int64
	var members sync.WaitGroup

	for i := range 4 {
		m := r.join(fmt.Sprint("worker ", i), 8, time.Millisecond, &made)
		defer m.Close()

		members.Go(func() {
			if err := m.serve(t.Context()); !errors.Is(err, cluster.ErrOver) {
				t.Errorf("a worker ended with %v", err)
			}
		})
	}

	const units = 200
	if err := r.do(t.Context(), c, units); err != nil {
		t.Error(err)
	}

	if err := c.Close(t.Context(), true); err != nil {
		t.Error(err)
	}
	members.Wait()

	r.check(units)

	if n := made.Load(); n != units*calls {
		t.Errorf("%d calls were made, want %d", n, units*calls)
	}

	if got := c.Counts(); got.Ended != units || got.Begun != units || got.Refused+got.Again != 0 {
		t.Errorf("counted %+v", got)
	}
}

// The server of a coordinator ends with it: nobody will ever answer a worker that is still joining.
func TestRunEndsWhileAWorkerJoins(t *testing.T) {
	t.Parallel()

	r := newRun(t)
	c := r.coordinate()

	late, err := cluster.Connect(cluster.WorkerOptions{
		Place: r.place, Name: "late", Machine: "late", Log: logger(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()

	if err := c.Close(t.Context(), true); err != nil {
		t.Fatal(err)
	}

	if _, err := late.Join(t.Context(), []byte("hello")); !errors.Is(err, cluster.ErrOver) {
		t.Errorf("joining ended with %v", err)
	}

	if _, err := late.Ask(t.Context(), []byte("what?")); !errors.Is(err, cluster.ErrOver) {
		t.Errorf("asking ended with %v", err)
	}
}

// A worker that is cut off while it does a unit loses it, and what it adds once it is back is
// refused; the other one goes on where the log ended.
func TestWorkerThatWasCutOff(t *testing.T) {
	t.Parallel()

	r := newRun(t)
	r.patience = brief
	c := r.coordinate()

	cable := newCable(t, r.place.Host)

	var made atomic.Int64

	direct := r.place.Host
	r.place.Host = cable.address
	slow := r.join("slow", 1, time.Millisecond, &made)
	r.place.Host = direct

	cut, reached := make(chan struct{}), make(chan struct{})
	lost := make(chan error, 1)
	n := 0

	slow.doing = func(ctx context.Context, _ *cluster.Assignment) {
		if n++; n == 4 { // three calls are in the log
			waitFor(t, func() bool {
				rows, err := r.store.RowsOf(t.Context(), "unit-0", 0, 1)
				return err == nil && len(rows) == 3
			})
			close(reached)
			<-cut
		}

		if n == 5 { // the fourth was added while it was cut off
			<-ctx.Done()
			lost <- context.Cause(ctx)
		}
	}

	var members sync.WaitGroup
	defer members.Wait()
	defer slow.Close()

	slowContext, stopSlow := context.WithCancel(t.Context())
	defer stopSlow()

	members.Go(func() { _ = slow.serve(slowContext) })

	members.Go(func() {
		<-reached
		cable.cut()

		other := r.join("other", 1, time.Millisecond, &made)
		defer other.Close()

		if err := other.serve(t.Context()); !errors.Is(err, cluster.ErrOver) {
			t.Errorf("the other worker ended with %v", err)
		}
	})

	if err := r.do(t.Context(), c, 1); err != nil {
		t.Error(err)
	}

	close(cut)
	cable.mend()

	select {
	case err := <-lost:
		if !errors.Is(err, cluster.ErrLost) {
			t.Errorf("the calls of the slow worker ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("the slow worker was never told")
	}

	if got := c.Counts(); got.Refused != 0 || got.Again != 1 || got.Ended != 1 {
		t.Errorf("counted %+v", got)
	}

	if err := c.Close(t.Context(), true); err != nil {
		t.Error(err)
	}

	r.check(1)

	if n := made.Load(); n != calls+1 { // the fourth one was made twice
		t.Errorf("%d calls were made, want %d", n, calls+1)
	}
}

// waitFor waits until something holds.
func waitFor(t *testing.T, holds func() bool) {
	t.Helper()

	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()

	for range 6000 {
		if holds() {
			return
		}

		<-ticker.C
	}

	t.Error("it never held")
}

// joinFrail has a worker join that is gone with the first unit that it begins. Its work is done in
// the context, which stop ends.
func (r *run) joinFrail(name string, made *atomic.Int64) (m *member, ctx context.Context, stop func()) {
	r.t.Helper()

	m = r.join(name, 1, time.Millisecond, made)
	ctx, stop = context.WithCancel(r.t.Context())
	m.doing = func(context.Context, *cluster.Assignment) {
		m.Close()
		stop()
	}
	return m, ctx, stop
}

// A unit that brings down every worker that begins it is handed to a sixth one to give it up.
func TestUnitThatBringsWorkersDown(t *testing.T) {
	t.Parallel()

	r := newRun(t)
	r.patience = brief
	c := r.coordinate()

	outcome := make(chan string, 1)
	go func() {
		text, err := c.Do(t.Context(), cluster.Unit{ID: "bad", Work: []byte("bad")})
		outcome <- fmt.Sprint(string(text), err)
	}()

	var made atomic.Int64

	for i := range 6 {
		m, ctx, stop := r.joinFrail(fmt.Sprint("worker ", i), &made)

		if i == 5 {
			go func() {
				defer stop()
				waitFor(t, func() bool { return c.Counts().Ended == 1 })
			}()
		}

		_ = m.serve(ctx)
		m.Close()
	}

	if got := <-outcome; got != "given up bad<nil>" {
		t.Errorf("the unit ended with %q", got)
	}

	if err := c.Close(t.Context(), true); err != nil {
		t.Error(err)
	}
}

// A unit that may bring workers down is begun while nothing else is, so that nothing else is lost
// with it.
func TestSuspiciousUnitIsBegunAlone(t *testing.T) {
	t.Parallel()

	r := newRun(t)
	r.patience = 5 * time.Second
	c := r.coordinate()

	ended := make(chan error, 2)
	do := func(unit string) {
		go func() {
			_, err := c.Do(t.Context(), cluster.Unit{ID: unit, Work: []byte(unit)})
			ended <- err
		}()
	}
	do("bad")

	var made atomic.Int64

	for i := range 2 {
		m, ctx, _ := r.joinFrail(fmt.Sprint("lost ", i), &made)
		_ = m.serve(ctx)
	}

	third := r.join("third", 2, time.Millisecond, &made)
	defer third.Close()

	units := func() int {
		for _, b := range c.Workers() {
			if b.Worker == "third" {
				return len(b.Units)
			}
		}
		return 0
	}

	var first sync.Once
	var begun atomic.Bool

	third.doing = func(_ context.Context, a *cluster.Assignment) {
		begun.Store(begun.Load() || a.ID == "good")

		first.Do(func() {
			if a.ID != "bad" {
				t.Error("the other unit came first")
			}

			do("good")

			// It has been handed out here, and waits.
			if waitFor(t, func() bool { return units() == 2 }); begun.Load() {
				t.Error("a unit was begun beside one that may bring the worker down")
			}
		})
	}

	go func() { _ = third.serve(t.Context()) }()

	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}

	if err := c.Close(t.Context(), true); err != nil {
		t.Error(err)
	}
}

// What fails on one machine is tried on another, as the machine may be broken. What fails on both,
// or where there is one machine, ends so.
func TestUnitsThatFailOnOneMachine(t *testing.T) {
	t.Parallel()

	for name, second := range map[string]struct {
		machine string // "" is no second worker
		fails   error
		want    string
	}{
		"another one can":       {"other", nil, "done unit"},
		"another one cannot":    {"other", errors.New("no sandbox either"), "failed unit"},
		"all are on one":        {"broken", nil, "failed unit"},
		"there is no other one": {"", nil, "failed unit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			began := time.Now()
			r := newRun(t)
			c := r.coordinate()

			var broken, made atomic.Int64

			if second.machine != "" {
				other := r.joinOn(second.machine, "other", 1, time.Millisecond, &made)
				defer other.Close()

				other.fails = second.fails
				go func() { _ = other.serveAfter(t, &broken) }()

				waitFor(t, func() bool { return len(c.Workers()) == 1 })
			}

			m := r.join("broken", 1, time.Millisecond, &broken)
			defer m.Close()

			m.fails = errors.New("no sandbox")
			go func() { _ = m.serve(t.Context()) }()

			outcome, err := c.Do(t.Context(), cluster.Unit{ID: "unit", Work: []byte("unit")})

			// Who else is there is known 10 s after the start of a coordinator: from then on
			// either worker of the machine may be the one that tries again.
			again := second.machine == "broken" && string(outcome) == "done unit" &&
				time.Since(began) >= 10*time.Second
			if string(outcome) != second.want && !again || err != nil {
				t.Errorf("the unit ended with %q, want %q (%v)", outcome, second.want, err)
			}

			// Once more where nobody else comes.
			most := int64(2)
			if second.machine == "other" {
				most = 1
			}

			if broken.Load() > most {
				t.Errorf("it was tried %d times on the broken machine, want at most %d", broken.Load(), most)
			}

			if err := c.Close(t.Context(), true); err != nil {
				t.Error(err)
			}
		})
	}
}

// A run whose queue is gone is coordinated again: what it has is not asked for again, by workers
// that waited for it.
func TestQueueIsBuiltAgain(t *testing.T) {
	t.Parallel()

	r := newRun(t)
	c := r.coordinate()

	var made atomic.Int64

	half := make(chan struct{})
	first := r.join("first", 4, time.Millisecond, &made)
	first.doing = func(ctx context.Context, a *cluster.Assignment) {
		if made.Load() >= 50 {
			select {
			case <-half:
			case <-ctx.Done():
			}
		}
	}

	served := make(chan error, 1)
	go func() { served <- first.serve(t.Context()) }()

	const units = 20

	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- r.do(ctx, c, units) }()

	waitFor(t, func() bool {
		n, err := r.store.CallCount(t.Context())
		return err == nil && n >= 50
	})

	stop()

	if err := <-stopped; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}

	if err := c.Close(t.Context(), false); err != nil {
		t.Error(err)
	}

	if err := <-served; !errors.Is(err, cluster.ErrPaused) {
		t.Errorf("the worker ended with %v", err)
	}
	first.Close()

	if err := os.RemoveAll(filepath.Join(r.dir, "nats")); err != nil {
		t.Fatal(err)
	}

	c = r.coordinate()
	close(half)

	second := r.join("second", 4, time.Millisecond, &made)
	defer second.Close()
	go func() { served <- second.serve(t.Context()) }()

	if err := r.do(t.Context(), c, units); err != nil {
		t.Error(err)
	}

	if err := c.Close(t.Context(), true); err != nil {
		t.Error(err)
	}

	if err := <-served; !errors.Is(err, cluster.ErrOver) {
		t.Errorf("the second worker ended with %v", err)
	}

	r.check(units)

	if n := made.Load(); n != units*calls {
		t.Errorf("%d calls were made, want %d", n, units*calls)
	}
}

// A run that went on without workers for a pass has calls that the log of a unit lacks, or other
// answers: none of them is asked for again.
func TestPassWithoutWorkers(t *testing.T) {
	t.Parallel()

	for name, answer := range map[string]string{"the log's and more": "",
		"others": "other answer"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := newRun(t)
			c := r.coordinate()

			var made atomic.Int64

			ctx, stop := mcts.Interruptible(t.Context())
			defer stop()

			first := r.join("first", 1, time.Millisecond, &made)
			defer first.Close()

			first.doing = func(ctx context.Context, _ *cluster.Assignment) {
				if made.Load() == 1 {
					waitFor(t, func() bool {
						n, err := r.store.CallCount(ctx)
						return n == 1 && err == nil
					})
					stop()
					<-ctx.Done()
				}
			}

			served := make(chan error, 1)
			go func() {
				served <- first.serve(ctx)
			}()

			_ = r.do(ctx, c, 1) // is interrupted, too
			<-served

			if err := c.Close(t.Context(), false); err != nil {
				t.Error(err)
			}

			if answer != "" { // the coordinator was gone before the worker
				r.store = newRun(t).store
			}

			rows := []store.Row{callOf("unit-0", 0), callOf("unit-0", 1), callOf("unit-0", 2)}
			for i := range rows {
				if answer != "" {
					rows[i].Value = string(store.PackProposals([]mcts.Proposal{{Text: answer}}))
				}
			}

			if _, err := r.store.Take(t.Context(), rows, false); err != nil {
				t.Fatal(err)
			}

			c = r.coordinate()

			second := r.join("second", 1, time.Millisecond, &made)
			defer second.Close()
			go func() { _ = second.serve(t.Context()) }()

			if err := errors.Join(r.do(t.Context(), c, 1), c.Close(t.Context(), true)); err != nil {
				t.Error(err)
			}

			r.check(1)

			if n := made.Load(); n != calls-3+1 {
				t.Errorf("%d calls were made, want one and those that the run lacked then", n)
			}
		})
	}
}

// treeOf returns a tree as a store logs it.
func treeOf(t *testing.T, tree int, text string) (row store.Row) {
	t.Helper()

	s := newRun(t).store
	s.Watch(func(r store.Row) { row = r })

	err := s.SaveTree(t.Context(), &mcts.TreeRecord{Question: "q", Tree: tree,
		Nodes: []mcts.Record{{Parent: mcts.NoParent, Observation: text}}})
	if err != nil {
		t.Error(err)
	}
	return row
}

// What was done of a unit that an extended run has no more does not come back when its coordinator
// starts again, in place of what was grown since.
func TestLogsOfAnotherExtent(t *testing.T) {
	t.Parallel()

	r := newRun(t)
	r.inTurn = true

	trees := func(want ...int) func() bool {
		return func() bool {
			got, err := r.store.TreeIndices(t.Context(), "q")
			return err == nil && slices.Equal(got, want)
		}
	}

	// pass has a worker add rows to a unit, and end it or leave.
	pass := func(unit, extent string, ends bool, want []int, rows ...store.Row) {
		r.extent = extent
		c := r.coordinate()

		ctx, stop := mcts.Interruptible(t.Context())
		defer stop()

		m := r.join("worker of "+unit, 1, 0, new(atomic.Int64))
		defer m.Close()

		m.grows = func(ctx context.Context, a *cluster.Assignment) ([]byte, error) {
			for _, row := range rows {
				a.Add(row)
			}

			if !ends {
				err := a.Flush(ctx)
				<-ctx.Done()
				return nil, cmp.Or(err, ctx.Err())
			}
			return nil, nil
		}

		served := make(chan error, 1)
		go func() { served <- m.serve(ctx) }()

		done := make(chan error, 1)
		go func() {
			_, err := c.Do(ctx, cluster.Unit{ID: unit, Work: []byte(unit)})
			done <- err
		}()

		waitFor(t, trees(want...))

		if ends {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}

		stop()
		<-served

		if err := c.Close(t.Context(), false); err != nil {
			t.Error(err)
		}
	}

	pass("q-0-3", "short", false, []int{0, 2}, treeOf(t, 0, "a"), treeOf(t, 2, "old"))
	pass("q-0-4", "long", true, []int{0, 1, 2, 3}, treeOf(t, 1, "a"), treeOf(t, 2, "new"),
		treeOf(t, 3, "a"))

	if err := r.coordinate().Close(t.Context(), false); err != nil {
		t.Error(err)
	}

	if !trees(0, 1, 2, 3)() {
		t.Error("trees are lost")
	}

	got, _, err := r.store.LoadTree(t.Context(), "q", 2)
	if err != nil || got.Nodes[0].Observation != "new" {
		t.Errorf("tree 2 is %+v, %v", got, err)
	}
}

func TestStrangers(t *testing.T) {
	t.Parallel()

	r := newRun(t)
	c := r.coordinate()
	defer func() {
		if err := c.Close(t.Context(), true); err != nil {
			t.Error(err)
		}
	}()

	place := r.place
	place.Token = "guess"

	if _, err := cluster.Connect(cluster.WorkerOptions{Place: place}); err == nil ||
		!strings.Contains(err.Error(), "its token is another one") {
		t.Errorf("without the token: %v", err)
	}

	w, err := cluster.Connect(cluster.WorkerOptions{Place: r.place})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()

	if _, err := w.Join(t.Context(), []byte("other")); err == nil || err.Error() != "not welcome:\nother" {
		t.Errorf("who is refused is told %v", err)
	}

	if _, err := w.Join(t.Context(), make([]byte, 100<<20)); !errors.Is(err, nats.ErrMaxPayload) {
		t.Errorf("100 MB are answered with %v", err)
	}
}

// Somebody who sends more than a message may have is cut off, whatever it says it is, and the run
// goes on.
func TestLargeMessage(t *testing.T) {
	t.Parallel()

	r := newRun(t)
	c := r.coordinate()

	stranger, err := net.Dial("tcp", r.place.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()

	_, err = fmt.Fprintf(stranger, "CONNECT {\"verbose\":false,\"auth_token\":\"token\"}\r\nPUB toolevo.x %d\r\n",
		100<<20)
	if err != nil {
		t.Fatal(err)
	}

	if text, err := io.ReadAll(stranger); err != nil || !strings.Contains(string(text), "Maximum Payload Violation") {
		t.Errorf("it is answered with %q, %v", text, err)
	}

	var made atomic.Int64

	m := r.join("worker", 2, time.Millisecond, &made)
	defer m.Close()

	served := make(chan error, 1)
	go func() { served <- m.serve(t.Context()) }()

	if err := errors.Join(r.do(t.Context(), c, 2), c.Close(t.Context(), true)); err != nil {
		t.Error(err)
	}

	if err := <-served; !errors.Is(err, cluster.ErrOver) {
		t.Error(err)
	}
}

// The result of a tool is remembered whatever its size: as JSON it may be more than a message has.
func TestLargeResults(t *testing.T) {
	t.Parallel()

	r := newRun(t)
	c := r.coordinate()

	m := r.join("worker", 1, 0, new(atomic.Int64))
	defer m.Close()

	want := envs.Result{Observation: strings.Repeat("<", 300_000)}
	memory := envs.Memory(m.Worker)

	if err := memory.Remember(t.Context(), "key", want); err != nil {
		t.Fatal(err)
	}

	if got, ok, err := memory.Recall(t.Context(), "key"); got != want || !ok || err != nil {
		t.Errorf("%d bytes are recalled, %v, %v", len(got.Observation), ok, err)
	}

	if err := c.Close(t.Context(), true); err != nil {
		t.Error(err)
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()

	for _, p := range []cluster.Place{
		cluster.PlaceOf("run", "10.0.0.1:7000", "ABC", ""), cluster.PlaceOf("run", "[::1]:7000", "ABC", "0123abcd"),
		{Host: "coordinator:1", Key: "0123456789abcdef", Token: "t", CA: true},
	} {
		if got, err := cluster.ParsePlace(p.String()); got != p || err != nil {
			t.Errorf("%s is read as %+v, %v", p, got, err)
		}
	}

	for _, text := range []string{
		"", "coordinator:7000", "http://SECRET@h:1/0123456789abcdef", "nats://SECRET@h/0123456789abcdef",
		"nats://SECRET@h:1/0123", "nats://SECRET@h:1/0123456789abcdef?pin=1", "tls://SECRET@h:%%/0123456789abcdef",
	} {
		if _, err := cluster.ParsePlace(text); err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
