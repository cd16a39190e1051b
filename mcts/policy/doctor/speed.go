package doctor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"toolevo/mcts/policy/server"
)

// Bounds of the check of the prefix cache.
const (
	cachePrompt  = 1000                  // tokens of the prompt; less in a small window
	cachedShare  = 0.5                   // of the prompt, from which the cache is at work
	warmShare    = 0.6                   // of the time of a cold prompt, below which a warm one is known
	tooQuickRead = 15 * time.Millisecond // what reading must take to stand out from everything else
)

// prefixCache finds out whether a prompt's known beginning is read again, and how fast prompts are
// read.
func (p *examination) prefixCache(ctx context.Context) (Check, error) {
	if p.scale.each <= 0 {
		p.unread = errUncounted
		return Check{}, errUncounted
	}

	var clock comparison // above 0 if a known prompt takes as long
	var read, again time.Duration
	var share float64
	counted, timed, prompt := false, false, 0

	for range p.effort.rounds {
		r, err := p.timePrefix(ctx, p.knownSentences())
		if err != nil {
			p.unread = err
			return Check{}, err
		}

		clock.add(r.again - time.Duration(warmShare*float64(r.read)))

		// The quickest round is the one that other work of the machine disturbed least.
		if prompt == 0 || r.read < read {
			prompt, read, again = r.prompt, r.read, r.again
		}

		// The best round, because a busy server may have dropped the prompt in another.
		if counted, timed = r.counted, r.timed; counted {
			share = max(share, r.share)
		}

		if share >= cachedShare || clock.side() != 0 {
			break
		}
	}

	p.read, p.readTook, p.timed = prompt, read, timed
	if read > time.Millisecond {
		p.inSpeed = float64(prompt) / read.Seconds()
	}

	times := fmt.Sprintf("a known prompt is read in %s, a new one in %s", duration(max(0, again)),
		duration(max(0, read)))

	// In the order of what proves most: the server's count of tokens, its own timings, the clock.
	switch {
	case counted && share >= cachedShare:
		p.cached = true
		return passed("%.0f %% of a known prompt is not read again", 100*share), nil
	case counted:
		return p.finding("cache-idle", fmt.Sprintf("%.0f %% of a known prompt is found in it", 100*share)), nil
	case p.o.Quick && timed && float64(again) < warmShare*float64(read):
		p.cached = true
		return passed("%s", times), nil
	case p.o.Quick:
		return skipped("%s, seen once: that is not certain, and more is not probed in quick mode", times), nil
	case !timed && read < tooQuickRead:
		return Check{}, fmt.Errorf("a prompt of %s tokens is read too quickly to see a difference", number(prompt))
	case clock.side() < 0:
		p.cached = true
		return passed("%s", times), nil
	case clock.side() > 0:
		return p.finding("cache-idle", times), nil
	}

	return Check{}, fmt.Errorf("%w: %s", errBusy, times)
}

// knownSentences is the length of the filler for the prefix cache.
func (p *examination) knownSentences() int {
	size := p.effort.known
	if window := max(p.stated, p.o.Window); window > 0 {
		size = min(size, window/4)
	}
	return p.scale.sentences(size)
}

// reading is how long a prompt was read when it was new, and when it was known.
type reading struct {
	prompt      int           // its tokens
	read, again time.Duration // both times, without what a short prompt takes
	timed       bool          // by the server
	counted     bool          // the server reports what it found in its prefix cache
	share       float64       // of the known prompt
}

// timePrefix times a new prompt, a longer one that begins with it, and a short one.
func (p *examination) timePrefix(ctx context.Context, sentences int) (reading, error) {
	text := nonce()

	cold, err := p.draw(ctx, singleToken(p.filler(text, sentences)))
	if err != nil {
		return reading{}, err
	}

	// Right before and after the known prompt, so that little else is counted in between.
	before, _ := p.gauges(ctx)

	// Longer by a sentence, as the prompts of a run grow.
	warm, err := p.draw(ctx, singleToken(p.filler(text, sentences+1)))
	if err != nil {
		return reading{}, err
	}

	after, _ := p.gauges(ctx)

	r := reading{
		prompt: cold.PromptTokens, read: cold.first.Prefill, again: warm.first.Prefill,
		timed:   cold.first.Prefill > 0 && warm.first.Prefill > 0,
		counted: before.PrefixCounted && after.PrefixCounted,
	}

	hits := float64(after.PrefixHit - before.PrefixHit)
	// A reply counts its own prompt; the server's gauges count those of others, too.
	if warm.CachedKnown {
		r.counted, hits = true, float64(warm.CachedTokens)
	}

	r.share = hits / float64(max(1, warm.PromptTokens))
	if r.timed {
		return r, nil
	}

	// What a short prompt takes stands for everything but the reading.
	short, err := p.draw(ctx, singleToken(p.filler("", shortFiller)))
	r.read, r.again = cold.took-short.took, warm.took-short.took
	return r, err
}

