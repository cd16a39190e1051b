package cluster

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"toolevo/envs"
	"toolevo/mcts"
)

// Work is how a worker does units.
type Work struct {
	Patience time.Duration // of the coordinator; see Options
	Extent   string        // of the run; see Options

	// Room waits until there is room for another unit, and keeps it until release is called. The
	// unit calls arrived when it asks the model.
	Room func(ctx context.Context) (arrived, release func(), err error)

	// Do does a unit, adds to its log what it makes, and returns the outcome that the unit ends
	// with. An error without one ends the work of this worker; the unit is another's then.
	Do func(ctx context.Context, unit *Assignment) (outcome []byte, err error)
}

// Serve does units until ctx ends, the coordinator ends (ErrOver, ErrPaused), or a unit cannot be
// done here. All but the end of ctx that is no interruption (mcts.Interruptible) lets calls in
// flight finish, for drainTime at most, and hands in what was done.
func (w *Worker) Serve(ctx context.Context, work Work) error {
	serving, interrupt := mcts.Interruptible(ctx)
	defer interrupt()

	// The first reason counts.
	reason, end := context.WithCancelCause(context.Background())
	defer end(nil)

	stop := func(err error) {
		// What fails because nobody answers any more is no failure.
		if errors.Is(context.Cause(w.complete), ErrOver) {
			err = ErrOver
		}

		end(err)
		interrupt()
	}

	// It is there as long as it has units.
	beating, done := context.WithCancel(context.WithoutCancel(ctx))
	defer done()

	go w.beat(beating)

	go func() {
		select {
		case <-w.complete.Done(): // no more calls are paid for
			stop(context.Cause(w.complete))
		case <-w.paused:
			stop(ErrPaused)
		case <-serving.Done():
		}
	}()

	err := w.serve(serving, work, stop)
	return cmp.Or(context.Cause(reason), err)
}

// serve does units until ctx ends. stop ends it because of an error.
func (w *Worker) serve(ctx context.Context, work Work, stop func(error)) error {
	var units sync.WaitGroup
	defer units.Wait()

	// A unit is asked for only when there is room for it, so that slow servers take less.
	for {
		arrived, release, err := work.Room(ctx)
		if err != nil {
			return err
		}

		err = mcts.Wait(ctx, w.rest())

		var m jetstream.Msg
		if err == nil {
			m, err = w.next(ctx)
		}

		if err != nil {
			release()
			return err
		}

		id := m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:]

		w.mu.Lock()
		w.doing[id], w.held[id] = time.Now(), m
		w.mu.Unlock()

		units.Go(func() {
			defer release()

			err := w.do(ctx, id, m, work, arrived)

			w.forget(id, m)

			if err != nil {
				stop(err)
			}
		})
	}
}

// forget notes that a unit is not done any more, unless it has been handed out here again.
func (w *Worker) forget(id string, m jetstream.Msg) {
	w.mu.Lock()
	defer w.mu.Unlock()

	if w.held[id] == m {
		delete(w.doing, id)
		delete(w.held, id)
	}
}

// giveBack returns a unit that comes too late to the queue.
func (w *Worker) giveBack(batch jetstream.MessageBatch) {
	go func() {
		for m := range batch.Messages() {
			_ = m.Nak()
		}
	}()
}

// fetchTime is how long a server keeps a request for a unit. An idle worker asks again that often.
const fetchTime = 20 * time.Second

// next returns the next unit of the queue, when there is one.
func (w *Worker) next(ctx context.Context) (jetstream.Msg, error) {
	for {
		// Looked up each time: a queue that was lost has been made again.
		cons, err := w.js.Consumer(ctx, w.names.queueStream(), consumer)

		var batch jetstream.MessageBatch
		if err == nil {
			batch, err = cons.Fetch(1, jetstream.FetchMaxWait(fetchTime))
		}

		if err == nil {
			select {
			case m, ok := <-batch.Messages():
				if ok {
					return m, nil
				}
			case <-ctx.Done():
				w.giveBack(batch)
			}
		}

		if ctx.Err() != nil || errors.Is(err, nats.ErrConnectionClosed) {
			return nil, cmp.Or(ctx.Err(), err)
		}

		if err == nil && batch.Error() == nil {
			continue
		}

		if err := mcts.Wait(ctx, retryEvery); err != nil {
			return nil, err
		}
	}
}

