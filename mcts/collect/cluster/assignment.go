package cluster

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"toolevo/mcts"
	"toolevo/mcts/store"
)

// flushEvery is how long a call waits for others before it is appended to the log of its unit,
// flushFirst how long the first one does, and flushCalls and flushSize how many calls and bytes of
// them do not wait. It is what a worker that dies costs, for each of its units.
const (
	flushEvery = 2 * time.Second
	flushFirst = 200 * time.Millisecond
	flushCalls = 8
	flushSize  = 128 << 10
)

// Assignment is a unit that a worker does. It is safe for concurrent use.
type Assignment struct {
	ID      string
	Work    []byte
	Earlier []store.Row // what other workers have added, in order
	Arrived func()      // to be called when the model is asked, as often as one likes

	// Fruitless, if not nil, is why the unit is to be given up, and not done.
	Fruitless error

	worker   *Worker
	life     context.Context // of what is written to the log
	cancel   context.CancelCauseFunc
	progress atomic.Int64 // when it last got on, in nanoseconds since 1970

	flushing sync.Mutex // held while the log is written; guards it
	log      unitLog
	room     int64 // of the worker's, that the unit has

	fruitless FruitlessError // what is known of the workers before this one
	lost      int            // how many of those were not heard of again
	failed    []string       // machines on which some of the unit failed

	mu      sync.Mutex // guards what follows
	rows    []store.Row
	size    int
	waiting bool // to be flushed
	urgent  bool // at once
	flushes int
}

// keep keeps the unit as long as there is progress, and returns what ends that.
func (a *Assignment) keep(ctx context.Context, m jetstream.Msg, patience time.Duration) (end func()) {
	ctx, cancel := context.WithCancel(ctx)

	var done sync.WaitGroup
	done.Go(func() {
		for mcts.Wait(ctx, patience/4) == nil {
			if time.Since(time.Unix(0, a.progress.Load())) < stuck {
				_ = m.InProgress()
			}
		}
	})

	a.Progress()

	return func() {
		cancel()
		done.Wait()
	}
}

// stuck is after how long without progress a worker gives a unit away: longer than a server may
// take for one completion.
const stuck = time.Hour

// begin reads the log of the unit, and adds that this worker has begun. over is whether the unit
// has ended. It tries until ctx ends.
func (a *Assignment) begin(ctx context.Context) (over bool, err error) {
	for {
		over, err = a.read(ctx)
		if err == nil && !over && a.declines(ctx) {
			return false, errDeclined
		}

		if err == nil && !over {
			err = a.takeRoom(ctx)
		}

		if err == nil && !over {
			err = a.add(ctx, entry{kind: begun})
		}

		if err == nil || errors.Is(err, ErrLost) || errors.Is(err, nats.ErrConnectionClosed) {
			return over, err
		}

		if err := mcts.Wait(ctx, retryEvery); err != nil {
			return false, err
		}
	}
}

// read reads the log of the unit.
func (a *Assignment) read(ctx context.Context) (over bool, err error) {
	all, err := a.log.read(ctx)
	a.Earlier, a.fruitless, a.lost, a.failed = nil, FruitlessError{}, 0, nil

	for _, e := range all {
		switch {
		case e.kind == begun:
			a.fruitless.Workers++
			a.lost++
		case e.kind == left && len(e.body) > 0: // it could not do anything, and says why
			a.fruitless.Reason = string(e.body)
			a.lost = max(a.lost-1, 0)

			if e.unable != "" {
				a.failed = append(a.failed, e.unable)
			}
		case e.kind == ended:
			return true, err
		default:
			a.Earlier = append(a.Earlier, e.rows...)
			a.fruitless, a.lost = FruitlessError{}, 0
		}
	}
	return false, err
}

// Progress notes that the unit gets on.
func (a *Assignment) Progress() { a.progress.Store(time.Now().UnixNano()) }

// Add adds a call or a tree to the log of the unit, soon. If another worker has the unit meanwhile,
// the context of Do ends.
func (a *Assignment) Add(r store.Row) {
	a.Progress()

	a.mu.Lock()
	defer a.mu.Unlock()

	a.rows = append(a.rows, r)
	a.size += len(r.Value)

	a.flushSoon(a.size >= flushSize || len(a.rows) >= flushCalls)
}

// flushSoon flushes, at once or soon. The caller holds the lock.
func (a *Assignment) flushSoon(now bool) {
	if a.waiting && (!now || a.urgent) {
		return
	}

	a.urgent = now

	delay := flushEvery

	switch {
	case now:
		delay = 0
	case a.flushes == 0: // that a unit gets on at all is known early
		delay = flushFirst
	}

	a.waiting = true
	a.flushes++

	time.AfterFunc(delay, func() {
		if err := a.Flush(a.life); errors.Is(err, ErrLost) {
			a.cancel(err)
		}
	})
}

// Flush adds to the log what waits for it. It returns ErrLost if another worker has the unit.
func (a *Assignment) Flush(ctx context.Context) error {
	a.flushing.Lock()
	defer a.flushing.Unlock()

	a.mu.Lock()
	e := entry{kind: added, rows: a.rows}
	a.rows, a.size, a.waiting, a.urgent = nil, 0, false, false
	a.mu.Unlock()

	if len(e.rows) == 0 {
		return nil
	}

	// What has no calls may be taken for an entry that came before; its usage is left out then.
	isCall := func(r store.Row) bool { return !r.IsTree() }
	if used := a.worker.options.Used; used != nil && slices.ContainsFunc(e.rows, isCall) {
		e.usage = used()
	}

	e.worker = a.worker.options.Name

	if err := a.log.append(ctx, e); err != nil {
		if len(e.usage) > 0 {
			a.worker.options.Untold(e.usage)
		}
		return err
	}

	a.leaveRoom()
	return nil
}

// add adds an entry to the log, after what waits for it.
func (a *Assignment) add(ctx context.Context, e entry) error {
	a.flushing.Lock()
	defer a.flushing.Unlock()

	e.worker = a.worker.options.Name
	return a.log.append(ctx, e)
}
