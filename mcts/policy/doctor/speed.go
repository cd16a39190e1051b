package doctor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
)

// Bounds of the check of the prefix cache.
const (
	cachePrompt  = 1000 // tokens of the prompt; less in a small window
	cacheRounds  = 3
	cachedShare  = 0.5                   // of the prompt, from which the cache is at work
	warmShare    = 0.6                   // of the time of a cold prompt, below which a warm one is
	tooQuickRead = 15 * time.Millisecond // what reading must take to be told from everything else
)

// prefixCache finds out whether a prompt's known beginning is read again, and how fast prompts are read.
func (p *patient) prefixCache(ctx context.Context) error {
	if p.scale.each <= 0 {
		return p.untold(ctx, PrefixCache, errUncounted)
	}
	size := cachePrompt
	if window := max(p.stated, p.o.Window); window > 0 {
		size = min(size, window/4)
	}
	var cold, warm reply
	var share float64
	counted := false
	for round := range cacheRounds {
		c, w, hits, known, err := p.coldAndWarm(ctx, p.scale.sentences(size))
		if err != nil {
			return p.untold(ctx, PrefixCache, err)
		}
		if round == 0 {
			cold, warm = c, w
		}
		cold.took, warm.took = min(cold.took, c.took), min(warm.took, w.took)
		cold.prefill, warm.prefill = min(cold.prefill, c.prefill), min(warm.prefill, w.prefill)
		if counted = known; known {
			if share = max(share, float64(hits)/float64(max(1, w.PromptTokens))); share >= cachedShare {
				break
			}
		}
	}
	p.readingSpeed(cold)
	read, again := cold.prefill, warm.prefill
	if read <= 0 || again <= 0 {
		read, again = cold.took-p.scale.quick, warm.took-p.scale.quick
	}
	switch {
	case counted && share >= cachedShare:
		p.cached = true
		p.ok(PrefixCache, "%.0f %% of a known prompt is not read again", 100*share)
	case counted:
		p.found(p.uncached(fmt.Sprintf("%.0f %% of a known prompt is found in it", 100*share)))
	case float64(again) < warmShare*float64(read):
		p.cached = true
		p.ok(PrefixCache, "a known prompt is read in %s, a new one in %s", duration(max(0, again)), duration(read))
	case cold.prefill <= 0 && read < tooQuickRead:
		return p.untold(ctx, PrefixCache, fmt.Errorf("a prompt of %s tokens is read too quickly to see a difference", number(cold.PromptTokens)))
	default:
		p.found(p.uncached(fmt.Sprintf("a known prompt is read in %s, a new one in %s", duration(again), duration(read))))
	}
	return nil
}

func (p *patient) uncached(seen string) Check {
	c := Check{
		Name: PrefixCache, Verdict: Warning, Seen: "not at work: " + seen,
		Run: "sends whole prompts all the same; every completion pays for reading all of its own",
		Do:  "start the server with its prefix cache (vLLM: without --no-enable-prefix-caching)",
	}
	if p.o.Kind == Ollama {
		c.Do = "look whether other clients use this server: each of its slots remembers one prompt"
	}
	return c
}

// coldAndWarm sends a prompt that is new, and a longer one that begins with it. hits are the tokens of the second that
// were found in the prefix cache, where the server tells.
func (p *patient) coldAndWarm(ctx context.Context, sentences int) (cold, warm reply, hits int, known bool, err error) {
	new := nonce()
	if cold, err = p.draw(ctx, one(p.filler(new, sentences))); err != nil {
		return
	}
	before, counter := p.c.hits(ctx)
	if warm, err = p.draw(ctx, one(p.filler(new, sentences+1))); err != nil {
		return
	}
	if warm.cachedKnown {
		return cold, warm, warm.CachedTokens, true, nil
	}
	after, still := p.c.hits(ctx)
	return cold, warm, int(after - before), counter && still, nil
}

