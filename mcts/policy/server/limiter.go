package server

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"
)

// errGone means that the server went down while a request waited for its limiter.
var errGone = errors.New("server: went down")

// limiter bounds the sequences in flight at one server, first come, first served.
//
// A request is let in as soon as fewer sequences than the limit are in flight, with all its n at
// once. So up to n-1 more than the limit may be in flight. They wait in the server's own queue for
// a moment, and no slot stays empty although sequences come in packs; a request for more sequences
// than the limit needs no special case.
type limiter struct {
	mu       sync.Mutex
	limit    int
	slots    int // that the server has; 0 if it has none, or is not known to have any
	auto     Limit
	inFlight int
	queue    list.List // of *waiter
	waiting  int       // sequences in the queue
	pack     int       // the largest n of a request
	tuner    *tuner    // nil when the limit is fixed
	paused   bool      // the server is down: its empty slots do not count as idle

	upTo time.Time     // until when the following are added up; zero before the first request
	idle time.Duration // slot-time that was not used, and
	used time.Duration // slot-time that was
}

type waiter struct {
	n       int
	ready   chan struct{} // closed when it is let in
	element *list.Element // nil when it is not in the queue
}

// work is how a request ended, for the tuner.
type work struct {
	started    time.Time
	output     int // how much was written; see Reply.output
	answered   bool
	overloaded bool
}

func newLimiter(l Limit) *limiter {
	if l.Sequences > 0 {
		return &limiter{limit: l.Sequences}
	}
	return &limiter{limit: l.Start, auto: l, tuner: newTuner(l.Start, l.Max)}
}

// setSlots sets how many slots the server has, 0 for none. Unless the limit is fixed, that becomes
// the limit: beyond it requests would wait in the server, and short of it slots would stay empty.
func (l *limiter) setSlots(slots int) {
	l.mu.Lock()
	defer l.mu.Unlock()

	now := time.Now()
	l.advance(now)
	l.slots = slots

	switch {
	case l.auto.Start == 0: // fixed
	case slots > 0:
		l.limit, l.tuner = slots, nil
	case l.tuner == nil:
		l.tuner = newTuner(l.auto.Start, l.auto.Max)
		l.limit = l.tuner.limit
	}

	l.admit(now)
}

// capacity is how many sequences the server can work on, as far as that is known.
func (l *limiter) capacity() int {
	if l.slots > 0 {
		return min(l.limit, l.slots)
	}
	return l.limit
}

// acquire waits until n sequences may be sent, or returns the context's error, or errGone once gone
// is closed.
func (l *limiter) acquire(ctx context.Context, n int, gone <-chan struct{}) error {
	if err := ctx.Err(); err != nil {
		return err
	}

	l.mu.Lock()

	l.pack = max(l.pack, n)
	// No request overtakes those that wait. It enters whole, even beyond the limit: one for more
	// samples than the limit could never be sent otherwise.
	if l.inFlight < l.limit && l.queue.Len() == 0 {
		l.enter(n, time.Now())
		l.mu.Unlock()
		return nil
	}

	w := &waiter{n: n, ready: make(chan struct{})}
	w.element = l.queue.PushBack(w)
	l.waiting += n
	l.mu.Unlock()

	select {
	case <-w.ready:
		// It may have been let in at the very moment at which everything was to end: what is not
		// sent is not released by who sends it.
		if err := ctx.Err(); err != nil {
			l.release(n, work{})
			return err
		}
		return nil
	case <-ctx.Done():
		l.leave(w)
		return ctx.Err()
	case <-gone:
		l.leave(w)
		return errGone
	}
}

// force takes n sequences without waiting.
func (l *limiter) force(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()

	l.enter(n, time.Now())
}

// leave takes a waiter out, of the queue or, when it was let in at the same moment, of the server.
func (l *limiter) leave(w *waiter) {
	l.mu.Lock()
	if w.element != nil {
		l.queue.Remove(w.element)
		l.waiting -= w.n
		l.mu.Unlock()
		return
	}
	l.mu.Unlock()
	l.release(w.n, work{})
}

// release gives n sequences back and lets in the next request.
func (l *limiter) release(n int, w work) {
	l.mu.Lock()
	defer l.mu.Unlock()

	now := time.Now()
	l.advance(now)

	l.inFlight -= n
	if l.tuner != nil && !l.paused {
		switch {
		case w.answered:
			l.tuner.finished(now, w.started, n, w.output)
		case w.overloaded:
			l.tuner.overloaded(now, w.started, l.inFlight+n)
		}

		l.limit = l.tuner.limit
	}

	l.admit(now)
}

// observe passes the server's gauges on to the tuner, and reports whether the next ones are wanted
// soon, because the limit is still doubling.
func (l *limiter) observe(g Gauges) (soon bool) {
	l.mu.Lock()
	defer l.mu.Unlock()

	if l.tuner == nil || l.paused {
		return false
	}

	now := time.Now()
	l.advance(now)
	l.tuner.observe(now, g)
	l.limit = l.tuner.limit
	l.admit(now)

	return l.tuner.phase == ramping && l.limit < l.tuner.max
}

// pause says that the server is down, or back.
func (l *limiter) pause(paused bool) {
	l.mu.Lock()
	defer l.mu.Unlock()

	now := time.Now()
	l.advance(now)

	l.paused = paused
	if l.tuner != nil {
		l.tuner.restart()
		l.limit = l.tuner.limit
	}
}

func (l *limiter) admit(now time.Time) {
	for l.inFlight < l.limit && l.queue.Len() > 0 {
		w := l.queue.Remove(l.queue.Front()).(*waiter)
		w.element = nil
		l.waiting -= w.n
		l.enter(w.n, now)
		close(w.ready)
	}
}

func (l *limiter) enter(n int, now time.Time) {
	l.advance(now)
	l.upTo = now

	l.inFlight += n
	if l.tuner != nil {
		l.tuner.started(now)
	}
}

// advance adds up the time since the last change.
func (l *limiter) advance(now time.Time) {
	if l.upTo.IsZero() {
		return
	}

	passed := now.Sub(l.upTo)

	l.upTo = now
	if l.paused {
		return
	}

	used := min(l.inFlight, l.capacity())
	l.used += passed * time.Duration(used)

	l.idle += passed * time.Duration(l.capacity()-used)
	if l.tuner != nil {
		l.tuner.passed(passed, l.inFlight)
	}
}

// room is how many more sequences could be sent: up to the limit, and one request that waits for
// the next to end.
func (l *limiter) room() int {
	l.mu.Lock()
	defer l.mu.Unlock()

	if l.paused {
		return 0
	}
	return max(0, l.limit+max(1, l.pack)-l.inFlight-l.waiting)
}

// busy reports whether anything is in flight.
func (l *limiter) busy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inFlight > 0
}

func (l *limiter) load() Load {
	l.mu.Lock()
	defer l.mu.Unlock()

	l.advance(time.Now())
	return Load{Limit: l.limit, Slots: l.slots, InFlight: l.inFlight, Waiting: l.waiting, Busy: l.used, Idle: l.idle}
}
