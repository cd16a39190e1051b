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
	"toolevo/envs/action"
	"toolevo/mcts"
)

// Policy is a model on one or several servers. It implements mcts.Policy and is safe for concurrent
// use.
type Policy struct {
	asker
	options Options
	calls   counters      // what concerns no single server
	several atomic.Bool   // a server has given several samples, as many as it was asked for
	tickets atomic.Uint64 // of conversations

	samples atomic.Int64 // as many as a greeting asks for

	ctx     context.Context // until Close
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

	p := &Policy{asker: asker{pool: newPool(o), retry: o.Retry}, options: o, ctx: ctx, stop: stop}
	for _, s := range p.pool.present() {
		p.watchGauges(s)
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

// Propose implements mcts.Policy. The samples of a request are those of the seeds r.Seed to
// r.Seed+N-1, whatever faults there were, however many requests it took, and whichever server
// answered. Greedy decoding yields one proposal, and so does any request at temperature 0, where
// all samples are the same. A prompt that does not fit the context window is one proposal with
// mcts.FinishTooLong, except the first of a question: what was never asked is a failure.
//
// An error names envs.StagePolicy and wraps the *Fault that made further tries useless, or is the
// context's. The first samples may come with it.
func (p *Policy) Propose(ctx context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	return p.propose(ctx, r, caller{question: r.Node.Question})
}

// propose is Propose for a request of a conversation, or of none.
func (p *Policy) propose(ctx context.Context, r mcts.Request, by caller) ([]mcts.Proposal, error) {
	if p.options.Render == nil && p.options.Messages == nil {
		return nil, envs.Fail(envs.StagePolicy, "complete at "+r.Node.String(), errNoPrompt)
	}

	begun := p.failed.begin()
	defer p.failed.end(begun)

	c := p.completion(r)

	choices, err := p.sample(ctx, by, c)
	// A path that has outgrown the window is a dead end of the search. A first prompt that does not
	// fit says that the question cannot be asked at all.
	if isTooLong(err) && r.History.Len() > 0 {
		return []mcts.Proposal{{Finish: mcts.FinishTooLong}}, nil
	}

	if isTooLong(err) {
		err = p.refuseFirst(ctx, "the first prompt of the question", c.key(), begun, err)
	}

	// Those that were drawn before an error are paid for.
	proposals, unfit := p.proposals(r.History, choices)
	if unfit != nil {
		err = unfit
	}
	return proposals, envs.Fail(envs.StagePolicy, "complete at "+r.Node.String(), err)
}

// proposals turns samples into proposals.
func (p *Policy) proposals(h envs.History, choices []Choice) (
	proposals []mcts.Proposal, err error) {
	proposals = make([]mcts.Proposal, len(choices))
	for i, c := range choices {
		// Token ids belong to the text as it was written, before calls are read out of it.
		sent := c
		if p.options.ReadCalls != nil {
			c = p.readCalls(h, c)
		}

		if proposals[i], err = p.proposal(c); err != nil {
			return nil, err
		}

		if p.options.TokenIDs {
			p.keepIDs(h, &proposals[i], sent)
		}
	}
	return proposals, nil
}

// Complete draws c.N samples of a prompt that does not come from a history, with the guarantees of
// Propose, and without their reasoning. Completions of one key go to one server as long as it
// answers, and share a session. The error wraps the *Fault that made further tries useless, or is
// the context's.
func (p *Policy) Complete(ctx context.Context, key string, c Completion) ([]Choice, error) {
	c.Session = sessionOf(key, 0)

	begun := p.failed.begin()
	defer p.failed.end(begun)

	choices, err := p.sample(ctx, caller{question: key}, c)
	for i := range choices {
		_, choices[i].Text = action.Part(choices[i].whole())
		choices[i].Reasoning = ""
	}

	if isTooLong(err) {
		err = p.refuseFirst(ctx, "the request", c.key(), begun, err)
	}
	return choices, err
}

// completion is what is asked of a server.
func (p *Policy) completion(r mcts.Request) Completion {
	c := Completion{
		N: r.N, Seed: r.Seed, Sampling: p.options.Sampling, unneeded: p.options.Unneeded,
		Session: sessionOf(r.Node.Question, r.Node.Tree), Pieces: p.options.ReadCalls != nil || p.options.TokenIDs,
	}
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
		if p.options.Tools != nil {
			c.Tools = p.options.Tools(r.History)
		}
	}

	return c
}

// emptyTries is how often a sample without text is asked for again before the silence counts as the
// model's own, unless the server gives no text at all any more.
const emptyTries = 6

// sample draws c.N samples, and those without text again by their seeds. A model that ends its text
// at once does so again at the price of a token; a server that lost the text has it the next time,
// and the tree grows as it would have without that fault. With an error come the first samples, up
// to one that is to be asked for again.
func (p *Policy) sample(ctx context.Context, by caller, c Completion) ([]Choice, error) {
	choices, err := p.complete(ctx, by, c)
	for c.try = 1; err == nil && c.try <= emptyTries; c.try++ {
		if !slices.ContainsFunc(choices, Choice.lost) {
			break
		}

		err = p.fillIn(ctx, by, c, choices, Choice.lost)
	}

	if err == nil {
		err = p.pastReasoning(ctx, by, c, choices)
	}

	// An interruption lets nothing be asked for again, so that the others are final.
	if err != nil {
		again := func(c Choice) bool { return c.lost() || c.onlyReasoning() }
		if i := slices.IndexFunc(choices, again); i >= 0 {
			choices = choices[:i]
		}
		return choices, err
	}

	for _, choice := range choices {
		if choice.blank() {
			p.calls.count(func(n *Counts) { n.Silent++ })
		}
	}

	return choices, nil
}

// pastReasoning draws every sample again that ended within or right behind its reasoning, by its
// seed and without the stop texts that are about its content: a draft of an observation does not
// end reasoning, nor does the beginning of an action in it. The content is then ended here, where
// they would have ended it.
func (p *Policy) pastReasoning(ctx context.Context, by caller, c Completion, choices []Choice) error {
	asIs := len(c.Sampling.Stop) == len(p.options.Closing)
	if asIs || !slices.ContainsFunc(choices, Choice.onlyReasoning) {
		return nil
	}

	stops := c.Sampling.Stop
	c.Sampling.Stop, c.try, c.Pieces = p.options.Closing, 0, true

	drawn := slices.Clone(choices)
	if err := p.fillIn(ctx, by, c, drawn, Choice.onlyReasoning); err != nil {
		return err
	}

	for i := range choices {
		if choices[i].onlyReasoning() {
			choices[i] = drawn[i].endAt(stops)
			p.calls.count(func(n *Counts) { n.PastReasoning++ })
		}
	}

	return nil
}

// onlyReasoning reports whether a whole sample is nothing but its reasoning, or its tags.
func (c Choice) onlyReasoning() bool {
	whole := c.whole()
	_, content := action.Part(whole)
	return c.Finish == FinishStop && content != whole && strings.TrimSpace(content) == ""
}

// endAt returns the sample up to the first stop text in its content. What was sampled of it is cut
// where the texts of its tokens have the stop text; without those it is not known.
func (c Choice) endAt(stops []string) Choice {
	whole := c.whole()

	behind := behindStop(whole, stops)
	if behind == 0 {
		return c
	}

	c.Finish, c.Ended = FinishStop, true
	c.Text, c.Reasoning = whole[:len(whole)-behind], ""

	kept := 0
	sampled := strings.Join(c.Pieces, "")
	if behind := behindStop(action.Join("", sampled), stops); behind > 0 {
		kept = tokensOf(c.Pieces, len(sampled)-behind)
	}

	c.Pieces, c.LogProbs = c.Pieces[:kept], c.LogProbs[:min(kept, len(c.LogProbs))]
	return c
}

// behindStop returns how many bytes of a text there are from the first stop text in its content on.
func behindStop(text string, stops []string) int {
	_, content := action.Part(text)

	end := len(content)
	for _, stop := range stops {
		if at := strings.Index(content[:end], stop); at >= 0 {
			end = at
		}
	}
	return len(content) - end
}

// fillIn draws every wanted sample again, neighbours in one request.
func (p *Policy) fillIn(
	ctx context.Context, by caller, c Completion, choices []Choice, wanted func(Choice) bool,
) error {
	for first := 0; first < len(choices); first++ {
		end := first
		for end < len(choices) && wanted(choices[end]) {
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
		p.several.Store(true)
		return reply.Choices, nil
	}

	p.calls.count(func(n *Counts) { n.Short++ })
	return p.each(ctx, by, c)
}

// ignoresN reports whether the servers give one sample, however many they are asked for.
func (p *Policy) ignoresN() bool {
	n, _ := p.calls.counts()
	return !p.several.Load() && n.Short >= neverSeveral
}

// neverSeveral is after how many replies with too few samples, and none with all, no server is
// asked for several any more.
const neverSeveral = 8

// each draws c.N samples in a request each, at the same time; from a server with slots as many at a
// time as it has free seats. With an error come the first samples, as far as they were answered.
func (p *Policy) each(ctx context.Context, by caller, c Completion) ([]Choice, error) {
	choices, answered := make([]Choice, c.N), make([]bool, c.N)
	var begun atomic.Uint64

	group, ctx := errgroup.WithContext(ctx)
	for i := range choices {
		group.Go(func() error {
			single, sample := c, 0
			single.N, single.Seed = 1, c.Seed+uint64(i) // of its pauses
			// In the order in which they are sent: an interruption lets those finish, and the first
			// samples can be kept without the others.
			single.begin = func() uint64 {
				sample = int(begun.Add(1)) - 1
				return c.Seed + uint64(sample)
			}

			reply, err := p.deliver(ctx, by, single)
			if err == nil {
				choices[sample], answered[sample] = reply.Choices[0], true
			}
			return err
		})
	}

	err := group.Wait()
	if err != nil {
		choices = choices[:slices.Index(answered, false)]
	}
	return choices, err
}

// proposal turns a sample into a proposal.
func (p *Policy) proposal(c Choice) (mcts.Proposal, error) {
	mean, ok := c.mean()

	text, err := p.written(c)
	if err != nil {
		return mcts.Proposal{}, err
	}

	proposed := mcts.Proposal{Text: text, LogProb: mean, Scored: ok, Tokens: c.Tokens}
	if c.Finish == FinishLength {
		proposed.Finish = mcts.FinishLength
	}
	return proposed, nil
}

// errReasons is final: the next reply has reasoning, too.
var errReasons = &reasonsError{}

type reasonsError struct{}

// Error says what to do.
func (*reasonsError) Error() string {
	return "the reply has reasoning, and server.reasoning is refuse: set it to show, once or drop, or tell " +
		"the server that the model is not to think"
}

// Final is true: see envs.IsFinal.
func (*reasonsError) Final() bool { return true }

// whole is the text of a sample, including its reasoning.
func (c Choice) whole() string { return action.Join(c.Reasoning, c.Text) }

// written is the text of a sample as a turn has it. Tags with nothing between them are what
// templates write for no reasoning: they stay only where prompts show what was written.
func (p *Policy) written(c Choice) (string, error) {
	whole := c.whole()
	reasoning, content := action.Part(whole)
	tagged := whole[:len(whole)-len(content)]

	switch p.options.Reasoning {
	case action.Drop:
		tagged = ""
	case action.Once:
		if reasoning == "" {
			tagged = ""
		}
	case action.Refuse:
		if reasoning != "" {
			return "", errReasons
		}

		tagged = ""
	}

	if lead := p.options.Lead; strings.TrimSpace(content) != "" &&
		!strings.HasPrefix(strings.TrimSpace(content), lead) {
		content = lead + content
	}
	return tagged + content, nil
}

// mean is the mean log-probability of the tokens, at most 0. ok is false if there are none, or if
// one of them is not a number: such a mean says nothing, and it could not be stored.
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

// The times between two readings of a server's gauges: while its limit doubles, so that a server of
// hundreds of slots has work within a second or two, and later.
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

		if mcts.Wait(ctx, time.Until(begun.Add(next))) != nil {
			return
		}
	}
}
