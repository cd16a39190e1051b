package server

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"toolevo/mcts"
)

// errUnscored is the cause of a reply without the log-probabilities that were asked for.
var errUnscored = errors.New("server.logprobs=false does without them")

// neverScores reports whether a server seems to give no log-probabilities.
func (s *server) neverScores() bool {
	return s.bare.Load() >= neverScored/2 && !s.scored.Load()
}

// mayBeParameter reports whether a fault may be about a parameter that can be changed or left out.
func (f *Fault) mayBeParameter() bool {
	return f.Kind == BadRequest || errors.Is(f.Err, errUnscored) ||
		f.Kind == Transient && f.Status >= 500 && !f.absent()
}

// concessions are the requests in a row that asked for less than others, though the server had
// taken as much before.
type concessions struct {
	mu    sync.Mutex
	inRow int
	n     int      // samples of the last of them
	all   []string // their dialects
}

// manyConcessions is how many in a row show that the server now takes less of all requests.
const manyConcessions = 8

// add counts a request for n samples, and reports whether there are many in a row now.
func (c *concessions) add(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()

	c.n = n
	c.inRow++
	return c.inRow >= manyConcessions
}

// taken notes that the server gave n samples to a request that was sent like all others.
func (c *concessions) taken(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()

	if n >= c.n {
		c.inRow = 0
	}
}

// isNew notes the dialect of a request, and reports whether it is the first one in it.
func (c *concessions) isNew(d string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()

	if slices.Contains(c.all, d) {
		return false
	}

	c.all = append(c.all, d)
	return true
}

// String says how some requests were sent, or "" if all were sent alike.
func (c *concessions) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()

	if len(c.all) == 0 {
		return ""
	}
	return "of some requests " + strings.Join(c.all, ", or ")
}

// concede finds out in which dialect a server takes a completion that it refused in the dialect
// used, and reports whether one exists. All requests to the server have it from then on, unless the
// server took as much of others and does not say that this has changed: then it is returned as own,
// a dialect of this completion alone. The dialect used may be such a one, too.
func (p *Policy) concede(ctx context.Context, t turn, c Completion, used, own *Dialect, fault *Fault) (
	*Dialect, bool) {
	// Sending less helps only if the request itself is what the server does not take.
	s := t.server
	if p.options.AllTaken || !fault.mayBeParameter() {
		s.gaveUpOn(fault)
		return own, false
	}

	select {
	case s.conceding <- struct{}{}: // one request finds it for all
		defer func() { <-s.conceding }()
	case <-ctx.Done():
		return own, false
	}

	// Another request has found it meanwhile, or before this one, which had been admitted already,
	// was sent with too many samples.
	d := s.dialect.Load()
	if own == nil && (d != used || d.MostSamples > 0 && c.N > d.MostSamples) {
		return nil, true
	}

	e := exploration{policy: p, turn: t, asked: c, used: *used}

	needed, found := e.find(ctx, fault)
	if ctx.Err() != nil || !found {
		if ctx.Err() == nil {
			s.gaveUpOn(fault)
		}
		return own, false
	}

	if needed == 0 {
		return own, true // it was no parameter, and has passed
	}

	less := used.with(needed, c)

	// One refusal may come from one of several servers behind a gateway. Only many in a row, or one
	// that isOfAll can explain, change what all others are sent.
	what := "server takes less than is sent"
	if e.isOfAll(needed) || s.concessions.add(c.N) {
		s.dialect.Store(&less)
		own = nil
	} else {
		what = "server takes less of some requests"
		own = &less
	}

	log := p.options.Log.Info
	if less.Omits("seed") && !used.Omits("seed") {
		log = p.options.Log.Warn // another run with the same seed finds something else
	}

	if own == nil || s.concessions.isNew(less.String()) {
		log(what, "server", s.address, "instead", less.String(), "because", fault)
	}
	return own, true
}

// gaveUpOn notes that no dialect helps against a fault.
func (s *server) gaveUpOn(f *Fault) {
	if errors.Is(f.Err, errUnscored) {
		s.lacking.Store(true)
	}
}

// noteGiven notes how many samples a server gave in one request that was sent like all others.
func (s *server) noteGiven(samples int) {
	s.concessions.taken(samples)

	for {
		most := s.most.Load()
		if int64(samples) <= most || s.most.CompareAndSwap(most, int64(samples)) {
			return
		}
	}
}

