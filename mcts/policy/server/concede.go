package server

import (
	"context"
	"errors"
)

// errUnscored is the cause of a reply without the log-probabilities that were asked for.
var errUnscored = errors.New("as all replies before it")

// mayBeParameter reports whether a fault may be about a parameter that can be sent otherwise.
func (f *Fault) mayBeParameter() bool {
	return f.Kind == BadRequest || errors.Is(f.Err, errUnscored) ||
		f.Kind == Transient && f.Status >= 500 && !f.absent()
}

// concede finds out in which dialect a server takes a completion that it refused in the dialect
// used. It reports whether there is one, which all requests to the server have from then on.
func (p *Policy) concede(
	ctx context.Context, t turn, c Completion, used *Dialect, fault *Fault,
) bool {
	s := t.server
	if !fault.mayBeParameter() {
		return false
	}

	select {
	case s.conceding <- struct{}{}: // one request finds it for all
		defer func() { <-s.conceding }()
	case <-ctx.Done():
		return false
	}

	// Another request has found it meanwhile, or before this one, which had been admitted already, was
	// sent with too many samples.
	if d := s.dialect.Load(); d != used || d.MostSamples > 0 && c.N > d.MostSamples {
		return true
	}

	e := exploration{policy: p, turn: t, asked: c, used: *used}

	needed, found := e.find(ctx, fault)
	if ctx.Err() != nil || !found {
		return false
	}

	if needed == 0 {
		return true // it was no parameter, and has passed
	}

	d := used.with(needed, c)
	s.dialect.Store(&d)

	tell := p.options.Log.Info
	if d.Omits("seed") && !used.Omits("seed") {
		tell = p.options.Log.Warn // another run with the same seed finds something else
	}

	tell("server takes less than is sent",
		"server", s.address, "instead", d.String(), "because", fault)

	return true
}

// gave notes that a server gave so many samples in one request.
func (s *server) gave(samples int) {
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
}

// find returns rows of the table with which the completion is answered, none when it is answered as
// it was. A server may name one parameter after the other; one that names none gets nothing that it
// has not taken before.
func (e *exploration) find(ctx context.Context, fault *Fault) (needed rows, found bool) {
	for {
		more, next := e.named(ctx, needed, fault)
		if more == needed {
			more |= e.used.changing(e.asked, e.isSuspect)
			if more == needed {
				return 0, false
			}

			next = e.refused(ctx, more)
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

// named adds a row that a fault names and that helps, or after which there is another fault, which
// is returned, too. It returns the rows and the fault as they were where there is none.
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

// isSuspect reports whether a server that gives no reason may refuse a row: it has never answered a
// request with it.
func (e *exploration) isSuspect(l lesser) bool {
	most := int(e.turn.server.most.Load())
	if l.samples {
		return e.asked.N > most
	}

	return most == 0 && !l.named
}

// least leaves out each row that is not needed: it costs something to do without.
func (e *exploration) least(ctx context.Context, needed rows) rows {
	for row := range needed.each {
		if e.refused(ctx, needed&^row) == nil {
			needed &^= row
		}
	}

	return needed
}

// surelyRefused is how often a server has to fail at a request that it does not call a bad one.
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
		if try > 0 && wait(ctx, e.policy.retry.Base) != nil {
			break
		}

		e.turn.server.limiter.force(c.N)

		_, fault = e.policy.attemptIn(ctx, e.turn, c, &d)
		if fault == nil || fault.Status/100 != 5 {
			break
		}
	}

	return fault
}