// do does a unit that the queue has handed out. It returns an error that ends the work.
func (w *Worker) do(ctx context.Context, id string, m jetstream.Msg, work Work, arrived func()) error {
	// What is done is written down although ctx was interrupted, and calls that are paid for end.
	life, end := mcts.InFlight(ctx)
	defer end()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(drainTime+handInTime, end) })()

	paid, lost := context.WithCancelCause(life)
	defer lost(nil)

	inner, interrupt := mcts.Interruptible(paid)
	defer context.AfterFunc(ctx, func() {
		interrupt()
		time.AfterFunc(drainTime, func() { lost(context.Canceled) })
	})()

	a := &Assignment{ID: id, Work: m.Data(), Arrived: arrived, worker: w, life: life, cancel: lost, log: unitLog{
		js: w.js, stream: w.names.logStream(), subject: w.names.log(id), most: mostData(w.conn),
	}}

	// The run has been given other questions or trees since this worker joined.
	if m.Headers().Get(headerExtent) != work.Extent {
		_ = m.Nak()
		return ErrPaused
	}
	defer a.keep(life, m, work.Patience)()

	over, err := a.begin(inner)
	defer a.end()

	switch {
	case errors.Is(err, errDeclined):
		return ignore(m.NakWithDelay(declineTime))
	case errors.Is(err, ErrLost):
		return nil // whoever has it acknowledges it
	case err != nil: // ctx has ended
		return ignore(m.Nak())
	case over:
		return ignore(m.Ack())
	}

	if a.fruitless.Workers >= mostFruitless {
		a.Fruitless = envs.Fail(stageWorker, "begin "+id, &a.fruitless)
	}

	outcome, err := work.Do(inner, a)
	if errors.Is(context.Cause(paid), ErrLost) {
		err = ErrLost
	}
	return w.settle(life, a, m, outcome, err)
}

// drainTime is how long calls that servers are answering may take once a worker is to end, and
// handInTime how long the writing of what they brought. A machine that is taken away leaves 30 s.
const (
	drainTime  = 22 * time.Second
	handInTime = 5 * time.Second
)

// ignore has nothing to do about the error of an acknowledgement: the server hands the unit out
// again, and its log says what became of it.
func ignore(error) error { return nil }

// settle writes down how a unit ended here, until ctx ends.
func (w *Worker) settle(ctx context.Context, a *Assignment, m jetstream.Msg, outcome []byte, err error) error {
	flushed := cmp.Or(a.Flush(ctx), err)

	var unable *unableError
	leave := entry{kind: left}

	switch {
	case !errors.As(err, &unable) || errors.Is(flushed, ErrLost):
	case a.mayPass(ctx):
		w.noteFailure(a.ID, err)
		leave.unable = w.options.Machine
	default:
		err = nil // it is the outcome
	}

	switch {
	case errors.Is(flushed, ErrLost):
		w.log.Warn("another worker has a unit that was done here", "unit", a.ID)
		return nil
	case err == nil:
		if a.add(ctx, entry{kind: ended, body: outcome}) != nil {
			return nil // another worker's after a while
		}

		// What fails on two machines is not this one's fault.
		w.noteDone(unable == nil || len(a.failed) > 0)
		return ignore(m.DoubleAck(ctx))
	}

	if !errors.Is(err, context.Canceled) {
		leave.body = []byte(err.Error())
	}

	if a.add(ctx, leave) == nil {
		_ = m.Nak() // handed out at once
	}

	if leave.unable != "" || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// noteDone counts a unit. fine is whether it says that this machine is in order.
func (w *Worker) noteDone(fine bool) {
	w.mu.Lock()
	defer w.mu.Unlock()

	w.done++
	if fine {
		w.failures = 0
	}
}
