package cluster

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"toolevo/mcts"
	"toolevo/mcts/store"
)

// queue queues a unit, unless it is in the queue. It tries until ctx ends.
func (c *Coordinator) queue(ctx context.Context, u *Unit) error {
	l := c.logOf(u.ID)

	for {
		err := c.queueOnce(ctx, l, u, true)
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}

		if final := (*storeError)(nil); errors.As(err, &final) {
			return final.err
		}

		c.log.Warn("a unit could not be queued", "unit", u.ID, "because", err)

		if err := mcts.Wait(ctx, retryEvery); err != nil {
			return err
		}
	}
}

func (c *Coordinator) logOf(unit string) *unitLog {
	return &unitLog{
		js: c.js, stream: c.names.logStream(), subject: c.names.log(unit), most: mostData(c.conn),
	}
}

// mostData is how many bytes of an entry go into a message.
func mostData(conn *nats.Conn) int { return int(min(conn.MaxPayload(), mostMessage)) / 2 }

// queueOnce queues a unit with what the run has of it. isNew is whether nobody has waited for it
// yet: then the run may have gone on without workers since its log was written.
func (c *Coordinator) queueOnce(ctx context.Context, l *unitLog, u *Unit, isNew bool) error {
	last, end, err := l.end(ctx)
	if err != nil {
		return err
	}

	if end == ended {
		if last > c.taken.Load() {
			return nil // its outcome is on the way here
		}

		// It was ended for another process, and the run lacks some of it.
		if last, err = 0, c.forget(ctx, u.ID, l); err != nil {
			return err
		}
	}

	var rows []store.Row
	if u.Earlier != nil && (last == 0 || isNew) {
		if rows, err = u.Earlier(ctx); err != nil {
			return &storeError{err}
		}
	}

	// Read after that, the log has all calls that the run took from it. A worker that has the unit
	// would ask for the others again, and loses it.
	if last > 0 && len(rows) > 0 {
		lacks, err := l.lacks(ctx, rows)
		if err == nil && lacks {
			last, err = 0, c.forget(ctx, u.ID, l)
		}

		if err != nil {
			return err
		}
	}

	if last == 0 && len(rows) > 0 {
		if err := l.append(ctx, entry{kind: added, rows: rows}); err != nil {
			return err
		}
	}

	m := nats.NewMsg(c.names.queue(u.ID))
	m.Data = u.Work
	m.Header.Set(headerExtent, c.options.Extent)

	_, err = c.js.PublishMsg(ctx, m)

	var api *jetstream.APIError
	if errors.As(err, &api) && api.ErrorCode == errorStoreFailed && strings.Contains(api.Description, "per subject") {
		return nil // it is in the queue
	}
	return err
}

// headerExtent has the extent of the run for which a unit was queued.
const headerExtent = "Toolevo-Extent"

// forget removes a unit from the queue, and its log.
func (c *Coordinator) forget(ctx context.Context, unit string, l *unitLog) error {
	err := c.purge(ctx, c.names.queueStream(), jetstream.WithPurgeSubject(c.names.queue(unit)))
	if err == nil {
		err = c.purge(ctx, l.stream, jetstream.WithPurgeSubject(l.subject))
	}

	if err == nil {
		l.last = 0

		c.mu.Lock()
		defer c.mu.Unlock()

		delete(c.held, unit)
	}
	return err
}

// purge removes messages of a stream.
func (c *Coordinator) purge(
	ctx context.Context, stream string, which ...jetstream.StreamPurgeOpt,
) error {
	s, err := c.js.Stream(ctx, stream)
	if err == nil {
		err = s.Purge(ctx, which...)
	}
	return err
}

// dropOld removes what was queued for another extent of the run, and the logs of that. The run has
// taken them, and may have no such units any more: read again, they would undo what is done since.
func (c *Coordinator) dropOld(ctx context.Context) error {
	stream, err := c.js.Stream(ctx, c.names.queueStream())
	if err != nil {
		return err
	}

	next, err := stream.GetMsg(ctx, 1, jetstream.WithGetMsgSubject(c.names.queue("*")))

	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return nil
	case err != nil:
		return err
	case next.Header.Get(headerExtent) == c.options.Extent:
		return nil
	}
	// The logs first: a coordinator that is killed in between leaves the queue to the next one.
	if err = c.purge(ctx, c.names.logStream()); err == nil {
		err = stream.Purge(ctx)
	}

	c.mu.Lock()
	defer c.mu.Unlock()

	clear(c.held)
	return err
}

// errorStoreFailed is what a server answers that does not take a message into a stream.
const errorStoreFailed = 10077

// repair makes what a server has lost: its streams, and the units in them.
func (c *Coordinator) repair(ctx context.Context) error {
	if err := c.makeStreams(ctx); err != nil {
		return err
	}

	c.mu.Lock()
	units := slices.Collect(maps.Values(c.open))
	c.mu.Unlock()

	for _, u := range units {
		if err := c.queueOnce(ctx, c.logOf(u.ID), &u.Unit, false); err != nil {
			c.log.Warn("a unit could not be queued again", "unit", u.ID, "because", err)
			return err
		}
	}
	return nil
}

// doAgain has a unit, whose log ends with the message n of the stream, done from what the run has
// of it, if somebody waits for it. forgotten is whether its log is empty now.
func (c *Coordinator) doAgain(ctx context.Context, unit string, n uint64) (
	forgotten bool, err error) {
	c.mu.Lock()

	u := c.open[unit]
	if u == nil { // who asks for it from now on must not wait for this end
		c.taken.Store(n)
		delete(c.held, unit)
	}
	c.mu.Unlock()

	if u == nil {
		return false, nil
	}

	l := c.logOf(unit)
	if err := c.forget(ctx, unit, l); err != nil {
		return false, err
	}
	return true, c.queueOnce(ctx, l, &u.Unit, false)
}

// waitedFor returns a unit that somebody waits for, or nil.
func (c *Coordinator) waitedFor(unit string) *openUnit {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[unit]
}
