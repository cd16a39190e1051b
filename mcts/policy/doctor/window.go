package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// promptResult says what happened to a prompt.
type promptResult int

const (
	whole   promptResult = iota // it was answered, and counted whole
	refused                     // as too long
	cut                         // it was answered, and fewer tokens were counted than were sent
	caught                      // it was cut, and the backend of a run notices
)

// slack is the share of a prompt's tokens by which a count may be short without anything being cut.
const slack = 0.02

// errSlow says that a probe would take too long.
var errSlow = errors.New("too slow")

// tryPrompt sends a filler of about that many tokens and returns what happened to it, how many
// tokens were sent, and how many the server counted.
func (p *examination) tryPrompt(
	ctx context.Context, tokens int,
) (f promptResult, sent, counted int, err error) {
	sentences := p.scale.sentences(tokens)
	sent = p.scale.tokens(sentences)

	r, err := p.draw(ctx, singleToken(p.filler("", sentences)))
	if fault := tooLong(err); fault != nil {
		if fault.Status < 300 {
			return caught, sent, 0, nil
		}
		return refused, sent, 0, nil
	}

	if err == nil && float64(r.PromptTokens) < float64(sent)*(1-slack) {
		f = cut
	}
	return f, sent, r.PromptTokens, err
}

// checkTime returns an error if a prompt of that many tokens would be read for longer than a probe
// may take.
func (p *examination) checkTime(tokens int) error {
	if p.inSpeed <= 0 {
		return nil
	}

	needs := time.Duration(float64(tokens) / p.inSpeed * float64(time.Second))
	if needs < p.effort.timeout {
		return nil
	}
	return fmt.Errorf("%w: a prompt of %s tokens would be read for about %s, longer than the timeout, %v", errSlow,
		number(tokens), duration(needs), p.effort.timeout)
}

// beyond is how many times as long as the assumed window a prompt is that must be refused, if the
// server states no window.
const beyond = 4

// window finds out whether the context window is what is stated, and whether a longer prompt is
// refused.
func (p *examination) window(ctx context.Context) (Check, error) {
	if p.scale.each <= 0 {
		return Check{}, errUncounted
	}

	// Just beyond a window that is stated. One that is only assumed may be larger than that.
	assumed, over := p.stated, p.stated+2*p.scale.each+8
	if assumed == 0 {
		assumed, over = p.o.Window, beyond*p.o.Window
	}

	// The prompt that is too long comes first: it is refused quickly, or cut, which settles it.
	long, sent, counted, err := p.tryPrompt(ctx, over)
	if err != nil {
		return Check{}, err
	}

	if long == cut {
		return p.cutInSilence(sent, counted), nil
	}

	// One token is left for the reply, and a sentence because fillers come in whole sentences.
	inside := assumed - 1 - p.scale.each
	if err := p.checkTime(inside); err != nil {
		return Check{}, err
	}

	fits, sent, counted, err := p.tryPrompt(ctx, inside)
	switch {
	case err != nil:
		return Check{}, err
	case fits == cut || fits == caught:
		return p.cutInSilence(sent, counted), nil
	case fits == refused:
		return p.shorter(ctx, assumed, sent)
	}

	p.real = assumed
	return p.asStated(long, sent, over), nil
}

// asStated is the check of a window in which a prompt of sent tokens fits.
func (p *examination) asStated(long promptResult, sent, over int) Check {
	switch {
	case long == caught:
		return p.finding("window-caught", number(p.real), number(sent))
	case long == whole && p.stated > 0:
		return p.finding("window-beyond", number(p.stated), number(over))
	case long == whole:
		return passed("%s tokens fit, and %s, too", number(sent), number(over))
	case p.stated == 0:
		return passed("not stated; %s tokens fit, %s are refused", number(sent), number(over))
	}

	return passed("%s tokens: %s fit, %s are refused", number(p.real), number(sent), number(over))
}

// cutInSilence is the finding of a prompt of sent tokens that was answered, and of which fewer were
// counted.
func (p *examination) cutInSilence(sent, counted int) Check {
	states := ""

	if counted > 0 {
		p.real = counted + 1

		if p.stated > 0 {
			states = "; it states " + number(p.stated)
		}
	}
	return p.finding("window-cut", number(sent), number(counted), states)
}

// steps bounds the search for the window.
const steps = 16

// shorter finds the window of a server that refuses a prompt of fewer tokens than it states.
func (p *examination) shorter(ctx context.Context, stated, refusedAt int) (Check, error) {
	low, high := 0, refusedAt
	for range steps {
		if high-low <= p.scale.each {
			break
		}

		middle := (low + high) / 2
		if p.checkTime(middle) != nil {
			break
		}

		f, sent, _, err := p.tryPrompt(ctx, middle)
		switch {
		case err != nil:
			return Check{}, err
		case f == whole:
			low = max(sent, low+1)
		default:
			high = min(sent, high-1)
		}
	}

	// Each probe asked for one token of reply, which took its place in the window, too.
	p.real = low + 1
	return p.finding("window-shorter", number(stated), number(low), number(high), stated, p.real), nil
}

// Bounds of the check of room.
const (
	turnTokens = 200 // of an action and its observation, about
	fewTurns   = 8
)

// room finds out whether the run's prompts fit.
func (p *examination) room(ctx context.Context) (Check, error) {
	r, err := p.draw(ctx, singleToken(p.o.First))
	if tooLong(err) != nil {
		return p.finding("room-refused", errorText(err)), nil
	}

	if err != nil {
		return Check{}, err
	}

	window := cmp.Or(p.real, p.stated)
	p.prompt = r.PromptTokens
	left := window - r.PromptTokens - p.o.Sampling.MaxTokens

	seen := fmt.Sprintf("prompts begin with %s tokens, completions may have %s", number(r.PromptTokens),
		number(p.o.Sampling.MaxTokens))
	switch {
	case window == 0 || r.PromptTokens == 0:
		return passed("%s", seen), nil
	case left <= 0:
		return p.finding("room-none", seen, number(window)), nil
	case left < fewTurns*turnTokens:
		return p.finding("room-tight", seen, number(left), left/turnTokens), nil
	}

	return passed("%s: %s are left for turns", seen, number(left)), nil
}
