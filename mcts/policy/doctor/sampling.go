package doctor

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"toolevo/mcts/policy/server"
)

// probeTokens is how long the completions of probes are.
const probeTokens = 32

// The seeds and numbers of samples of the probes.
const (
	askedFor  = 4 // samples of one request
	drawn     = 8 // samples that are compared
	firstSeed = 1000
	otherSeed = 2000
)

// samples finds out whether one request draws several.
func (p *examination) samples(ctx context.Context) (Check, error) {
	if p.o.Kind.Single {
		return p.countSamples(0, 0), nil
	}

	r, err := p.draw(ctx, ask{prompt: p.o.Short, n: askedFor, seed: firstSeed, sampling: neutral(probeTokens)})
	p.single = len(p.failed) > 0 // later checks then ask for several samples one by one
	return p.countSamples(askedFor, len(r.Choices)), err
}

// countSamples is the check of a request for a number of samples, by the number that came back.
func (p *examination) countSamples(asked, got int) Check {
	switch {
	case p.o.Kind.Single:
		return passed("one request a sample: %s has no n", p.o.Kind.Title)
	case got == asked:
		return passed("n = %d gives %d", asked, got)
	}

	return p.finding("samples-ignored", asked, got)
}

// seeds finds out whether a seed decides what is drawn, and nothing else.
func (p *examination) seeds(ctx context.Context) (Check, error) {
	a := ask{prompt: p.o.Short, n: drawn, seed: firstSeed, sampling: neutral(probeTokens)}
	var lists [3][]string

	for i, seed := range [...]uint64{firstSeed, firstSeed, otherSeed} {
		a.seed = seed

		choices, err := p.drawAll(ctx, a)
		if err != nil {
			return Check{}, err
		}

		lists[i], p.scored = texts(choices), choices
	}

	// Whole lists are compared, because single texts may agree by chance.
	same, other := slices.Equal(lists[0], lists[1]), !slices.Equal(lists[0], lists[2])
	different := differentTexts(slices.Concat(lists[0], lists[1], lists[2]))

	p.sampled, p.seeded = lists[0], same
	switch {
	// Where all texts are the same, nothing can be said about seeds, so this comes first.
	case different == 1:
		return p.finding("seeds-one-text", 3*drawn), nil
	case !same:
		return p.finding("seeds-unsteady"), nil
	case !other:
		return p.finding("seeds-ignored"), nil
	}

	return passed("the same seeds give the same texts, others give others"), nil
}

// Numbers of probes at temperature 0.
const (
	coldTries   = 4
	coldCrowded = 2 // of them again, among other requests
	crowd       = 4
)

// stable finds out whether temperature 0 gives one text, alone and among other requests.
func (p *examination) stable(ctx context.Context) (Check, error) {
	a := ask{prompt: p.o.Short, n: 1, seed: 1, sampling: greedy(probeTokens)}
	for range coldTries {
		r, err := p.draw(ctx, a)
		if err != nil {
			return Check{}, err
		}

		// All texts are kept: whatever temperature 0 may give is no sign of a leak in defaults.
		p.greedy = append(p.greedy, r.Choices[0].Text)
	}

	// Counted before the crowded tries: only then can the batch be told from the model.
	alone := differentTexts(p.greedy)
	for range coldCrowded {
		text, err := p.among(ctx, a)
		if err != nil {
			return Check{}, err
		}

		p.greedy = append(p.greedy, text)
	}

	n := differentTexts(p.greedy)
	if n == 1 {
		return passed("temperature 0 gives one text in %d tries", len(p.greedy)), nil
	}

	crowded := ""
	if alone == 1 {
		crowded = ", though one when it is alone: the batch decides"
	}
	return p.finding("greedy-unsteady", n, len(p.greedy), crowded), nil
}

func differentTexts(list []string) int {
	list = slices.Clone(list)
	slices.Sort(list)
	return len(slices.Compact(list))
}

// among makes a probe while others run beside it. It returns when all have ended.
func (p *examination) among(ctx context.Context, a ask) (string, error) {
	var others sync.WaitGroup

	for i := range crowd {
		o := ask{prompt: p.o.Short, n: 1, seed: otherSeed + uint64(i), sampling: neutral(probeTokens)}

		others.Go(func() { _, _ = p.draw(ctx, o) }) // what becomes of them says nothing about the probe
	}

	r, err := p.draw(ctx, a)

	others.Wait()

	if err != nil {
		return "", err
	}
	return r.Choices[0].Text, nil
}

// parameters are those that a request may leave out. What is sent instead of each is in neutral.
var parameters = []string{
	"temperature", "top_p", "top_k", "min_p", "repetition_penalty", "frequency_penalty", "presence_penalty",
}

// defaults finds out what the server does when sampling parameters are left out: a model's
// generation_config.json, or the server's own choice, may be anything but neutral.
func (p *examination) defaults(ctx context.Context) (Check, error) {
	if len(p.greedy) == 0 || len(p.sampled) == 0 {
		return Check{}, errors.New("there is nothing to compare with")
	}

	cold := ask{prompt: p.o.Short, n: 1, seed: 1, sampling: greedy(probeTokens)}
	// The temperature is sent: at 0 the text changes only if another parameter is not neutral. This
	// needs no seeds, which a server may not honour.
	cold.leaveOut = parameters[1:]

	leaks := true

	for range 2 {
		r, err := p.draw(ctx, cold)
		if err != nil {
			return Check{}, err
		}

		// One new text may be chance, even at temperature 0.
		leaks = leaks && !slices.Contains(p.greedy, r.Choices[0].Text)
	}

	// Not every parameter moves the likeliest token. Known seeds show the rest.
	if p.seeded && !leaks {
		var err error
		if leaks, err = p.leak(ctx, parameters); err != nil {
			return Check{}, err
		}
	}

	switch {
	case !leaks && !p.seeded:
		return passed("neutral, as far as temperature 0 shows"), nil
	case !leaks:
		return passed("neutral: what is not sent changes nothing"), nil
	case p.o.Kind.OwnDefaults:
		return passed("not neutral, as %s's are; a run sends every parameter", p.o.Kind.Title), nil
	}

	names, err := p.leaking(ctx)
	return p.finding("defaults-leak", names), err
}

// leak reports whether parameters that are left out change what known seeds draw.
func (p *examination) leak(ctx context.Context, names []string) (bool, error) {
	a := ask{prompt: p.o.Short, n: drawn, seed: firstSeed, sampling: neutral(probeTokens)}
	a.leaveOut = names
	choices, err := p.drawAll(ctx, a)
	return err == nil && !slices.Equal(texts(choices), p.sampled), err
}

// leaking names the parameters that leak, each left out alone, in words that follow others; "" if
// seeds cannot show it.
func (p *examination) leaking(ctx context.Context) (string, error) {
	if !p.seeded {
		return "", nil
	}
	var names []string

	for _, name := range parameters {
		leaks, err := p.leak(ctx, []string{name})
		if err != nil {
			return "", err
		}

		if leaks {
			names = append(names, name)
		}
	}

	if len(names) == 0 {
		return "", nil
	}
	return " (" + strings.Join(names, ", ") + ")", nil
}

// choicesScored reports how many of the samples have log-probabilities, and how many have a text
// and none.
func choicesScored(choices []server.Choice) (scored, bare int) {
	for _, c := range choices {
		switch {
		case len(c.LogProbs) > 0:
			scored++
		case c.Text != "":
			bare++
		}
	}

	return scored, bare
}