// Bounds of the check of slots.
const (
	sideBySide = 1.5                   // times as fast as one after the other, from which requests run side by side
	tooQuick   = 10 * time.Millisecond // a completion within which slots do not matter
)

// pace is how long a number of completions took together.
type pace struct {
	tokens int
	took   time.Duration
	served time.Duration // what the server says it spent on each, summed up; 0 when it does not say
	decode time.Duration // of that, on writing

	running int // the most that the server reported to run; it is not asked again after two
}

func (s pace) perSecond() float64 { return float64(s.tokens) / max(s.took.Seconds(), 1e-6) }

// faster returns the faster of two.
func (s pace) faster(t pace) pace {
	if s.tokens > 0 && s.perSecond() >= t.perSecond() {
		return s
	}
	return t
}

// overlap is how many of them the server worked on at a time.
func (s pace) overlap() float64 { return s.served.Seconds() / max(s.took.Seconds(), 1e-6) }

// slots finds out whether requests run side by side, and how fast completions are written. It is
// proven if the server was seen to work on several at a time; otherwise the clock must be certain.
func (p *examination) slots(ctx context.Context) (Check, error) {
	m := p.o.Parallel
	var alone, together pace // the fastest
	var clock comparison     // above 0 if they run one after the other
	proven := false

	for range mostRounds {
		// Both in each round, so that other work of the machine slows one as much as the other.
		single, perToken, err := p.writing(ctx, 1)
		if err != nil {
			return Check{}, err
		}

		before := p.faults

		all, perTokenOfAll, err := p.writing(ctx, m)
		if err != nil {
			return Check{}, err
		}

		// Requests may fail now and then. As many as were sent at once fail because of the crowd.
		if p.faults-before >= m {
			return p.finding("request-crowded", errorText(p.fault)), nil
		}

		if single.tokens == 0 {
			return Check{}, errors.New("the model writes nothing")
		}

		alone, together = alone.faster(single), together.faster(all)

		clock.add(perTokenOfAll - time.Duration(float64(perToken)/sideBySide))

		// A proof still takes two rounds: the paces are what a run's speed is estimated by.
		proven = proven || all.overlap() >= sideBySide || all.running >= 2
		if proven && len(clock) > 1 || clock.side() != 0 {
			break
		}
	}

	p.alone, p.atOnce, p.inFlight = alone, together, m
	gain := together.perSecond() / alone.perSecond()
	seen := fmt.Sprintf("%d requests at once are %.1f times as fast as one by one", m, gain)

	switch {
	case together.overlap() >= sideBySide:
		return passed("%.1f of %d at a time, %.1f times as fast as one by one",
			together.overlap(), m, gain), nil
	case proven:
		return passed("several run at once, %.1f times as fast as one by one", gain), nil
	case alone.took < tooQuick:
		return passed("a completion takes %s: too quick for slots to matter",
			duration(alone.took)), nil
	case clock.side() < 0:
		return passed("%s", seen), nil
	case clock.side() > 0:
		return p.finding("slots-one", seen, m), nil
	}

	return Check{}, fmt.Errorf("%w: %s", errBusy, seen)
}

// writing runs n requests at once, and n for one token each, to know what takes time beside the
// writing. perToken is the time that a token took without that.
func (p *examination) writing(
	ctx context.Context, n int,
) (all pace, perToken time.Duration, err error) {
	if all, err = p.together(ctx, n, probeTokens); err != nil {
		return all, 0, err
	}

	short, err := p.together(ctx, n, 1)
	return all, (all.took - short.took) / time.Duration(max(1, all.tokens-short.tokens)), err
}

