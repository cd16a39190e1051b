package cluster

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"toolevo/mcts"
	"toolevo/mcts/store"
)

// follower takes the entries of all logs into the run, in their order.
type follower struct {
	c    *Coordinator
	logs map[string]*assembler // by unit
	last uint64                // number of the last message taken
	id   string                // of that message

	// Units of which the run had another answer to a call that was made twice: what else their logs
	// hold is left out, and may hang on that. They are done again, a few times.
	torn  map[string]bool
	again map[string]int

	old  uint64        // messages up to it were there when it began to read, and may be in the run
	read chan struct{} // closed, and nil, once all is taken that was there at first
}

// mostAgain bounds how often a unit is done again: each time the server has lost messages.
const mostAgain = 5

// follow takes what workers append into the run, until ctx ends. It closes read once it has all
// that was there when it began.
func (c *Coordinator) follow(ctx context.Context, read chan struct{}) {
	f := &follower{c: c, logs: map[string]*assembler{}, read: read,
		torn: map[string]bool{}, again: map[string]int{}}

	for ctx.Err() == nil {
		err := f.follow(ctx)
		if ctx.Err() != nil {
			return
		}

		if final := (*storeError)(nil); errors.As(err, &final) {
			c.fail(final.err)
			return
		}

		c.log.Warn("the logs of units cannot be read", "because", err)

		// A unit that was in a queue that is lost is in none.
		for mcts.Wait(ctx, retryEvery) == nil && c.repair(ctx) != nil {
		}
	}
}

// storeError is that of the run's database: the run cannot go on.
type storeError struct{ err error }

func (e *storeError) Error() string { return e.err.Error() }

// follow takes entries until ctx ends or the server fails it.
func (f *follower) follow(ctx context.Context) error {
	stream, err := f.c.js.Stream(ctx, f.c.names.logStream())
	if err != nil {
		return err
	}

	if err := f.lookBack(ctx, stream); err != nil {
		return err
	}

	// Messages that are gone leave gaps, so that the last number says little.
	_, err = stream.GetMsg(ctx, f.last+1, jetstream.WithGetMsgSubject(f.c.names.log("*")))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		f.caughtUp()
	} else if err != nil {
		return err
	}

	cons, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: f.last + 1, MaxResetAttempts: 1,
	})
	if err != nil {
		return err
	}

	messages, err := cons.Messages()
	if err != nil {
		return err
	}
	defer messages.Stop()

	connected, end := f.untilReconnected(ctx)
	defer end()

	for {
		m, err := messages.Next(jetstream.NextContext(connected))
		if err != nil {
			return cmp.Or(context.Cause(connected), err)
		}

		about, err := m.Metadata()
		if err != nil {
			return err
		}

		unit := m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:]
		if err := f.take(ctx, unit, about.Sequence.Stream, m.Headers(), m.Data()); err != nil {
			return err
		}

		f.last, f.id = about.Sequence.Stream, m.Headers().Get(jetstream.MsgIDHeader)
		f.c.taken.Store(f.last)

		if about.NumPending == 0 {
			f.caughtUp()
		}
	}
}

// lookBack looks whether the server still has what was taken of the logs. One that was killed may
// have lost the latest messages, and give their numbers to others: then all is read again.
func (f *follower) lookBack(ctx context.Context, stream jetstream.Stream) error {
	about, err := stream.Info(ctx)
	if err != nil {
		return err
	}

	back := about.State.LastSeq < f.last

	// That of a unit that has ended may have been purged.
	if !back && f.last > 0 {
		m, err := stream.GetMsg(ctx, f.last)
		if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
			return err
		}

		back = err == nil && m.Header.Get(jetstream.MsgIDHeader) != f.id
	}

	if back {
		f.c.log.Warn("the NATS server has lost the end of the logs, which are read again")
		f.last, f.logs = 0, map[string]*assembler{}
		f.c.taken.Store(0)
	}

	if f.last == 0 {
		f.old = about.State.LastSeq
	}
	return nil
}

// errReconnected means that the server was away: its streams are looked at again.
var errReconnected = errors.New("the connection to the NATS server was lost, and is back")

