package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"toolevo/mcts"
)

// deliver gets one reply to a completion, trying as often and waiting as long as Retry allows. The
// error is that of [asker.ask].
func (p *Policy) deliver(ctx context.Context, by caller, c Completion) (reply Reply, err error) {
	var used, own *Dialect // the last one, and the one that is of this completion alone, if any
	var passed bool        // as it was, when it was cut to a few tokens

	dialect := func(s *server) *Dialect { return cmp.Or(own, s.dialect.Load()) }

	err = p.ask(ctx, exchange{
		by: by, key: c.key(), seed: c.Seed,
		admit: func(ctx context.Context, t turn) (leave func(), err error) {
			// No fault: whoever asked splits the request.
			if most := dialect(t.server).MostSamples; most > 0 && c.N > most {
				return nil, errOneByOne
			}
			return p.admit(ctx, by, t, c.N)
		},
		send: func(ctx context.Context, t turn) (fault *Fault) {
			if c.begin != nil {
				c.Seed, c.begin = c.begin(), nil
			}

			used = dialect(t.server)
			if reply, fault = p.attemptIn(ctx, t, c, used); fault != nil {
				return fault
			}

			// What was asked for with less says nothing about what the server takes of others.
			if own == nil {
				t.server.noteGiven(len(reply.Choices))
			}

			if by.conversation != nil {
				t.server.seats.noteReading(reply.Reading)
			}

			if !t.home {
				p.calls.count(func(n *Counts) { n.Failovers++ })
			}
			return nil
		},
		known: func(ctx context.Context, t turn) *Fault { return p.askKnown(ctx, t, c) },
		concede: func(ctx context.Context, t turn, fault *Fault) (found bool) {
			own, found = p.concede(ctx, t, c, used, own, fault)

			// Nothing has to change for it, but whole it may be refused all the same: where
			// prompt and answer together are too long, in words that nobody knows.
			if found && dialect(t.server) == used {
				found, passed = !passed, true
			}
			return found
		},
	})

	return reply, err
}

// key identifies what is asked: completions of one prompt fail alike, whatever their seeds.
func (c Completion) key() string { return fmt.Sprint(c.Prompt, c.Messages, c.Tools) }

// knownTokens is how much of what a server wrote before it has to write again.
const knownTokens = 16

// askKnown asks a server for the beginning of what it wrote before.
func (p *Policy) askKnown(ctx context.Context, t turn, c Completion) *Fault {
	known := t.server.silence.question(c)
	known.Session = c.Session // the server behind a router that this request goes to
	known.Sampling.MaxTokens = min(known.Sampling.MaxTokens, knownTokens)

	t.server.limiter.force(1)
	_, fault := p.attempt(ctx, t, known)
	return fault
}

// errOneByOne means that a server has slots, each of which draws one sample at a time, or that it
// takes fewer samples in a request.
var errOneByOne = errors.New("server: one sample a request")

// admit waits until a request for n samples may go to a server. A conversation waits for its seat
// first, if the server has any; a probe waits for nothing, since what it would wait for may be
// hanging. leave is called when the request is over.
func (p *Policy) admit(ctx context.Context, by caller, t turn, n int) (leave func(), err error) {
	leave = func() {}
	seats := &t.server.seats

	// Only now, because whether a server has slots may not be known before it is asked.
	if by.conversation != nil {
		if err := t.server.learnSlots(ctx, p.options.Slots); err != nil {
			return nil, err
		}

		if seats.exist() && n > 1 {
			return nil, errOneByOne
		}
	}

	if t.probe {
		t.server.limiter.force(n)
		return leave, nil
	}

	if by.conversation != nil && seats.exist() {
		if leave, err = by.conversation.sit(ctx, t); err != nil {
			return nil, err
		}
	}

	if err := t.server.limiter.acquire(ctx, n, t.gone); err != nil {
		// Otherwise the seat would stay taken by a request that was never sent.
		leave()
		return nil, err
	}

	return leave, nil
}

// attempt sends one request to one server, in the server's dialect.
func (p *Policy) attempt(ctx context.Context, t turn, c Completion) (Reply, *Fault) {
	reply, fault := p.attemptIn(ctx, t, c, t.server.dialect.Load())
	if fault == nil {
		t.server.noteGiven(len(reply.Choices))
	}
	return reply, fault
}

