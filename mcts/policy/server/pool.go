package server

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"toolevo/envs"
)

// pool knows the servers and which of them answer.
//
// A server is under suspicion after downAfter faults in a row (or Attempts, if that is less), of
// any requests, not counting those by which it turns requests away while it works on others; for a
// server that answers for another model one fault is enough. Then it is asked what it answered
// before (see asker.weigh), and it is down if it fails at that, too. One that gives no text, or
// fails at all other requests, is down at once. While it is down no request waits in its queue, and
// one probe at a time is sent to it, at growing intervals: what it answered before, or, if it still
// answers that, the next request. An answer brings it back.
//
// Each question has an order of the servers (rendezvous hashing), so that its trees stay with the
// first of them that is up, and a server that goes or comes moves only its own questions.
type pool struct {
	retry Retry
	log   *slog.Logger

	mu      sync.Mutex    // guards what follows and the health of every server
	servers []*server     // that ever joined; a longer list replaces this one
	changed chan struct{} // closed and replaced whenever some request that waits should look again
}

// server is one backend and what is known of it.
type server struct {
	backend Backend // nil of an [Asker]'s
	address string
	hash    uint64 // of its address
	limiter *limiter
	gauges  atomic.Pointer[Gauges] // the last reading, or nil
	scored  atomic.Bool            // it has given log-probabilities where they were needed
	bare    atomic.Int64           // replies that lacked them
	lacking atomic.Bool            // no reply has them, in whatever dialect it is asked for
	unended atomic.Int64           // replies that did not say that their completions ended
	names   sync.Map               // under which it may answer
	silence silence
	seats   seats
	unwatch context.CancelFunc // ends the reading of its gauges
	counters

	dialect     atomic.Pointer[Dialect] // in which it is asked
	most        atomic.Int64            // samples that it gave in one request; 0 is no reply yet
	conceding   chan struct{}           // holds one value while another dialect is looked for
	concessions concessions

	health
}

// health is guarded by pool.mu.
type health struct {
	misses  int           // transient faults in a row
	since   time.Time     // of the first of them
	last    *Fault        // the latest of them
	down    bool          // there were too many
	gone    chan struct{} // closed when the server goes down, replaced when it is back
	probing bool          // a request is on its way to find out
	probes  int           // how many found nothing
	next    time.Time     // when the next one is due
	left    bool          // it is off the list of servers
	warned  bool          // it has been said that the server is gone
	paused  bool          // it has been said that the server wants a pause

	taken     bool      // it has answered some request
	spoiled   int       // replies in a row that were spoiled alike, before it has
	answered  time.Time // when it did so last
	examining bool      // it is asked what it answered before
	own       bool      // it is down though it answers that: only other requests show whether it is back
}

// turn is a request's leave to go to a server.
type turn struct {
	server *server
	gone   <-chan struct{} // closed when the server goes down meanwhile
	probe  bool            // the server is down, and the turn is for finding out whether it is back
	own    bool            // with the request itself
	home   bool            // the server is the question's first choice
}

func newPool(o Options) *pool {
	p := &pool{retry: o.Retry, log: o.Log, changed: make(chan struct{})}
	for _, b := range o.Backends {
		s := newServer(b.Address(), b, o.Limit)
		s.dialect.Store(&Dialect{LeaveOut: o.LeaveOut})
		p.servers = append(p.servers, s)
	}

	return p
}

func newServer(address string, b Backend, l Limit) *server {
	return &server{
		backend: b,
		address: address,
		hash:    envs.Hash(address),
		limiter: newLimiter(l),
		seats:   seats{asking: make(chan struct{}, 1)},
		unwatch: func() {},
		health:  health{gone: make(chan struct{})},

		conceding: make(chan struct{}, 1),
	}
}

// order returns the servers in the question's order of preference. The caller holds mu.
func (p *pool) order(question string) []*server {
	all := p.presentNow()
	if len(all) == 1 {
		return all
	}

	key := envs.Hash(question)
	return slices.SortedStableFunc(slices.Values(all), func(a, b *server) int {
		return cmp.Compare(mix(b.hash^key), mix(a.hash^key))
	})
}

