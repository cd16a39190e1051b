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

// quick is the effort of quick mode. Its checks are those of a full examination that a few probes can decide, in the
// same order; the others are said to be skipped.
var quick = effort{
	quickTokens, quickFiller, quickPrompt, 1, QuickTimeout,
	func(p *examination) []func(context.Context) error {
		return []func(context.Context) error{
			p.reach, p.askVersion, p.askModel, p.complete, p.measure, p.template, p.prefixCache, p.quickWindow, p.room,
			p.quickDraw, p.skip(Greedy, Defaults), p.quickStop, p.logProbs, p.skip(Slots), p.quickClock, p.loaded,
			p.otherModels,
		}
	},
}

// skip says of checks that they are not made.
func (p *examination) skip(names ...Name) func(context.Context) error {
	return func(context.Context) error {
		for _, name := range names {
			p.skipped(name, "not probed in quick mode")
		}

		return nil
	}
}

// skipped says of a check that it is not made, or not whole.
func (p *examination) skipped(name Name, format string, args ...any) {
	p.found(Check{Name: name, Verdict: Skipped, Seen: fmt.Sprintf(format, args...)})
}

// quickWindow finds out whether the prompt was read whole that the prefix cache was to know.
func (p *examination) quickWindow(ctx context.Context) error {
	if p.unread != nil {
		return p.inconclusive(ctx, Window, p.unread)
	}

	if sent := p.scale.tokens(p.knownSentences()); float64(p.read) < float64(sent)*(1-slack) {
		p.cutInSilence(sent, p.read)
		return nil
	}

	p.skipped(Window, "a prompt of %s tokens is read whole; how many fit, and what becomes of more, is not probed "+
		"in quick mode", number(p.read))

	return nil
}

// quickDraw makes a request twice: are all samples there, and are they the same?
func (p *examination) quickDraw(ctx context.Context) error {
	a := p.quickAsk()

	var replies [2]reply

	for i := range replies {
		r, err := p.draw(ctx, a)
		if err != nil {
			if err := p.inconclusive(ctx, Samples, err); err != nil {
				return err
			}

			return p.inconclusive(ctx, Seeds, err)
		}

		replies[i] = r
	}

	r := replies[1] // whose prompt the server knows
	p.scored, p.sampled = r.Choices, texts(r.Choices)
	p.seeded = slices.Equal(texts(replies[0].Choices), p.sampled)
	p.alone = pace{tokens: r.Choices[0].Tokens, took: r.took, decode: r.first.Decode}

	switch got := len(r.Choices); {
	case p.o.Kind == Ollama:
		p.ok(Samples, "one request a sample: Ollama has no n")
	case got == a.n:
		p.ok(Samples, "n = %d gives %d", a.n, got)
	default:
		p.note("samples-ignored", a.n, got)
	}

	if p.seeded {
		p.ok(Seeds, "the same seed gives the same text; whether others give others is not probed in quick mode")
	} else {
		p.note("seeds-unsteady")
	}

	return nil
}

// quickAsk is the request that quick mode compares.
func (p *examination) quickAsk() ask {
	a := ask{prompt: p.o.Short, n: quickSamples, seed: firstSeed, sampling: neutral(quickTokens)}
	if p.o.Kind == Ollama {
		a.n = 1
	}

	return a
}

// quickStop makes the same request with a piece of its text to stop at.
func (p *examination) quickStop(ctx context.Context) error {
	if !p.seeded {
		return p.skip(Stop)(ctx)
	}

	stop, before := stopIn(p.sampled[0])
	if stop == "" {
		return p.inconclusive(ctx, Stop, errNoStop)
	}

	a := p.quickAsk()
	a.n, a.sampling.Stop = 1, []string{stop}

	r, err := p.draw(ctx, a)
	if err != nil {
		return p.inconclusive(ctx, Stop, err)
	}

	c := p.halted(r, stop, before)
	if c == nil {
		return p.inconclusive(ctx, Stop, errNoStop)
	}

	p.found(*c)

	return nil
}

// quickClock tells how fast one request is written, where one was.
func (p *examination) quickClock(context.Context) error {
	if p.alone.tokens > 0 {
		p.clock(p.alone, p.alone, 1)
	}

	return nil
}
