package doctor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolevo/mcts/policy/ollama"
)

// stopTries is on how many samples the stop text is tried.
const stopTries = 4

// Bounds of a stop text, in characters.
const (
	shortestStop = 4
	longestStop  = 9
)

// stopIn picks a piece out of a text, to stop at the next time; "" when there is none. It is not at the
// beginning, where it would leave nothing. before is what stands before the piece the first time it occurs.
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

// errNoStop says that no text lent itself to the check.
var errNoStop = errors.New("the model writes too little, or never the same again, to stop it in the middle")

// stop finds out whether a stop text ends a completion, before the text. One that does is enough: bytes that
// are no text, which a model may write and a server drops, can stand within a piece without being seen.
func (p *examination) stop(ctx context.Context) error {
	var ignored *Check

	for seed := range uint64(stopTries) {
		a := ask{prompt: p.o.Short, n: 1, seed: firstSeed + seed, sampling: neutral(2 * probeTokens)}

		r, err := p.draw(ctx, a)
		if err != nil {
			return p.inconclusive(ctx, Stop, err)
		}

		stop, before := stopIn(r.Choices[0].Text)
		if stop == "" {
			continue
		}

		a.sampling.Stop = []string{stop}
		if r, err = p.draw(ctx, a); err != nil {
			return p.inconclusive(ctx, Stop, err)
		}

		got := r.Choices[0].Text
		switch {
		case strings.TrimSpace(got) == strings.TrimSpace(before):
			p.stopped = stopTokens(r, got, stop)
			p.ok(Stop, "%q ends a completion", stop)
			return nil
		case strings.Contains(got, stop):
			c := unstopped(got, stop)
			ignored = &c
		}
	}

	if ignored != nil {
		p.found(*ignored)
		return nil
	}

	return p.inconclusive(ctx, Stop, errNoStop)
}

func unstopped(got, stop string) Check {
	c := Check{
		Name: Stop, Verdict: Problem, Seen: fmt.Sprintf("stop texts are ignored: %q did not end a completion", stop),
		Run: "would take observations that the model makes up for its actions, and read them as one",
		Do:  "use a server that honours stop",
	}
	if strings.HasSuffix(got, stop) {
		c.Seen = fmt.Sprintf("the stop text %q is left at the end of the completion", stop)
		c.Run = "would store observation markers at the end of actions, and train on them"
	}

	return c
}

// stopTokens tells whether the tokens with log-probabilities go beyond the text.
func stopTokens(r reply, text, stop string) string {
	c := r.Choices[0]
	if len(c.LogProbs) == 0 || len(r.tokens) == 0 {
		return ""
	}

	joined := strings.Join(r.tokens[0], "")
	switch {
	case strings.Contains(joined, stop):
		return "those of the stop text included"
	case joined == text, c.Tokens > len(c.LogProbs):
		return "those of the stop text left out"
	}

	return ""
}

// Temperatures at which the likeliest token's log-probability is compared, and how far it may move when the
// temperature has no part in it.
const (
	cool      = 0.5
	hot       = 2.0
	unchanged = 0.02
)

// logProbs finds out whether log-probabilities come back, and of which distribution.
func (p *examination) logProbs(ctx context.Context) error {
	if p.o.Kind == OpenAI && !p.o.LogProbs {
		p.found(Check{
			Name:    LogProbs,
			Verdict: Warning,
			Seen:    "not asked for: server.logprobs is false",
			Run:     "gives all children of a node the same prior, 1/k",
			Do:      "--set server.logprobs=true, where the server has them",
		})

		return nil
	}

	if len(p.scored) == 0 {
		return p.inconclusive(ctx, LogProbs, errors.New("there is no sample to look at"))
	}

	scored, bare := choicesScored(p.scored)
	if scored == 0 {
		p.found(p.unscored())
		return nil
	}

	if bare > 0 {
		p.found(Check{
			Name:    LogProbs,
			Verdict: Warning,
			Seen:    fmt.Sprintf("%d of %d samples have none", bare, len(p.scored)),
			Run:     "takes a reply in which one lacks them for a spoiled one, and asks again",
			Do:      "look what stands between you and the server",
		})

		return nil
	}

	seen := fmt.Sprintf("of all tokens, %s", p.stopped)
	if p.stopped == "" {
		seen = "of all tokens"
	}

	mode, err := p.logProbMode(ctx)
	if err != nil {
		return p.inconclusive(ctx, LogProbs, err)
	}

	c := Check{Name: LogProbs, Verdict: OK, Seen: seen + mode}
	if strings.Contains(mode, "after") {
		c.Run = "takes them as they are: priors depend on the temperature. Do not mix this server with one that " +
			"gives them before it (vLLM's default)"
	}

	p.found(c)

	return nil
}

func (p *examination) unscored() Check {
	c := Check{
		Name:    LogProbs,
		Verdict: Problem,
		Seen:    "no log-probabilities come back",
		Run:     "stops: it was told that there are some",
		Do:      "--set server.logprobs=false, which gives all children of a node the same prior, 1/k",
	}
	if p.o.Kind == Ollama && !(p.o.LogProbs && ollama.GivesLogProbs(p.version)) {
		c.Verdict, c.Run, c.Do = Warning, "gives all children of a node the same prior, 1/k",
			"install a current Ollama: they came with 0.12.11"
	}

	return c
}

// logProbMode tells whether log-probabilities are of the model's own distribution or of the one that is drawn from, in
// words that follow a list; "" when that cannot be told.
func (p *examination) logProbMode(ctx context.Context) (string, error) {
	var figures [2]float64

	for i, temperature := range [...]float64{cool, hot} {
		a := one(p.o.Short)
		a.sampling.Temperature, a.alternative = temperature, true

		r, err := p.draw(ctx, a)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}

		if err != nil || r.likeliest > 0 {
			return "", nil // not every server reports the likeliest token beside the drawn one
		}

		figures[i] = r.likeliest
	}

	switch moved := math.Abs(figures[0] - figures[1]); {
	case moved > unchanged:
		return ", after temperature", nil
	case figures[0] < -unchanged:
		return ", before temperature", nil
	}

	return "", nil // one token is certain at every temperature
}
