package doctor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// stopTries is on how many samples stop texts are tried.
const stopTries = 4

// Bounds of a stop text, in characters.
const (
	shortestStop = 4
	longestStop  = 9
)

// stopIn picks a piece out of a text, to stop at the next time; "" if it has none. The piece is not
// at the beginning, where it would leave nothing. before is the text before it first occurs.
func stopIn(text string) (stop, before string) {
	runes := []rune(text)
	for from := max(1, len(runes)/4); from+shortestStop <= len(runes); from++ {
		end := from
		for end < len(runes) && end-from < longestStop && (unicode.IsPrint(runes[end]) || runes[end] == '\n') &&
			runes[end] != unicode.ReplacementChar {
			end++
		}

		stop = strings.TrimSpace(string(runes[from:end]))
		if utf8.RuneCountInString(stop) < shortestStop {
			continue
		}

		if before, _, _ = strings.Cut(text, stop); strings.TrimSpace(before) != "" {
			return stop, before
		}
	}
	return "", ""
}

// errNoStop says that no text was suitable for the check.
var errNoStop = errors.New("the model writes too little, or never the same again, to stop it in the middle")

// stop finds out whether a stop text ends a completion, before the text. One that does is enough: a
// piece may look like text and still not match, because the server dropped invalid bytes from it.
func (p *examination) stop(ctx context.Context) (ignored Check, err error) {
	for seed := range uint64(stopTries) {
		a := ask{prompt: p.o.Short, n: 1, seed: firstSeed + seed, sampling: neutral(2 * probeTokens)}

		r, err := p.draw(ctx, a)
		if err != nil {
			return ignored, err
		}

		stop, before := stopIn(r.Choices[0].Text)
		if stop == "" {
			continue
		}

		// The same seed again, which should write the same text up to the piece.
		a.sampling.Stop = []string{stop}
		if r, err = p.draw(ctx, a); err != nil {
			return ignored, err
		}

		switch c, unclear := p.halted(r, stop, before); {
		case c.Verdict == OK:
			return c, nil
		case unclear == nil:
			// Not the last word: with another seed the server may still show that it stops.
			ignored = c
		}
	}

	if ignored.Verdict == "" {
		return ignored, errNoStop
	}
	return ignored, nil
}

// halted judges a reply that should stop at a text, given what was before it the first time. It
// returns an error if the reply shows nothing.
func (p *examination) halted(r reply, stop, before string) (Check, error) {
	got := r.Choices[0].Text

	finding := "stop-ignored"
	switch {
	case strings.TrimSpace(got) == strings.TrimSpace(before):
		p.stopped = stopTokens(r, got, stop)
		return passed("%q ends a completion", stop), nil
	case !strings.Contains(got, stop):
		return Check{}, errNoStop
	case strings.HasSuffix(got, stop):
		finding = "stop-left"
	}

	return p.finding(finding, stop), nil
}

// stopTokens says whether the tokens with log-probabilities go beyond the text.
func stopTokens(r reply, text, stop string) string {
	c := r.Choices[0]
	if len(c.LogProbs) == 0 || len(r.first.Tokens) == 0 {
		return ""
	}

	joined := strings.Join(r.first.Tokens, "")
	switch {
	case strings.Contains(joined, stop):
		return "those of the stop text included"
	case joined == text, c.Tokens > len(c.LogProbs):
		return "those of the stop text left out"
	}

	return ""
}

// Temperatures at which the likeliest token's log-probability is compared, and how far it may move
// when the temperature has no part in it.
const (
	cool      = 0.5
	hot       = 2.0
	unchanged = 0.02
)

// logProbs finds out whether log-probabilities come back, and of which distribution.
func (p *examination) logProbs(ctx context.Context) (Check, error) {
	if !p.o.LogProbs {
		return p.finding("logprobs-unasked"), nil
	}

	if len(p.scored) == 0 {
		return Check{}, errors.New("there is no sample to look at")
	}

	// The samples of an earlier check: log-probabilities were asked for with every probe.
	scored, bare := choicesScored(p.scored)
	if scored == 0 {
		finding := "logprobs-missing"
		// An old version needs an update; any other server can only be used without.
		if !p.o.Kind.Scored(p.version) {
			finding = "logprobs-outdated"
		}

		return p.finding(finding, p.o.Kind.ScoredSince), nil
	}

	if bare > 0 {
		return p.finding("logprobs-some", bare, len(p.scored)), nil
	}

	seen := fmt.Sprintf("of all tokens, %s", p.stopped)
	if p.stopped == "" {
		seen = "of all tokens"
	}

	// That is not wrong, but priors then depend on the temperature.
	mode, err := p.logProbMode(ctx)
	if strings.Contains(mode, "after") {
		return p.finding("logprobs-after", seen+mode), err
	}
	return passed("%s", seen+mode), err
}

// logProbMode says whether log-probabilities are of the model's own distribution or of the one that
// is drawn from, in words that follow a list; "" if that remains open.
func (p *examination) logProbMode(ctx context.Context) (string, error) {
	if p.o.Quick {
		return ", of which distribution is not probed in quick mode", nil
	}

	var figures [2]float64

	// The likeliest token, unlike the drawn one, is the same at every temperature.
	a := singleToken(p.o.Short)
	a.likeliest = true

	for i, temperature := range [...]float64{cool, hot} {
		a.sampling.Temperature = temperature

		r, err := p.draw(ctx, a)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}

		if err != nil || r.first.Likeliest == nil {
			return "", nil // not every server reports the likeliest token beside the drawn one
		}

		figures[i] = *r.first.Likeliest
	}

	// A token that is all but certain has about 0 in both distributions, which proves nothing.
	switch moved := math.Abs(figures[0] - figures[1]); {
	case moved > unchanged:
		return ", after temperature", nil
	case figures[0] < -unchanged:
		return ", before temperature", nil
	}

	return "", nil
}
