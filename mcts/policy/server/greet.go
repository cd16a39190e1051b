package server

import (
	"context"
	"errors"
	"sync"

	"toolevo/mcts"
	"toolevo/mcts/policy/chat"
)

// greetTries is how often a server that fails is greeted: often enough to recognise one whose
// replies never say that they ended, or never have log-probabilities.
const greetTries = max(neverEnded, neverScored)

// greetSeed is as long as any that is sent, and leaves room for those of further samples.
const greetSeed = 1<<31 - 1<<10

// greetTools is the shortest list of tools: a server may take none at all.
const greetTools = `[{"type": "function", "function": {"name": "hello", "description": "Says hello.", ` +
	`"parameters": {"type": "object", "properties": {}}}}]`

// Greet asks every server for the simplest completion there is, and returns the faults of those
// that no run can use: they do not take the request, answer for another model, or never say that a
// completion ended. A server that fails otherwise, or is slow, is left to the requests of the run.
//
// It asks as the run does: with its parameters, for as many samples as one request draws, with a
// long seed. What a server does not take of that is found out, and left out of the run's requests.
func (p *Policy) Greet(ctx context.Context, samples int) error {
	p.samples.Store(int64(samples))

	greeting, all := p.greeting(), p.pool.present()
	errs := make([]error, len(all))

	var greeted sync.WaitGroup
	for i, s := range all {
		greeted.Go(func() {
			if fault := p.greetOne(ctx, s, greeting); fault != nil {
				errs[i] = fault
			}
		})
	}

	greeted.Wait()
	return errors.Join(errs...)
}

// greeting is what servers are greeted with.
func (p *Policy) greeting() Completion {
	greeting := Greeting(p.options.Messages != nil, p.options.Sampling)
	greeting.Seed, greeting.unneeded = greetSeed, p.options.Unneeded

	if p.options.Tools != nil {
		greeting.Tools = greetTools
	}

	if greeting.Sampling.Temperature > 0 && !p.options.Single {
		greeting.N = max(int(p.samples.Load()), 1)
	}
	return greeting
}

// greetOne greets a server of which nobody knows yet whether it has slots.
func (p *Policy) greetOne(ctx context.Context, s *server, greeting Completion) *Fault {
	// Like any server that fails here otherwise, it is left to the requests of the run.
	if s.learnSlots(ctx, p.options.Slots) != nil {
		return nil
	}

	if s.seats.exist() {
		greeting.N = 1
	}
	return p.greet(ctx, s, greeting)
}

// Dialects returns those in which the servers are asked, in the order in which they joined, as
// found so far. Those that left keep their places.
func (p *Policy) Dialects() []Dialect {
	servers := p.pool.ever()
	all := make([]Dialect, len(servers))
	for i, s := range servers {
		all[i] = *s.dialect.Load()
	}
	return all
}

// greet greets one server, again after a while when something passing goes wrong.
func (p *Policy) greet(ctx context.Context, s *server, greeting Completion) *Fault {
	var last *Fault

	alike := 0 // replies that were spoiled like the one before

	for try := range greetTries {
		if try > 0 {
			if mcts.Wait(ctx, p.options.Retry.Base) != nil {
				return nil
			}

			s.count(func(n *Counts) { n.Retries++ })
		}

		// Without waiting in line: the run's own requests begin only after the greetings.
		s.limiter.force(greeting.N)

		before, used := last, s.dialect.Load()

		_, last = p.attempt(ctx, turn{server: s}, greeting)
		if last != nil && last.Status/100 == 2 && (before == nil || before.Error() == last.Error()) {
			alike++
		}

		switch {
		case last == nil:
			p.pool.answered(turn{server: s}, true)
			return nil
		case ctx.Err() != nil:
			return nil
		case last.Final():
			return last
		case last.Kind == Transient && try == 0: // it may pass
			continue
		}

		_, found := p.concede(ctx, turn{server: s}, greeting, used, nil, last)

		// Nothing that the run can do without has helped. If log-probabilities are to blame, the
		// error says so: the user can switch them off, the run cannot.
		switch {
		case found:
			p.pool.answered(turn{server: s}, true)
			return nil
		case ctx.Err() != nil:
			return nil
		case p.wantsNoFigures(ctx, s, greeting, used, last):
			return last.asRefusal("no request for log-probabilities is taken: " +
				"set server.logprobs to false to do without them")
		case last.Kind == BadRequest:
			return last.asNothingTaken()
		}
	}

	// Whatever else failed may pass, and is left to the run. Another model does not, nor do replies
	// that were spoiled in the same way every time.
	if IsOtherModel(last) {
		return last
	}

	if alike == greetTries {
		return last.asRefusal(spoiledAlike)
	}
	return nil
}

// wantsNoFigures reports whether a server answers a greeting that it refused if it is not asked for
// log-probabilities.
func (p *Policy) wantsNoFigures(
	ctx context.Context, s *server, greeting Completion, used *Dialect, fault *Fault,
) bool {
	refused := fault.Kind == BadRequest || fault.Status/100 == 5 && fault.names(figureNames...)
	if !p.options.LogProbs || p.options.Unneeded || p.options.AllTaken || !refused {
		return false
	}

	greeting.unneeded = true
	e := exploration{policy: p, turn: turn{server: s}, asked: greeting, used: *used}
	_, found := e.find(ctx, fault)
	return found
}

// Greeting returns the simplest request there is, as a chat or as a prompt, to see whether a server
// takes any.
func Greeting(inChat bool, s Sampling) Completion {
	const hello = "Hello"
	if inChat {
		return Completion{Messages: []chat.Message{{Role: chat.UserRole, Content: hello}}, N: 1, Sampling: s}
	}
	return Completion{Prompt: hello, N: 1, Sampling: s}
}