// untilReconnected returns a context that ends when the server is back that was away.
func (f *follower) untilReconnected(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)

	go func() {
		select {
		case <-f.c.reconnected:
			cancel(errReconnected)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// caughtUp notes that all was taken that was there.
func (f *follower) caughtUp() {
	if f.read != nil {
		close(f.read)
		f.read = nil
	}
}

// take takes a message of the log of a unit, by its number in the stream.
func (f *follower) take(
	ctx context.Context, unit string, n uint64, h nats.Header, data []byte,
) error {
	isNew := n > f.old // it cannot have been taken before
	parts := f.logs[unit]
	if parts == nil {
		parts = &assembler{}
		f.logs[unit] = parts
	}

	counts := isNew || f.read != nil // by this process
	if counts {
		f.c.count(func(n *Counts) {
			n.Messages++
			n.Bytes += int64(len(data))
		})
	}

	e, err := parts.add(h, data)
	if err != nil {
		f.c.log.Warn("an entry of a log is left out", "unit", unit, "because", err)
	}

	if e == nil {
		return nil
	}

	switch {
	case e.kind == added && e.worker == "": // what the run has: a log begins anew with it
		delete(f.torn, unit)
	case e.kind == added:
		if err := f.takeRows(ctx, unit, e, isNew, counts); err != nil {
			return &storeError{err}
		}
	}

	if e.kind == ended {
		delete(f.logs, unit)

		// Its trees may have grown from answers that the run has not: it is done again from those
		// that it has.
		if f.torn[unit] && f.again[unit] < mostAgain {
			forgotten, err := f.c.doAgain(ctx, unit, n)
			if forgotten { // what comes now is of the next attempt
				delete(f.torn, unit)
				f.again[unit]++
			}
			return err
		}
		return f.c.ended(ctx, unit, n, e.body)
	}

	f.c.noteEntry(unit, e, counts)
	return nil
}

// takeRows takes the calls and trees of an entry. isNew is whether it cannot have been taken
// before, counts whether it is counted.
func (f *follower) takeRows(ctx context.Context, unit string, e *entry, isNew, counts bool) error {
	calls := store.CallsIn(e.rows)
	taken := store.Taken{Calls: calls, Refused: calls, Torn: true}

	// A log that is read again where the server has lost its end may end before trees that the run
	// has: nobody would grow these again.
	inTurn := f.c.options.InTurn && (isNew || f.read != nil || f.c.waitedFor(unit) != nil)

	if !f.torn[unit] {
		var err error
		if taken, err = f.c.options.Store.Take(ctx, e.rows, inTurn); err != nil {
			return err
		}

		f.torn[unit] = taken.Torn
	}

	f.c.count(func(n *Counts) {
		if counts {
			n.Taken++
		}

		if isNew {
			n.Refused += taken.Refused
		}
	})

	if u := f.c.waitedFor(unit); isNew && u != nil && u.Asked != nil {
		samples := 0
		for i := range e.rows {
			samples += e.rows[i].Samples()
		}

		u.Asked(calls, samples)
	}

	// What has nothing new is an entry that was taken and counted before. Calls that are left out
	// cost as much as others.
	isCounted := taken.Refused == taken.Calls
	if taken.Torn {
		isCounted = !isNew
	}

	if f.c.options.Used != nil && len(e.usage) > 0 && !isCounted {
		f.c.options.Used(e.usage)
	}
	return nil
}

// noteEntry notes who has a unit, and counts that unless it was counted before.
func (c *Coordinator) noteEntry(unit string, e *entry, counts bool) {
	c.mu.Lock()
	defer c.mu.Unlock()

	u := c.open[unit]

	switch {
	case e.kind == begun:
		c.held[unit] = e.worker

		if counts {
			c.counts.Begun++
		}

		if counts && u != nil && u.worker != "" {
			c.counts.Again++
		}

		if u != nil {
			u.worker, u.begun = e.worker, time.Now()
		}
	case e.kind == left:
		delete(c.held, unit)

		if u != nil { // whoever begins it next goes on for one that was not lost
			u.worker, u.begun = "", time.Time{}
		}
	}
}

// ended hands on the outcome of a unit, whose log ends with the message n of the stream. Of its log
// only that stays, which refuses a worker that comes late.
func (c *Coordinator) ended(ctx context.Context, unit string, n uint64, outcome []byte) error {
	err := c.purge(ctx, c.names.logStream(), jetstream.WithPurgeSubject(c.names.log(unit)),
		jetstream.WithPurgeKeep(1))

	// Without the purge there is only more to read.
	if err != nil && ctx.Err() == nil {
		c.log.Warn("the log of a unit could not be shortened", "unit", unit, "because", err)
	}

	c.mu.Lock()
	defer c.mu.Unlock()

	delete(c.held, unit)

	if u := c.open[unit]; u != nil {
		select {
		case u.outcome <- outcome:
			c.counts.Ended++
		default: // it has one: this is the end of a log that was read again
		}
	} else {
		// Who asks for it from now on must not think that its outcome is still to come.
		c.taken.Store(n)
	}
	return nil
}
