package server

import (
	"context"
	"math"
	"sync"
	"time"

	"toolevo/envs"
	"toolevo/mcts"
)

// Policy is a model on one or several servers. It implements mcts.Policy and is safe for concurrent use.
type Policy struct {
	options Options
	pool    *pool
	calls   counters // what no single server can be asked about

	stop    context.CancelFunc
	pollers sync.WaitGroup
}

// New returns the policy. Close it when it is no longer used.
func New(o Options) (*Policy, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &Policy{options: o, pool: newPool(o), stop: stop}
	for _, s := range p.pool.servers {
		if observer, ok := s.backend.(Observer); ok {
			p.pollers.Go(func() { s.poll(ctx, observer) })
		}
	}
	return p, nil
}

// Close ends the reading of the servers' gauges. Requests in flight are not touched.
func (p *Policy) Close() error {
	p.stop()
	p.pollers.Wait()
	return nil
}

// Propose implements mcts.Policy. The samples of a request are those of the seeds r.Seed to r.Seed+N-1, whatever
// faults there were, however many requests it took, and whichever server answered. Greedy decoding yields one proposal,
// and so does any request at temperature 0, where all samples are the same. A prompt that does not fit the context
// window is one proposal with mcts.FinishTooLong.
//
// An error names envs.StagePolicy and wraps the *Fault that made further tries useless, or is the context's.
func (p *Policy) Propose(ctx context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	choices, err := p.complete(ctx, r.Node.Question, p.completion(r))
	if isTooLong(err) {
		return []mcts.Proposal{{Finish: mcts.FinishTooLong}}, nil
	}
	if err != nil {
		return nil, envs.Fail(envs.StagePolicy, "complete at "+r.Node.String(), err)
	}
	proposals := make([]mcts.Proposal, len(choices))
	for i, c := range choices {
		proposals[i] = proposal(c)
	}
	return proposals, nil
}

// completion is what is asked of a server.
func (p *Policy) completion(r mcts.Request) Completion {
	c := Completion{N: r.N, Seed: r.Seed, Sampling: p.options.Sampling}
	if r.Greedy {
		c.Sampling = c.Sampling.Greedy()
	}
	if c.Sampling.Temperature == 0 {
		c.N = 1
	}
	if p.options.Render != nil {
		c.Prompt = p.options.Render(r.History)
	} else {
		c.Messages = p.options.Messages(r.History)
	}
	return c
}

// complete draws c.N samples. A server that gives fewer than it was asked for is asked for the rest, by the seeds that
// are missing, so that the samples are the same as from one that gives all.
func (p *Policy) complete(ctx context.Context, question string, c Completion) ([]Choice, error) {
	choices := make([]Choice, 0, c.N)
	for {
		reply, err := p.deliver(ctx, question, c)
		if err != nil {
			return nil, err
		}
		choices = append(choices, reply.Choices...)
		if got := len(reply.Choices); got < c.N {
			c.N -= got
			c.Seed += uint64(got)
			p.calls.short.Add(1)
			continue
		}
		return choices, nil
	}
}

// proposal turns a sample into what the search knows.
func proposal(c Choice) mcts.Proposal {
	mean, ok := c.mean()
	p := mcts.Proposal{Text: c.Text, LogProb: mean, Scored: ok, Tokens: c.Tokens}
	if c.Finish == FinishLength {
		p.Finish = mcts.FinishLength
	}
	return p
}

// mean is the mean log-probability of the tokens, at most 0. ok is false when there are none, or when one of them is
// no number: such a mean says nothing, and it could not be stored.
func (c Choice) mean() (mean float64, ok bool) {
	if len(c.LogProbs) == 0 {
		return 0, false
	}
	sum := 0.0
	for _, l := range c.LogProbs {
		sum += l
	}
	mean = sum / float64(len(c.LogProbs))
	if math.IsNaN(mean) || math.IsInf(mean, 0) {
		return 0, false
	}
	return min(mean, 0), true
}

// pollEvery is how often a server's gauges are read.
const pollEvery = time.Second

// poll reads a server's gauges until ctx ends. One reading may not outlast the next.
func (s *server) poll(ctx context.Context, observer Observer) {
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		reading, cancel := context.WithTimeout(ctx, pollEvery)
		g, ok := observer.Gauges(reading)
		cancel()
		if ok {
			s.gauges.Store(&g)
			s.limiter.observe(g)
		} else {
			s.gauges.Store(nil)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