// prefer puts a server first in an order.
func prefer(s *server, order []*server) []*server {
	if s == nil || order[0] == s {
		return order
	}

	others := slices.DeleteFunc(slices.Clone(order), func(other *server) bool { return other == s })
	return slices.Insert(others, 0, s)
}

// choose returns the server that a caller's request goes to: the one where its conversation has a
// seat, else the first of the question's that is up. While all are down it waits for one to come
// back, or for its turn to find out whether one has. Once all have been gone for longer than
// Patience it only does the latter, and every other request gets a *GoneError.
func (p *pool) choose(ctx context.Context, by caller) (turn, error) {
	for {
		at := by.server() // takes a lock of its own

		p.mu.Lock()
		order := p.order(by.question) // servers may have joined or left since the last look
		home := order[0]
		if at != nil && !at.left {
			order = prefer(at, order)
		}
		now := time.Now()

		for _, s := range order {
			if !s.down {
				t := turn{server: s, gone: s.gone, home: s == home}
				p.mu.Unlock()
				return t, nil
			}

			// Before a server further down is used: else it would not be noticed that the
			// question's own is back.
			if !s.probing && !now.Before(s.next) {
				s.probing = true
				t := turn{server: s, probe: true, own: s.own, home: s == home}
				p.mu.Unlock()
				return t, nil
			}
		}

		next, err := p.nextCheck(order, now)
		// Taken under the same lock as the look above, so that no change in between is missed.
		changed := p.changed
		p.mu.Unlock()

		if err != nil {
			return turn{}, err
		}

		if err := p.await(ctx, changed, next.Sub(now)); err != nil {
			return turn{}, err
		}
	}
}

// nextCheck returns when a waiting request must look again, or an error if it should not wait at
// all. All servers are down.
func (p *pool) nextCheck(order []*server, now time.Time) (next time.Time, err error) {
	latest := order[0]
	for _, s := range order {
		if s.since.After(latest.since) {
			latest = s
		}

		if !s.probing && (next.IsZero() || s.next.Before(next)) {
			next = s.next
		}
	}

	end := latest.since.Add(max(p.retry.Patience, 0))
	if !now.Before(end) {
		return next, &GoneError{
			Servers:  len(order),
			Since:    latest.since,
			Patience: max(p.retry.Patience, 0),
			Last:     latest.last,
		}
	}

	if next.IsZero() || end.Before(next) {
		next = end
	}
	return next, nil
}

// await waits for a change, for a time to pass, or for the context.
func (p *pool) await(ctx context.Context, changed <-chan struct{}, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()

	select {
	case <-changed:
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}

	return nil
}

// answered notes that a server is there. taken says that it took the request.
func (p *pool) answered(t turn, taken bool) {
	p.mu.Lock()
	defer p.mu.Unlock()

	s := t.server

	s.misses, s.probes, s.paused, s.examining = 0, 0, false, false
	s.answered = time.Now()
	s.taken = s.taken || taken

	if t.probe {
		s.probing = false
	}

	if !s.down || s.left {
		return
	}

	p.rise(s)

	if s.warned {
		s.warned = false
		p.log.Info("server is back", "server", s.address, "away", time.Since(s.since).Round(time.Second))
	}
}

// hasTaken reports whether a server has answered a request.
func (p *pool) hasTaken(s *server) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return s.taken
}

// neverUsable reports whether a server has never answered, and has spoiled so many replies alike
// that it will not.
func (p *pool) neverUsable(s *server) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !s.taken && s.spoiled >= alikeSpoiled
}

// allOutOfQuota reports whether all servers are down because their accounts may not ask any more.
func (p *pool) allOutOfQuota() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !slices.ContainsFunc(p.presentNow(),
		func(s *server) bool { return !s.down || s.last.Kind != OutOfQuota })
}

// hasOther reports whether another server is there to be asked.
func (p *pool) hasOther(s *server) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.presentNow(),
		func(other *server) bool { return other != s && !other.down })
}

