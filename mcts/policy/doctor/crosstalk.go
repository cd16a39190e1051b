package doctor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"sync"

	"toolevo/mcts/policy/chat"
)

// things are what the words of unrelated prompts begin with.
var things = []string{"walnut", "heron", "copper", "lantern", "meadow", "anchor", "saffron", "glacier"}

// Bounds of the check of unrelated prompts.
const (
	wordTokens = 24 // of a reply, at most
	manyLost   = 2  // words that come back alone and not at once; fewer may be chance
)

// wordPrompt is a prompt with a word of its own, which its reply should repeat.
type wordPrompt struct {
	ask
	word string
}

// wordPrompts returns prompts that have only their form in common. A base model can continue the
// text as well as one that follows instructions.
func (p *examination) wordPrompts() []wordPrompt {
	all := make([]wordPrompt, len(things))

	for i, thing := range things {
		word := thing + secret()
		text := fmt.Sprintf("%s: the word of today is %s. Say it again.\n%[1]s: the word of today is", thing, word)
		prompt := Prompt{Text: text}

		if p.o.Chat {
			text = fmt.Sprintf("%s: the word of today is %s. Answer with the word and nothing else.", thing, word)
			prompt = Prompt{Messages: []chat.Message{{Role: chat.UserRole, Content: text}}}
		}

		all[i] = wordPrompt{ask{prompt: prompt, n: 1, seed: 1, sampling: greedy(wordTokens)}, word}
	}
	return all
}

// secret returns a number that no model guesses.
func secret() string {
	n, err := rand.Int(rand.Reader, big.NewInt(900))
	if err != nil {
		panic(err) // it never is
	}
	return fmt.Sprint(100 + n.Int64())
}

// crosstalk finds out whether replies are about their own prompts when unrelated ones are sent at
// once: a server's cache of prompts has been seen to continue another conversation, and nothing in
// the reply showed it. Whether a word comes back depends on the model, too, so the same prompts are
// sent one at a time if some are missing.
func (p *examination) crosstalk(ctx context.Context) (Check, error) {
	prompts := p.wordPrompts()

	atOnce, err := p.sayAtOnce(ctx, prompts)
	if err != nil {
		return Check{}, err
	}

	if c, strange := p.foreign(prompts, atOnce); strange {
		return c, nil
	}

	if countWords(prompts, atOnce) == len(prompts) {
		return passed("the words of %d unrelated prompts come back, each in the reply to its own",
			len(prompts)), nil
	}

	alone := make([]string, len(prompts))

	for i, prompt := range prompts {
		r, err := p.draw(ctx, prompt.ask)
		if err != nil {
			return Check{}, err
		}

		alone[i] = r.Choices[0].Text
	}
	return p.lost(ctx, prompts, atOnce, alone)
}

// lost judges replies in which words are missing. The prompts are sent at once again before the
// server is blamed.
func (p *examination) lost(ctx context.Context, prompts []wordPrompt, atOnce, alone []string) (Check, error) {
	// A word of another prompt is worse than a missing one, whenever it turns up.
	if c, strange := p.foreign(prompts, alone); strange {
		return c, nil
	}

	again, err := p.sayAtOnce(ctx, prompts)
	if err != nil {
		return Check{}, err
	}

	if c, strange := p.foreign(prompts, again); strange {
		return c, nil
	}

	lost, example := 0, ""

	for i, prompt := range prompts {
		// A model leaves out a word now and then. A word is lost if the model can say it, and it
		// was missing twice beside other prompts.
		if prompt.in(alone[i]) && !prompt.in(atOnce[i]) && !prompt.in(again[i]) {
			lost, example = lost+1, fmt.Sprintf("%q got %q", prompt.word, again[i])
		}
	}

	repeated := countWords(prompts, alone)
	if lost >= manyLost {
		return p.finding("crosstalk-lost", lost, repeated, example), nil
	}
	return passed("no reply has the word of another prompt (the model repeats %d of %d words when "+
		"asked alone)", repeated, len(prompts)), nil
}

// foreign is the finding of a reply that has the word of another prompt.
func (p *examination) foreign(prompts []wordPrompt, replies []string) (c Check, found bool) {
	for i, reply := range replies {
		for j, other := range prompts {
			if i != j && other.in(reply) {
				return p.finding("crosstalk", prompts[i].word, other.word, reply), true
			}
		}
	}

	return Check{}, false
}

// in reports whether a reply has the word.
func (w wordPrompt) in(reply string) bool { return strings.Contains(strings.ToLower(reply), w.word) }

// countWords is how many replies have the words of their prompts.
func countWords(prompts []wordPrompt, replies []string) (n int) {
	for i, prompt := range prompts {
		if prompt.in(replies[i]) {
			n++
		}
	}

	return n
}

// sayAtOnce sends prompts at the same time, and returns the texts of the replies.
func (p *examination) sayAtOnce(ctx context.Context, prompts []wordPrompt) ([]string, error) {
	texts, errs := make([]string, len(prompts)), make([]error, len(prompts))
	var all sync.WaitGroup

	for i, prompt := range prompts {
		all.Go(func() {
			r, err := p.draw(ctx, prompt.ask)
			if errs[i] = err; err == nil {
				texts[i] = r.Choices[0].Text
			}
		})
	}

	all.Wait()
	return texts, errors.Join(errs...)
}