// readingSpeed notes how fast a cold prompt was read.
func (p *patient) readingSpeed(cold reply) {
	took := cold.prefill
	if took <= 0 {
		took = cold.took - p.scale.quick
	}
	if took > time.Millisecond {
		p.inSpeed = float64(cold.PromptTokens) / took.Seconds()
	}
}

// Bounds of the check of slots.
const (
	aloneTries = 3
	sideRounds = 4
	sideBySide = 1.5                   // times as fast as one after the other, from which requests run side by side
	clearGain  = 2.0                   // at which no further round is needed
	tooQuick   = 10 * time.Millisecond // a completion within which slots do not matter
)

// pace is what completions took together.
type pace struct {
	tokens int
	took   time.Duration
	served time.Duration // what the server says it spent on each, summed up; 0 when it does not tell
	decode time.Duration // of that, on writing

	running int // the most that the server said to run; it is not asked further once there are two
}

func (s pace) perSecond() float64 { return float64(s.tokens) / max(s.took.Seconds(), 1e-6) }

// overlap is how many of them the server worked on at a time.
func (s pace) overlap() float64 { return s.served.Seconds() / max(s.took.Seconds(), 1e-6) }

// slots finds out whether requests run side by side, and how fast completions are written.
func (p *patient) slots(ctx context.Context) error {
	alone, err := p.fastest(ctx, 1, aloneTries, math.Inf(1))
	if err != nil {
		return p.untold(ctx, Slots, err)
	}
	if alone.tokens == 0 {
		return p.untold(ctx, Slots, errors.New("the model writes nothing"))
	}
	m := p.o.Parallel
	together, err := p.fastest(ctx, m, sideRounds, clearGain*alone.perSecond())
	if err != nil {
		return p.untold(ctx, Slots, err)
	}
	gain := together.perSecond() / alone.perSecond()
	switch overlap := together.overlap(); {
	case overlap >= sideBySide:
		p.ok(Slots, "%.1f of %d at a time, %.1f times as fast as one by one", overlap, m, gain)
	case gain >= sideBySide:
		p.ok(Slots, "%d requests at once are %.1f times as fast as one by one", m, gain)
	case together.running >= 2:
		p.ok(Slots, "several run at once, %.1f times as fast as one by one", gain)
	case alone.took < tooQuick:
		p.ok(Slots, "a completion takes %s: too quick for slots to matter", duration(alone.took))
	default:
		p.found(p.oneSlot(gain))
	}
	p.clock(alone, together)
	return nil
}

func (p *patient) oneSlot(gain float64) Check {
	c := Check{
		Name: Slots, Verdict: Warning, Seen: fmt.Sprintf("one at a time: %d requests at once are %.1f times as fast as one by one", p.o.Parallel, gain),
		Run: "finds that out and keeps few requests in flight; the rest of its trees wait",
		Do:  "give the server more slots (vLLM: --max-num-seqs)",
	}
	if p.o.Kind == Ollama {
		c.Do = fmt.Sprintf("OLLAMA_NUM_PARALLEL=%d ollama serve (its default is 1; memory grows by that times the window)", p.o.Parallel)
	}
	return c
}

// fastest runs n requests at once, again and again, and returns the fastest round; one that is fast enough is the last.
func (p *patient) fastest(ctx context.Context, n, rounds int, enough float64) (best pace, err error) {
	for range rounds {
		s, err := p.together(ctx, n)
		if err != nil {
			return pace{}, err
		}
		s.running = max(s.running, best.running)
		if best.tokens == 0 || s.perSecond() > best.perSecond() {
			best = s
		}
		best.running = s.running
		if best.perSecond() >= enough {
			break
		}
	}
	return best, nil
}