// together runs n requests at once, for one sample of a number of tokens each.
func (p *examination) together(ctx context.Context, n, tokens int) (pace, error) {
	replies, errs := make([]reply, n), make([]error, n)
	s := pace{}
	var all, watch sync.WaitGroup

	watching, stopWatching := context.WithCancel(ctx)
	defer stopWatching()

	if n > 1 {
		watch.Go(func() { s.running = p.watch(watching) })
	}

	began := time.Now()

	for i := range n {
		a := ask{prompt: p.o.Short, n: 1, seed: firstSeed + uint64(i), sampling: neutral(tokens)}

		all.Go(func() { replies[i], errs[i] = p.draw(ctx, a) })
	}

	all.Wait()

	s.took = time.Since(began)

	stopWatching()
	watch.Wait()

	// A request that failed has no choices, but its time counts with the others'.
	for _, r := range replies {
		if len(r.Choices) > 0 {
			s.tokens += r.Choices[0].Tokens
		}

		s.decode += r.first.Decode
		s.served += r.first.Prefill + r.first.Decode
	}
	return s, errors.Join(errs...)
}

// watchEvery is how often a server is asked what it runs.
const watchEvery = 3 * time.Millisecond

// gauges returns the server's own figures; ok is false if it has none.
func (p *examination) gauges(ctx context.Context) (g server.Gauges, ok bool) {
	observer, ok := p.b.(server.Observer)
	if !ok {
		return g, false
	}
	return observer.Gauges(ctx)
}

// watch asks the server what it runs until the context ends, or until it runs several requests, and
// returns the most it saw; 0 if the server does not say.
func (p *examination) watch(ctx context.Context) (most int) {
	for known := true; known && most < 2 && ctx.Err() == nil; {
		var g server.Gauges
		g, known = p.gauges(ctx)
		most = max(most, g.Running)

		select {
		case <-time.After(watchEvery):
		case <-ctx.Done():
		}
	}
	return most
}

// What the estimate assumes of a completion.
const (
	actionTokens = 100 // written
	newTokens    = 200 // read: an action and an observation more than what the prefix cache holds
)

// clock reports how fast the server reads and writes, if completions were timed, and estimates what
// a run would write.
func (p *examination) clock(context.Context) (none Check, err error) {
	alone, together, inFlight := p.alone, p.atOnce, p.inFlight
	if alone.tokens == 0 {
		return none, nil
	}

	// The server's own time leaves out what the reading and the network took.
	single := alone.perSecond()
	if alone.decode > 0 {
		single = float64(alone.tokens) / alone.decode.Seconds()
	}

	e := &Estimate{
		InFlight: inFlight, TokensWritten: actionTokens, TokensRead: newTokens, PromptTokens: p.prompt,
		OutPerSecond: int(together.perSecond()), OutAlone: int(single), InPerSecond: int(p.inSpeed),
	}
	// Without a prefix cache every completion reads its whole prompt again.
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

	seen := fmt.Sprintf("reads %s, writes %s tokens/s alone", reading, rate(single))
	if inFlight > 1 {
		seen += fmt.Sprintf(", %s with %d", rate(together.perSecond()), inFlight)
	}

	// By one sequence alone: what several write together says nothing about reading the weights.
	if p.weights.tooSlow(single) {
		reads := fmt.Sprintf("%s tokens/s read %s/s", rate(single), gigabytes(single*p.weights.bytes()))
		return p.finding("clock-slow", seen, p.weights.String(), reads, gigabytes(slowest)), nil
	}
	return passed("%s", seen), nil
}

// rate is a number of tokens in a second.
func rate(perSecond float64) string {
	if perSecond < 10 {
		return fmt.Sprintf("%.1f", perSecond)
	}
	return number(int(perSecond))
}

// Bounds of the check of loading.
const (
	reloaded  = time.Second // a load that takes this long is a new one
	shortStay = time.Hour
)

// loaded finds out whether a server that loads models keeps this one loaded between requests, and
// after them.
func (p *examination) loaded(ctx context.Context) (none Check, err error) {
	loader, loads := p.b.(server.Loader)
	if !loads {
		return none, nil
	}

	window, until, err := loader.Loaded(ctx)

	switch stays := time.Until(until); {
	case err != nil:
		return none, err
	case p.reloads > 0:
		return p.finding("loaded-anew", p.reloads, p.o.Window), nil
	case stays > 0 && stays < shortStay:
		return p.finding("loaded-briefly", duration(stays)), nil
	case window > 0:
		return passed("it stays loaded, with a window of %s tokens", number(window)), nil
	}

	return passed("it stays loaded"), nil
}