// answeredSince reports whether a server has answered since a moment.
func (p *pool) answeredSince(s *server, moment time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !s.answered.Before(moment)
}

// missed notes a fault. It reports whether the server is down, and otherwise whether it is under
// suspicion, so that it has to be asked what it answered before.
func (p *pool) missed(t turn, f *Fault) (down, suspect bool) {
	p.mu.Lock()
	defer p.mu.Unlock()

	s := t.server
	if !t.probe && f.throttled() && s.limiter.busy() {
		return s.down, false // it has enough to do, and does it
	}

	// Nobody will ask it again, so there is nothing to find out about it.
	if s.left {
		s.probing = s.probing && !t.probe
		return true, false
	}

	now := time.Now()
	if s.misses++; s.misses == 1 {
		s.since = now
	}

	// Only replies that are spoiled alike add up: a server that fails in different ways may
	// recover.
	if s.last == nil || f.Status/100 != 2 || s.last.Error() != f.Error() {
		s.spoiled = 0
	}

	// A reply without log-probabilities does not count while another dialect may bring them.
	if !errors.Is(f.Err, errUnscored) || s.lacking.Load() {
		s.spoiled++
	}

	s.last = f
	if t.probe {
		s.probing = false
	}

	switch {
	case t.probe && s.down:
		s.probes++
		s.next = now.Add(p.retry.pause(s.probes, s.hash+uint64(s.probes), f))
		p.broadcast()
		p.warn(s)
	case s.down:
	case errors.Is(f.Err, errNoText), f.setsAside() && !s.taken: // there is nothing else to ask it
		p.goDown(s, f)
	// One request asks what it answered before, on behalf of all.
	case !s.examining && (f.setsAside() || s.misses >= min(downAfter, p.retry.Attempts)):
		s.examining = true
		return false, true
	}

	return s.down, false
}

// lost notes that a server is down: after a fault it failed at what it answered before, too.
func (p *pool) lost(t turn, f *Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()

	s := t.server
	if s.examining = false; s.down {
		return
	}

	if s.misses == 0 {
		s.misses, s.since = 1, time.Now()
	}

	s.last = f
	p.goDown(s, f)
}

// goDown marks a server as down. The caller holds mu.
func (p *pool) goDown(s *server, f *Fault) {
	s.down, s.own = true, f.answersKnown()
	s.next = time.Now().Add(p.retry.pause(s.probes, s.hash+uint64(s.probes), f))
	close(s.gone)
	s.limiter.pause(true)
	s.seats.close()
	p.broadcast()
}

// warn logs that a server is gone: once, and not before a probe has confirmed it.
func (p *pool) warn(s *server) {
	if s.warned {
		return
	}

	s.warned = true
	doing := "waiting for it"

	for _, other := range p.presentNow() {
		if !other.down {
			doing = "using the others"
		}
	}

	what := "server is not answering, "
	if s.last.setsAside() {
		what = "server is set aside, "
	}

	p.log.Warn(what+doing, "server", s.address,
		"since", s.since.Format(time.TimeOnly), "because", s.last, "patience", p.retry.Patience)
}

// alikeSpoiled is after how many replies that are spoiled alike a server is refused if it has given
// no others.
const alikeSpoiled = 8

// longPause is the shortest pause that is logged.
const longPause = 10 * time.Second

// logLongPause logs that a server asks for a long pause, once until it answers again.
func (p *pool) logLongPause(t turn, f *Fault) {
	if f.RetryAfter < longPause {
		return
	}

	p.mu.Lock()
	defer p.mu.Unlock()

	if s := t.server; !s.paused {
		s.paused = true
		p.log.Warn("server wants a pause", "server", s.address, "for", f.RetryAfter, "because", f)
	}
}

// abandoned notes that a request ended without showing anything about the server.
func (p *pool) abandoned(t turn) {
	p.mu.Lock()
	defer p.mu.Unlock()

	if t.server.examining = false; !t.probe {
		return
	}

	t.server.probing = false

	p.broadcast()
}

func (p *pool) broadcast() {
	close(p.changed)
	p.changed = make(chan struct{})
}