// together runs n requests for one sample each at once.
func (p *patient) together(ctx context.Context, n int) (pace, error) {
	replies, errs := make([]reply, n), make([]error, n)
	var all sync.WaitGroup
	watching, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	most := p.watch(watching, n)
	began := time.Now()
	for i := range n {
		a := ask{prompt: p.o.Short, n: 1, seed: firstSeed + uint64(i), sampling: neutral(probeTokens)}
		all.Go(func() { replies[i], errs[i] = p.draw(ctx, a) })
	}
	all.Wait()
	s := pace{took: time.Since(began)}
	stopWatching()
	s.running = <-most
	for _, r := range replies {
		if len(r.Choices) > 0 {
			s.tokens += r.Choices[0].Tokens
		}
		s.decode += r.decode
		s.served += r.prefill + r.decode
	}
	return s, errors.Join(errs...)
}

// watchEvery is how often a server is asked what it runs.
const watchEvery = 3 * time.Millisecond

// watch asks the server what it runs until the context ends, or until it runs several of n requests, and then sends the
// most it saw; 0 when the server does not tell.
func (p *patient) watch(ctx context.Context, n int) <-chan int {
	most := make(chan int, 1)
	if n < 2 {
		most <- 0
		return most
	}
	go func() { // together waits for what it sends
		ticker := time.NewTicker(watchEvery)
		defer ticker.Stop()
		seen := 0
		for ctx.Err() == nil && seen < 2 {
			running, known := p.c.running(ctx)
			if seen = max(seen, running); !known {
				break
			}
			select {
			case <-ticker.C:
			case <-ctx.Done():
			}
		}
		most <- seen
	}()
	return most
}

// What the estimate assumes of a completion.
const (
	actionTokens = 100 // written
	newTokens    = 200 // read: an action and an observation more than what the prefix cache holds
)

// clock tells how fast the server reads and writes, and what that makes of a run.
func (p *patient) clock(alone, together pace) {
	single := alone.perSecond()
	if alone.decode > 0 {
		single = float64(alone.tokens) / alone.decode.Seconds()
	}
	e := &Estimate{
		InFlight: p.o.Parallel, TokensWritten: actionTokens, TokensRead: newTokens, PromptTokens: p.prompt,
		OutPerSecond: int(together.perSecond()), OutAlone: int(single), InPerSecond: int(p.inSpeed),
	}
	if !p.cached {
		e.TokensRead = max(p.prompt, newTokens)
	}
	seconds := actionTokens / together.perSecond()
	reading := "too quickly to measure"
	if p.inSpeed > 0 {
		seconds += float64(e.TokensRead) / p.inSpeed
		reading = number(e.InPerSecond) + " tokens/s"
	}
	e.CompletionsPerHour = int(time.Hour.Seconds() / seconds)
	p.report.Estimate = e
	p.ok(Clock, "reads %s, writes %s tokens/s alone, %s with %d", reading, number(e.OutAlone), number(e.OutPerSecond), e.InFlight)
}

// Bounds of the check of loading.
const (
	reloaded  = time.Second // a load that takes this long is a new one
	shortStay = time.Hour
)

// loaded finds out whether Ollama keeps the model loaded between requests, and after them.
func (p *patient) loaded(ctx context.Context) error {
	c, ok := p.c.(*ollamaClient)
	if !ok {
		return nil
	}
	at, err := c.residence(ctx)
	if err != nil {
		return p.untold(ctx, Loaded, err)
	}
	check := Check{Name: Loaded, Verdict: OK, Seen: "it stays loaded"}
	if at.window > 0 {
		check.Seen += fmt.Sprintf(", with a window of %s tokens", number(at.window))
	}
	switch {
	case p.reloads > 0:
		check.Verdict = Warning
		check.Seen = fmt.Sprintf("it was loaded anew %d times between the probes, which all want the same window", p.reloads)
		check.Run = "waits for each load; two clients with different options take the model from each other"
		check.Do = fmt.Sprintf("let all clients ask for the same num_ctx (%d), or give the server more memory", p.o.Window)
	case at.expires > 0 && at.expires < shortStay:
		check.Verdict = Warning
		check.Seen = fmt.Sprintf("it is unloaded after %s without a request, although asked to stay", duration(at.expires))
		check.Run = "loads it again after a pause"
		check.Do = "OLLAMA_KEEP_ALIVE=-1 ollama serve"
	}
	p.found(check)
	return nil
}
