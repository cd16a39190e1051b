package doctor

import (
	"context"
	"fmt"
	"slices"
)

// What quick mode asks for.
const (
	quickTokens  = 16  // of a completion
	quickPrompt  = 256 // tokens of the prompt that is timed, and that must be read whole
	quickSamples = 2   // of one request
)

// quickEffort is the effort of quick mode. Its checks are those of a full examination that a few
// probes can decide; the others are reported as skipped.
var quickEffort = effort{quickTokens, quickFiller, quickPrompt, 1, QuickTimeout}

// skip reports a check as not made.
func skip(context.Context) (Check, error) { return skipped("not probed in quick mode"), nil }

// skipped is a check that is not made, or not whole.
func skipped(format string, args ...any) Check {
	return Check{Verdict: Skipped, Seen: fmt.Sprintf(format, args...)}
}

// quickWindow finds out whether the prompt for the prefix cache was read whole.
func (p *examination) quickWindow(context.Context) (Check, error) {
	if p.unread != nil {
		return Check{}, p.unread
	}

	if sent := p.scale.tokens(p.knownSentences()); float64(p.read) < float64(sent)*(1-slack) {
		return p.cutInSilence(sent, p.read), nil
	}
	return skipped("a prompt of %s tokens is read whole; how many fit, and what becomes of more, is not probed "+
		"in quick mode", number(p.read)), nil
}

// quickSamples makes a request twice: are all samples there? Whether they are the same is the next
// check's.
func (p *examination) quickSamples(ctx context.Context) (Check, error) {
	a := p.quickAsk()

	var replies [2]reply

	for i := range replies {
		// The server may only refuse several samples: then later checks ask for one.
		r, err := p.draw(ctx, a)
		if len(p.failed) > 0 && a.n > 1 {
			p.single = true
			refused := p.failure(ctx, Samples, err)
			_, err = p.quickSamples(ctx)
			return refused, err
		}

		if err != nil {
			p.undrawn = err
			return Check{}, err
		}

		replies[i] = r
	}

	// The second one, whose prompt the server knew, is also what the clock goes by: it is all
	// writing.
	r := replies[1]
	p.scored, p.sampled = r.Choices, texts(r.Choices)
	p.seeded = slices.Equal(texts(replies[0].Choices), p.sampled)
	p.alone = pace{tokens: r.Choices[0].Tokens, took: r.took, decode: r.first.Decode}
	p.atOnce, p.inFlight = p.alone, 1

	return p.countSamples(a.n, len(r.Choices)), nil
}

// quickSeeds judges the two replies.
func (p *examination) quickSeeds(context.Context) (Check, error) {
	if p.undrawn == nil && !p.seeded {
		return p.finding("seeds-unsteady"), nil
	}
	return passed("the same seed gives the same text; whether others give others is not probed in " +
		"quick mode"), p.undrawn
}

// quickAsk is the request that quick mode compares.
func (p *examination) quickAsk() ask {
	a := ask{prompt: p.o.Short, n: quickSamples, seed: firstSeed, sampling: neutral(quickTokens)}
	if p.o.Kind.Single || p.single {
		a.n = 1
	}
	return a
}

// quickStop makes the same request with a piece of its text to stop at.
func (p *examination) quickStop(ctx context.Context) (Check, error) {
	if !p.seeded {
		return skip(ctx)
	}

	stop, before := stopIn(p.sampled[0])
	if stop == "" {
		return Check{}, errNoStop
	}

	a := p.quickAsk()
	a.n, a.sampling.Stop = 1, []string{stop}

	r, err := p.draw(ctx, a)
	if err != nil {
		return Check{}, err
	}
	return p.halted(r, stop, before)
}
