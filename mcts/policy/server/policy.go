package server

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"toolevo/envs"
	"toolevo/mcts"
)

// Policy is a model on one or several servers. It implements mcts.Policy and is safe for concurrent use.
type Policy struct {
	options Options
	pool    *pool
	calls   counters    // what no single server can be asked about
	whole   atomic.Bool // a server has given several samples, as many as it was asked for
	bad     badRequests
	tickets atomic.Uint64 // of conversations

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

var errNoPrompt = errors.New("nothing writes its prompt: set Render or Messages")

// Propose implements mcts.Policy. The samples of a request are those of the seeds r.Seed to r.Seed+N-1, whatever
// faults there were, however many requests it took, and whichever server answered. Greedy decoding yields one proposal,
// and so does any request at temperature 0, where all samples are the same. A prompt that does not fit the context
// window is one proposal with mcts.FinishTooLong, but for the first of a question: what was never asked is a failure.
//
// An error names envs.StagePolicy and wraps the *Fault that made further tries useless, or is the context's.
func (p *Policy) Propose(ctx context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	return p.propose(ctx, r, caller{question: r.Node.Question})
}

// propose is Propose for a request of a conversation, or of none.
func (p *Policy) propose(ctx context.Context, r mcts.Request, by caller) ([]mcts.Proposal, error) {
	if p.options.Render == nil && p.options.Messages == nil {
		return nil, envs.Fail(envs.StagePolicy, "complete at "+r.Node.String(), errNoPrompt)
	}

	c := p.completion(r)

	choices, err := p.sample(ctx, by, c)
	if isTooLong(err) && r.History.Len() > 0 {
		return []mcts.Proposal{{Finish: mcts.FinishTooLong}}, nil
	}

	if isTooLong(err) {
		err = p.refuseFirst(c, err)
	}

	if err != nil {
		return nil, envs.Fail(envs.StagePolicy, "complete at "+r.Node.String(), err)
	}

	proposals := make([]mcts.Proposal, len(choices))
	for i, c := range choices {
		proposals[i] = proposal(c, p.options.Lead)
	}

	return proposals, nil
}

// Complete draws c.N samples of a prompt that is no history's, with the guarantees of Propose. Completions of one key
// go to one server as long as it answers. The error wraps the *Fault that made further tries useless, or is the
// context's.
func (p *Policy) Complete(ctx context.Context, key string, c Completion) ([]Choice, error) {
	return p.sample(ctx, caller{question: key}, c)
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

// emptyTries is how often a sample without text is asked for again before the silence is taken for the
// model's own, if the server has not lost its voice.
const emptyTries = 6

// sample draws c.N samples, and those without text again by their seeds. A model that ends its text at once does so
// again at the price of a token; a server that lost the text has it the next time, and nothing grows otherwise than
// without that fault.
func (p *Policy) sample(ctx context.Context, by caller, c Completion) ([]Choice, error) {
	choices, err := p.complete(ctx, by, c)
	for c.try = 1; err == nil && c.try <= emptyTries; c.try++ {
		if !slices.ContainsFunc(choices, Choice.blank) {
			return choices, nil
		}

		err = p.fillIn(ctx, by, c, choices)
	}

	if err != nil {
		return nil, err
	}

	for _, choice := range choices {
		if choice.blank() {
			p.calls.count(func(n *Counts) { n.Silent++ })
		}
	}

	return choices, nil
}

// fillIn draws every sample without text again, those beside each other in one request.
func (p *Policy) fillIn(ctx context.Context, by caller, c Completion, choices []Choice) error {
	for first := 0; first < len(choices); first++ {
		end := first
		for end < len(choices) && choices[end].blank() {
			end++
		}

		if end == first {
			continue
		}

		part := c
		part.N, part.Seed = end-first, c.Seed+uint64(first)

		drawn, err := p.complete(ctx, by, part)
		if err != nil {
			return err
		}

		copy(choices[first:end], drawn)
		first = end
	}

	return nil
}

// complete draws c.N samples in one request, unless the servers want one for each. A server that
// gives fewer does not say which: they are left, and each sample is asked for by itself, so that
// they are the same as from a server that gives all.
func (p *Policy) complete(ctx context.Context, by caller, c Completion) ([]Choice, error) {
	if c.N == 1 || p.options.Single || p.ignoresN() {
		return p.each(ctx, by, c)
	}

	reply, err := p.deliver(ctx, by, c)
	if errors.Is(err, errOneByOne) {
		return p.each(ctx, by, c)
	}

	if err != nil {
		return nil, err
	}

	if len(reply.Choices) == c.N {
		p.whole.Store(true)
		return reply.Choices, nil
	}

	p.calls.count(func(n *Counts) { n.Short++ })

	return p.each(ctx, by, c)
}

// ignoresN reports whether the servers are of those that give one sample whatever they are asked for.
func (p *Policy) ignoresN() bool {
	n, _ := p.calls.counts()
	return !p.whole.Load() && n.Short >= neverWhole
}

// neverWhole is after how many replies with too few samples, and none with all, nobody is asked for several any more.
const neverWhole = 8

// each draws c.N samples in a request each, at the same time; of a server with slots as many at a
// time as it has free seats.
func (p *Policy) each(ctx context.Context, by caller, c Completion) ([]Choice, error) {
	choices := make([]Choice, c.N)

	group, ctx := errgroup.WithContext(ctx)
	for i := range choices {
		group.Go(func() error {
			one := c
			one.N, one.Seed = 1, c.Seed+uint64(i)

			reply, err := p.deliver(ctx, by, one)
			if err == nil {
				choices[i] = reply.Choices[0]
			}

			return err
		})
	}

	return choices, group.Wait()
}

// proposal turns a sample into what the search knows.
func proposal(c Choice, lead string) mcts.Proposal {
	mean, ok := c.mean()

	text := c.Text
	if !c.blank() && !strings.HasPrefix(strings.TrimSpace(text), lead) {
		text = lead + text
	}

	p := mcts.Proposal{Text: text, LogProb: mean, Scored: ok, Tokens: c.Tokens}
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

// The times between two readings of a server's gauges: while its limit doubles, so that a server of hundreds
// of slots has work within a second or two, and later.
const (
	rampEvery = 250 * time.Millisecond
	pollEvery = time.Second
)

// poll reads a server's gauges until ctx ends. A reading may not last longer than pollEvery.
func (s *server) poll(ctx context.Context, observer Observer) {
	for {
		reading, cancel := context.WithTimeout(ctx, pollEvery)
		begun := time.Now()
		g, ok := observer.Gauges(reading)

		cancel()

		next := pollEvery

		if ok {
			s.gauges.Store(&g)

			if s.limiter.observe(g) {
				next = rampEvery
			}
		} else {
			s.gauges.Store(nil)
		}

		if wait(ctx, time.Until(begun.Add(next))) != nil {
			return
		}
	}
}