// attemptIn sends one request to one server, in a dialect. An interruption waits for the answer; a
// fault of a request that was given up is not the server's.
func (p *Policy) attemptIn(ctx context.Context, t turn, c Completion, d *Dialect) (Reply, *Fault) {
	s := t.server
	c.Dialect = *d

	// Two contexts, to tell a request that was given up from one that took too long: only the
	// latter is a fault of the server's.
	request, end := mcts.InFlight(ctx)
	defer end()

	attempt, cancel := context.WithTimeout(request, p.options.Timeout)
	started := time.Now()

	s.count(func(n *Counts) { n.Requests++ })
	reply, err := s.backend.Complete(attempt, c)

	// It is paid for, whatever it is worth, and noted before it can be used: work that has spent
	// enough begins nothing more. What replaces a lost text has no counts to note.
	if err == nil && !reply.unread() {
		p.options.Account.Add(reply.PromptTokens, reply.CachedTokens, reply.CompletionTokens)
	}

	fault := p.judge(attempt, s, &reply, c, err)
	if fault == nil {
		fault = s.checkModel(attempt, reply)
	}

	if fault == nil {
		fault = p.checkSilence(attempt, t, c, reply)
	}

	cancel()

	switch {
	case fault == nil:
		s.countReply(&reply)
		reply.Reading = min(reply.Reading, time.Since(started))
		s.limiter.release(c.N, work{started: started, output: reply.output(), answered: true})
	// It was cut off, so how long it took says nothing about the limit.
	case request.Err() != nil:
		s.count(func(n *Counts) { n.Cancelled++ })
		s.limiter.release(c.N, work{})
	default:
		s.countFault(fault)
		s.limiter.release(c.N, work{started: started, overloaded: fault.overloaded()})
	}

	return reply, fault
}

// neverScored is after how many replies without log-probabilities, and none with them, a server
// counts as one that never gives any.
const neverScored = 8

// neverEnded is the same for replies that do not say that their completions ended.
const neverEnded = neverScored

// judge finds the fault in what came back. Samples beyond those asked for are dropped.
func (p *Policy) judge(attempt context.Context, s *server, r *Reply, c Completion, err error) *Fault {
	fault := &Fault{Kind: Transient, Address: s.backend.Address(), Status: 200}

	switch named := FaultOf(err); {
	case errors.Is(err, ErrNoEnd) && named != nil:
		// One reply may be cut off. Where none ever ends, the server has another word for it.
		if s.unended.Add(1) >= neverEnded && !s.hasAnswered() {
			fault.Kind, fault.Err = Refused, named.Err
			fault.Message = `no completion counts: set server.ends to the server's own word for an end, or to [""] if it has none`
			return fault
		}

		return named
	case named != nil:
		return named
	case err != nil && attempt.Err() != nil:
		fault.Status, fault.Err = 0, fmt.Errorf("no answer within %v: %w", p.options.Timeout, attempt.Err())
		return fault
	case err != nil:
		fault.Status, fault.Err = 0, err
		return fault
	case len(r.Choices) == 0:
		fault.Message = "a reply without a completion"
		return fault
	}

	r.Choices = r.Choices[:min(c.N, len(r.Choices))]
	// The count of a reply is that of all its samples together.
	if c.N == 1 && r.Choices[0].Tokens == 0 {
		r.Choices[0].Tokens = r.CompletionTokens
	}

	// A single completion without them may be chance, and is asked for again. It is the server only
	// after many, once nothing that it could be sent instead has helped.
	if p.options.LogProbs && !c.Dialect.Omits("logprobs") {
		for _, c := range r.Choices {
			switch _, ok := c.mean(); {
			case ok:
				s.scored.Store(true)
			case c.blank():
			case s.bare.Add(1) >= neverScored && s.lacking.Load() && !s.scored.Load() && !p.options.Unneeded:
				fault.Kind = Refused
				fault.Message = "no completion has log-probabilities: set server.logprobs to false to do without them"
				return fault
			default:
				fault.Message, fault.Err = "a completion without log-probabilities", errUnscored
				return fault
			}
		}
	}

	// Not tried again, unlike the above: a server that knows the parameter always sends them.
	withoutIDs := func(c Choice) bool {
		return !c.blank() && (len(c.IDs) == 0 || len(c.PromptIDs) == 0)
	}
	if p.options.TokenIDs && slices.ContainsFunc(r.Choices, withoutIDs) {
		fault.Kind = Refused
		fault.Message = "a completion without token ids, which vLLM reports: " +
			"set server.token_ids to false to do without them"
		return fault
	}
	return nil
}

// pause is the wait before another attempt after a fault, once the wait has doubled a number of
// times. It is never shorter than what the server asked for, which is bounded where that is read.
func (r Retry) pause(doublings int, seed uint64, f *Fault) time.Duration {
	return max(jitter(backoff(r, doublings), seed), f.RetryAfter)
}

// backoff is Base doubled a number of times, at most Max.
func backoff(r Retry, doublings int) time.Duration {
	wait := r.Base
	for range doublings {
		if wait >= r.Max/2 {
			return r.Max
		}

		wait *= 2
	}
	return wait
}

// jitter takes up to a half off a wait, so that requests that failed together do not come back
// together. It is a function of the seed: each request has its own.
func jitter(d time.Duration, seed uint64) time.Duration {
	return d - time.Duration(float64(d)/2*float64(mix(seed)>>11)/(1<<53))
}

// mix is the finaliser of splitmix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
