package doctor

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"toolevo/mcts/policy/server"
)

// Bounds of the check of kept prompts.
const (
	keptMost      = 9 // prompts that are sent to a server that cannot tell how many it keeps
	quickKeptMost = 5 // in quick mode
	// of the time of a new prompt, below which a known one is kept; half of each is common to all
	keptShare = 0.25
)

// errUntimed says why the kept prompts could not be counted.
var errUntimed = errors.New("the server does not say how long it reads a prompt")

// kept finds out how many prompts the server keeps at a time, one in each of its slots. A run holds
// as many conversations with it, and no more.
func (p *examination) kept(ctx context.Context) (none Check, err error) {
	slots := 0
	if slotted, can := p.b.(server.Slotted); can {
		slots, err = slotted.Slots(ctx)
	}

	// What the server says itself needs no probes.
	switch {
	case err != nil:
		return none, err
	case slots > 0:
		return p.keeps(slots, counted(slots, "slot")+", one prompt in each"), nil
	case !p.o.Kind.PromptPerSlot || !p.cached: // one cache for all prompts, or none
		return none, nil
	}

	most := keptMost
	if p.o.Quick {
		most = quickKeptMost
	}

	n, err := p.countKept(ctx, most)

	// As many as were sent is only a lower bound, which says nothing against any setting.
	switch {
	case err != nil:
		return none, err
	case n == most:
		return passed("%d prompts or more at a time", n), nil
	}

	return p.keeps(n, counted(n, "prompt")+" at a time"), nil
}

// keeps judges the setting by what is kept.
func (p *examination) keeps(n int, seen string) Check {
	switch set := p.o.Slots; {
	case set == 0 && p.o.Kind.PromptPerSlot:
		return p.finding("kept-unset", seen, n)
	case set > n:
		return p.finding("kept-fewer", seen, n, set)
	case set > 0:
		return passed("%s; server.slots is %d", seen, set)
	}

	c := passed("%s", seen)
	c.Set = map[string]string{"server.slots": strconv.Itoa(n)}
	return c
}

// counted writes a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return number(n) + " " + thing + "s"
}

// countKept sends a number of prompts at the same time, which begin alike, as a run's do, and then
// each again, by itself. The slots hold those that were answered last. These are sent first, so
// that none of them is lost to a prompt that is not kept.
func (p *examination) countKept(ctx context.Context, most int) (kept int, err error) {
	if p.unread != nil {
		return 0, p.unread
	}

	if !p.timed {
		return 0, errUntimed
	}

	prompts, err := p.sendAll(ctx, p.forked(most))
	if err != nil {
		return 0, err
	}

	for i := range prompts {
		r, err := p.draw(ctx, singleToken(prompts[len(prompts)-1-i]))
		if err != nil {
			return 0, err
		}

		if r.first.Prefill > time.Duration(keptShare*float64(p.readTook)) {
			return max(i, 1), nil // one was read for the first time a moment ago
		}
	}
	return most, nil
}

// keptTokens is the least number of tokens asked for with each of the prompts that are sent
// together, so that none is answered before all others that find a slot are in one: a server may
// read the first of them alone.
const keptTokens = 6

// longer is how many more tokens the answers may have. The sums of any two differ, so that no two
// slots are done at the same moment: which of two prompts is lost would then be left to chance.
var longer = [keptMost]int{0, 1, 5, 12, 25, 27, 35, 41, 44}

// forked returns probes with prompts as long as the one that was timed; the first half is common to
// all.
func (p *examination) forked(n int) []ask {
	sentences := p.knownSentences()
	head := nonce() + strings.Repeat(sentence, sentences/2)
	probes := make([]ask, n)

	for i := range probes {
		probes[i] = singleToken(p.filler(head+" "+nonce(), sentences-sentences/2))
		probes[i].sampling.MaxTokens = keptTokens + longer[i]
	}
	return probes
}

// sendAll makes probes at the same time and returns their prompts in the order of the answers.
func (p *examination) sendAll(ctx context.Context, probes []ask) (answered []Prompt, err error) {
	var all sync.WaitGroup
	var mu sync.Mutex // guards what is returned

	for _, a := range probes {
		all.Go(func() {
			_, failed := p.draw(ctx, a)

			mu.Lock()
			defer mu.Unlock()

			err = errors.Join(err, failed)
			answered = append(answered, a.prompt)
		})
	}

	all.Wait()
	return answered, err
}
