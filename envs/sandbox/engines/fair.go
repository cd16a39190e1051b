package engines

import (
	"context"
	"slices"
	"sync"
	"time"

	"toolevo/envs/sandbox"
)

// handicap is by how many times the time of its recent programs a session's next one is put behind
// others. An endless program is ended after some 10 s: then programs that come within the next
// minutes run before the session's next one.
const handicap = 30

// session is a sender of programs.
type session struct {
	cost time.Duration // of its programs: half of the last one, a quarter of that before, and so on
}

type sessionKey struct{}

// WithSession returns a context for the programs of a new session, e.g. of one client of a server,
// which sends one program after the other. Without it, every program counts as the first of its own
// session.
func WithSession(ctx context.Context) context.Context {
	return context.WithValue(ctx, sessionKey{}, &session{})
}

// fair is an engine that runs a number of programs at once. If there are more, those of sessions
// whose programs take long wait for the others: endless programs of one session cost another no
// more than the one place they have.
type fair struct {
	sandbox.Engine

	mu      sync.Mutex
	free    int // places
	waiting []*waiter
}

// waiter is a program that waits for a place.
type waiter struct {
	session *session
	since   time.Time
	turn    chan struct{} // closed when it has a place
}

// Run implements [sandbox.Engine].
func (f *fair) Run(ctx context.Context, p sandbox.Program, l sandbox.Limits) (sandbox.Reply, error) {
	s, ok := ctx.Value(sessionKey{}).(*session)
	if !ok {
		s = &session{}
	}

	if err := f.enter(ctx, s); err != nil {
		return sandbox.Reply{}, err
	}

	began := time.Now()
	defer func() { f.leave(s, time.Since(began)) }()
	return f.Engine.Run(ctx, p, l)
}

// enter waits for a place.
func (f *fair) enter(ctx context.Context, s *session) error {
	f.mu.Lock()

	// While programs wait no place is free, so this one overtakes nobody.
	if f.free > 0 {
		f.free--
		f.mu.Unlock()
		return nil
	}

	w := &waiter{session: s, since: time.Now(), turn: make(chan struct{})}
	f.waiting = append(f.waiting, w)
	f.mu.Unlock()

	select {
	case <-w.turn:
		return nil
	case <-ctx.Done():
	}

	f.mu.Lock()
	defer f.mu.Unlock()

	if at := slices.Index(f.waiting, w); at >= 0 {
		f.waiting = slices.Delete(f.waiting, at, at+1)
	} else {
		// It was given a place just before ctx ended, which goes to another.
		f.next()
	}

	return ctx.Err()
}

// leave gives back the place of a program, and notes how long it took.
func (f *fair) leave(s *session, took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()

	s.cost = (s.cost + took) / 2
	f.next()
}

// next gives a place to the first waiter, in the order in which they came, put back by what their
// sessions cost.
func (f *fair) next() {
	if len(f.waiting) == 0 {
		f.free++
		return
	}

	first := 0

	for i, w := range f.waiting {
		if w.rank().Before(f.waiting[first].rank()) {
			first = i
		}
	}

	close(f.waiting[first].turn)
	f.waiting = slices.Delete(f.waiting, first, first+1)
}

func (w *waiter) rank() time.Time { return w.since.Add(handicap * w.session.cost) }
