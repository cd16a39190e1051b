package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"toolevo/envs"
	"toolevo/mcts"
)

// asker asks servers, tries again, waits for servers that are down, and finds out whose fault a
// failure is. A policy and an [Asker] are askers, so that all requests are treated alike.
type asker struct {
	pool   *pool
	retry  Retry
	failed failedRequests
}

// exchange is one request as an asker makes it. All its functions are needed.
type exchange struct {
	by   caller
	key  string // of what is asked; equal requests fail alike
	seed uint64 // of the pauses
	// doubted says that the request is part of one that failed alone: it is sent less often.
	doubted bool

	// admit waits until the request may be sent, or returns errGone when the server goes down.
	// leave ends the stay.
	admit func(context.Context, turn) (leave func(), err error)
	// send sends it. A fault when ctx has ended says nothing.
	send func(context.Context, turn) *Fault
	// known sends what the server answered before, or, where it has answered nothing yet, the
	// simplest request there is.
	known func(context.Context, turn) *Fault
	// concede finds out, after a fault, whether the server takes the request if it asks for less,
	// and has it ask for less from then on.
	concede func(context.Context, turn, *Fault) bool
}

// failures are what is known of one request that failed.
type failures struct {
	sent   int
	weight int           // of its faults that count, see weightOf
	took   time.Duration // the requests that failed, together
	first  time.Time     // when the first of those was sent
}

// The weights of faults: a request is given up after [Retry].Attempts ordinary ones, or after three
// times as many by which a server asks to be sent less.
const (
	throttledWeight = 1
	ordinaryWeight  = 3
)

// doubtedTries is how often a request is sent if it, or what it is part of, is known to fail alone.
const doubtedTries = 2

// longTries bounds the time that failing tries of one request may take together, if the patience is
// shorter: a request that is never answered takes the whole [Options].Timeout each time.
const longTries = time.Minute

// ask makes an exchange until it is answered. The error is the context's, a [*GoneError], a
// [*RequestError], or a [*Fault] that concerns every request or says that the prompt is too long.
func (a *asker) ask(ctx context.Context, x exchange) error {
	for f := (failures{}); ; {
		if err := ctx.Err(); err != nil {
			return err
		}

		t, err := a.pool.choose(ctx, x.by)
		if err != nil {
			return err
		}

		if t.probe && !t.own {
			if err := a.probe(ctx, t, x); err != nil {
				return err
			}

			continue
		}

		answered, err := a.try(ctx, t, x, &f)
		if answered || err != nil {
			return err
		}
	}
}

// probe finds out with the known request whether a server that is down is back.
func (a *asker) probe(ctx context.Context, t turn, x exchange) error {
	fault := x.known(ctx, t)

	switch {
	case fault == nil:
		a.pool.answered(t, true)
	case ctx.Err() != nil:
		a.pool.abandoned(t)
	case fault.Kind == OutOfQuota:
		return a.runOut(t, fault)
	case fault.Kind != Transient && !a.pool.hasTaken(t.server): // it is there, and never took anything
		a.pool.answered(t, false)
	default:
		a.pool.missed(t, fault)
	}

	if fault != nil && a.pool.neverUsable(t.server) {
		return fault.asRefusal(spoiledAlike)
	}
	return nil
}

// try sends a request to a server once, and waits before the next try if it fails.
func (a *asker) try(ctx context.Context, t turn, x exchange, f *failures) (answered bool, err error) {
	// A server that goes down meanwhile is no failure: ask then chooses another one.
	leave, err := x.admit(ctx, t)
	if errors.Is(err, errGone) {
		return false, nil
	} else if err != nil {
		a.pool.abandoned(t)
		return false, err
	}

	if f.sent++; f.sent > 1 {
		t.server.count(func(n *Counts) { n.Retries++ })
	}

	began := time.Now()
	fault := x.send(ctx, t)

	// A fault of a request that was cut off says nothing about the server; an answer is still one.
	if err := ctx.Err(); err != nil && fault != nil {
		leave()
		a.pool.abandoned(t)
		return false, err
	}

	if fault == nil {
		a.pool.answered(t, true)
		a.failed.accept(t.server, x.key)
		leave()
		return true, nil
	}

	f.took += time.Since(began)
	if f.first.IsZero() {
		f.first = began
	}

	// The request stays admitted meanwhile, because weigh may send others in its place. During the
	// wait below it makes room.
	down, err := a.weigh(ctx, t, x, f, fault)

	leave()

	if err != nil || down {
		return false, err
	}

	a.pool.logLongPause(t, fault)
	return false, mcts.Wait(ctx, a.pause(t, x, f, fault))
}