// exploration is the search for the dialect in which a server takes a completion. A refusal says
// where to begin; whether something helps, only the server's answer does.
type exploration struct {
	policy *Policy
	turn   turn
	asked  Completion
	used   Dialect
	blamed rows // that a refusal named, and that helped
}

// find returns rows of the table with which the completion is answered, none if it is answered as
// it was. A server may name one parameter after the other.
func (e *exploration) find(ctx context.Context, fault *Fault) (needed rows, found bool) {
	for {
		more, next := e.named(ctx, needed, fault)
		e.blamed |= more &^ needed

		if more == needed {
			if more |= e.unnamed(fault); more == needed {
				return 0, false
			}

			if next = e.refused(ctx, more); next == nil && e.passes(ctx, needed) {
				more = needed
			}
		}

		switch {
		case next == nil:
			return e.least(ctx, more), true
		case next.absent() || ctx.Err() != nil:
			return 0, false
		}

		needed, fault = more, next
	}
}

// unnamed returns the rows that a fault without a reason may be about: what the server has never
// taken, and the number of samples, for which it may have no room now even if it took as many
// before.
func (e *exploration) unnamed(fault *Fault) rows {
	return e.used.changing(e.asked, func(l lesser) bool {
		return e.isNew(l) || l.samples && fault.Kind == BadRequest
	})
}

// named adds a row that the fault names and that helps, or leads to another fault, which is
// returned with it. If no row does, it returns the rows and the fault as they were.
func (e *exploration) named(ctx context.Context, needed rows, fault *Fault) (rows, *Fault) {
	d := e.used.with(needed, e.asked)
	left := d.changing(e.asked, func(l lesser) bool { return fault.names(l.names...) }) &^ needed

	for row := range left.each {
		next := e.refused(ctx, needed|row)
		if next == nil || next.Error() != fault.Error() {
			return needed | row, next
		}
	}

	return needed, fault
}

// isNew reports whether a server has never answered a request that has what a row takes away, so
// that it may refuse it without giving a reason.
func (e *exploration) isNew(l lesser) bool {
	most := int(e.turn.server.most.Load())
	if l.samples {
		return e.asked.N > most
	}
	return most == 0 && !l.named
}

// isOfAll reports whether a server takes less of all requests, and not of this one alone: it never
// took more, or says so and the samples of all others stay what they are.
func (e *exploration) isOfAll(needed rows) bool {
	differing := e.used.changing(e.asked, func(l lesser) bool { return l.differs })
	never := e.used.changing(e.asked, e.isNew)
	return e.turn.server.most.Load() == 0 || needed&^(e.blamed&^differing|never) == 0
}

// least drops each row that is not needed, because doing without costs something.
func (e *exploration) least(ctx context.Context, needed rows) rows {
	for row := range needed.each {
		if e.refused(ctx, needed&^row) == nil {
			needed &^= row
		}
	}

	return needed
}

// passes reports whether the completion is answered with no more than these rows, sooner or later:
// some servers refuse requests at random.
func (e *exploration) passes(ctx context.Context, some rows) bool {
	for range surelyRefused {
		if e.refused(ctx, some) == nil {
			return true
		}
	}

	return false
}

// surelyRefused is how often a server has to fail at a request that it does not call bad.
const surelyRefused = 4

// refused sends the completion in a dialect, and returns the fault of the answer.
func (e *exploration) refused(ctx context.Context, some rows) (fault *Fault) {
	d, c := e.used.with(some, e.asked), e.asked
	if d.MostSamples > 0 && d.MostSamples < c.N {
		c.N = 1
	}

	c.Sampling.MaxTokens = min(c.Sampling.MaxTokens, knownTokens)
	c.try = control

	for try := range surelyRefused {
		if try > 0 && mcts.Wait(ctx, e.policy.retry.Base) != nil {
			break
		}

		// An interruption lets nothing more be sent, though what was sent before it is answered.
		if err := ctx.Err(); err != nil {
			return &Fault{Kind: Transient, Address: e.turn.server.address, Err: err}
		}

		e.turn.server.limiter.force(c.N)

		_, fault = e.policy.attemptIn(ctx, e.turn, c, &d)
		if fault == nil || fault.Status/100 != 5 {
			break
		}
	}

	return fault
}