// pause is the wait before the next try. A server that has answered others meanwhile is asked again
// soon, or, where it wants to be sent less, soon enough that one request does not wait for hours.
func (a *asker) pause(t turn, x exchange, f *failures, fault *Fault) time.Duration {
	const soon, throttled = 2, 4 // doublings

	most := soon
	if fault.throttled() {
		most = throttled
	}

	doublings := f.sent - 1
	if a.pool.answeredSince(t.server, f.first) {
		doublings = min(doublings, most)
	}
	return a.retry.pause(doublings, x.seed+uint64(f.sent), fault)
}

// weigh finds out whose fault a fault is. It returns an error if all requests would meet it, or
// this one alone does, and none if the request is to be sent again because the server is down or
// the fault may pass. Before a server is taken for down, and before a request is given up, the
// server is asked what it answered before.
func (a *asker) weigh(ctx context.Context, t turn, x exchange, f *failures, fault *Fault) (down bool, err error) {
	if fault.Kind == TooLong {
		a.pool.answered(t, false)
		return false, fault
	}

	if fault.Kind == OutOfQuota {
		return true, a.runOut(t, fault)
	}

	// Read before the fault is noted, which may set the server aside.
	w := weighing{turn: t, exchange: x, failures: f, fault: fault, taken: a.pool.hasTaken(t.server)}

	down, suspect := a.pool.missed(t, fault)
	if a.pool.neverUsable(t.server) {
		return false, fault.asRefusal(spoiledAlike)
	}

	if f.note(fault, down); down {
		return true, nil
	}

	refused := fault.Kind == Refused && f.sent == 1 // mostly all requests are
	w.last = fault.Kind == BadRequest || a.spent(x, f)
	w.unscored = errors.Is(fault.Err, errUnscored) && t.server.neverScores() && !suspect && !w.last

	// The known request costs the server time: it is sent only if its answer decides something.
	if !suspect && !refused && !w.last && !w.unscored {
		return false, nil
	}
	return a.compare(ctx, w, x.known(ctx, t))
}

// weighing is a fault whose cause is looked for.
type weighing struct {
	turn
	exchange
	*failures
	fault    *Fault
	taken    bool // the server took a request before
	last     bool // the request is given up, if it fails alone
	unscored bool // it is only a reply without log-probabilities, like all before it
}

// compare finds the cause of a fault by that of the known request, nil where it was answered.
func (a *asker) compare(ctx context.Context, w weighing, known *Fault) (down bool, err error) {
	t, fault := w.turn, w.fault

	switch {
	case ctx.Err() != nil:
		a.pool.abandoned(t)
		return false, ctx.Err()
	case (w.last || known != nil) && !known.absent() && w.concede(ctx, t, fault):
		a.pool.answered(t, true)
		// They were caused by what the request no longer asks for.
		*w.failures = failures{}
		return false, nil
	case w.unscored:
		return false, nil
	case known == nil && w.last:
		a.pool.answered(t, true)
		return a.giveUp(ctx, t, w.exchange, w.failures, fault)
	case known == nil:
		a.pool.answered(t, true)
		return false, nil
	// It answers, and never took even the simplest request: to wait for it would be in vain.
	case !w.taken && fault.Kind != Transient && known.Kind != Transient:
		a.pool.answered(t, false)

		if fault.Kind == BadRequest {
			fault = fault.asNothingTaken()
		}
		return false, fault
	}

	// Even the known request fails, so it is the server.
	a.pool.lost(t, fault)
	w.undo(fault)
	return true, nil
}

// runOut notes that the account of a server may not ask any more, and returns the fault if that
// holds for all servers.
func (a *asker) runOut(t turn, fault *Fault) error {
	a.pool.missed(t, fault)
	a.pool.lost(t, fault)

	if a.pool.allOutOfQuota() {
		return fault
	}
	return nil
}

// giveUp returns the error of a request that fails though the server answers others. It concerns
// that request alone, until many in a row fare like it at the server. Those that failed in an
// earlier run do not count, nor do those during which it answered others. Where another server may
// take what this one refuses, this one is set aside like one that fails.
func (a *asker) giveUp(ctx context.Context, t turn, x exchange, f *failures, fault *Fault) (down bool, err error) {
	different := a.failed.add(t.server, x.key, !mcts.IsAgain(ctx), f.first)
	if different >= manyFailures {
		if fault.Kind != Transient && !a.pool.hasOther(t.server) {
			return false, fault.asRefusal(fmt.Sprintf(
				"%d different requests in a row failed, though a simpler one is answered, the last", different))
		}

		every := *fault
		every.Err = errors.Join(errFailsAll, fault.Err)
		a.pool.lost(t, &every)
		return true, nil
	}
	return false, &RequestError{Tries: f.sent, Fault: fault}
}

// note counts a fault. A server that is down, and was not there to work on the request, says
// nothing about it.
func (f *failures) note(fault *Fault, down bool) {
	if !down || !fault.absent() {
		f.weight += weightOf(fault)
	}
}

// undo takes back the last fault noted, if it says nothing about the request, now that the server
// is known to be down.
func (f *failures) undo(fault *Fault) {
	if fault.absent() {
		f.weight -= weightOf(fault)
	}
}

func weightOf(fault *Fault) int {
	if fault.throttled() {
		return throttledWeight
	}
	return ordinaryWeight
}

// spent reports whether a request has failed so often, or for so long, that it is given up if the
// server answers others.
func (a *asker) spent(x exchange, f *failures) bool {
	tries := a.retry.Attempts
	if x.doubted || a.failed.gaveUp(x.key) {
		tries = min(tries, doubtedTries)
	}
	return f.weight >= tries*ordinaryWeight || f.sent > 1 && f.took >= max(a.retry.Patience, longTries)
}

// Asker asks one server for something other than completions, and finds out whose fault a failure
// is with the same care. It is safe for concurrent use.
type Asker struct{ asker }

// NewAsker returns the asker of the server at an address. Zero values of retry mean the defaults.
// The log, which may be nil, notes when the server stops answering, and when it is back.
func NewAsker(address string, retry Retry, log *slog.Logger) *Asker {
	retry = retry.withDefaults()
	p := &pool{retry: retry, log: orDiscard(log), changed: make(chan struct{})}
	p.servers = []*server{newServer(address, nil, Limit{Sequences: 1})}
	return &Asker{asker{pool: p, retry: retry}}
}

// Query is a request that an [Asker] makes.
type Query struct {
	Key     string // of what is asked; equal requests fail alike
	Doubted bool   // it is part of a request that failed alone
	// Send sends it, and Known what the server answered before, or the simplest request there is.
	// An error is a [*Fault], or the context's.
	Send, Known func(context.Context) error
}

// Ask makes a query until it is answered. The error is the context's, a [*GoneError], a
// [*RequestError], a [*Fault] that concerns every request or says that the text is too long, or an
// error that is not a [*Fault].
func (a *Asker) Ask(ctx context.Context, q Query) error {
	var other error // not a fault
	through := func(send func(context.Context) error) func(context.Context, turn) *Fault {
		return func(ctx context.Context, _ turn) *Fault {
			err := send(ctx)

			fault := FaultOf(err)
			if fault == nil {
				other = err
			}
			return fault
		}
	}

	err := a.ask(ctx, exchange{
		key: q.Key, seed: envs.Hash(q.Key), doubted: q.Doubted,
		admit:   func(context.Context, turn) (func(), error) { return func() {}, nil },
		send:    through(q.Send),
		known:   through(q.Known),
		concede: func(context.Context, turn, *Fault) bool { return false },
	})

	return errors.Join(err, other)
}
