package doctor

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"

	"toolevo/mcts/policy/chat"
)

// sentence is what fillers are made of. Words with a space before each are cut alike by every
// tokenizer, so each sentence of a filler has as many tokens as the others.
const sentence = " The river runs past the old mill and on to the sea."

// The fillers by which a sentence is measured.
const (
	shortFiller = 4
	longFiller  = 20
	quickFiller = 8 // the longer one of quick mode
)

// scale says how long fillers are in tokens of the server's tokenizer.
type scale struct {
	around int // tokens beside the sentences
	each   int // tokens of a sentence; 0 when the server does not count
}

// sentences is how many make a filler of at most that many tokens.
func (s scale) sentences(tokens int) int { return max(1, (tokens-s.around)/s.each) }

// tokens is the length of a filler.
func (s scale) tokens(sentences int) int { return s.around + s.each*sentences }

// filler is a prompt of sentences after some text.
func (p *examination) filler(before string, sentences int) Prompt {
	text := before + strings.Repeat(sentence, sentences)
	if p.o.Chat {
		return Prompt{Messages: []chat.Message{{Role: chat.UserRole, Content: text}}}
	}
	return Prompt{Text: text}
}

// nonce returns text that no prompt had before.
func nonce() string { return "Note " + rand.Text() + "." }

// singleToken is a probe for one token: what counts is the prompt.
func singleToken(prompt Prompt) ask {
	return ask{prompt: prompt, n: 1, seed: 1, sampling: neutral(1)}
}

// measure finds the scale. It is not a check of its own: those that need the scale say why it is
// missing.
func (p *examination) measure(ctx context.Context) (none Check, err error) {
	var counts [2]int

	for i, sentences := range [...]int{shortFiller, p.effort.filler} {
		r, err := p.draw(ctx, singleToken(p.filler("", sentences)))
		if err != nil {
			return none, nil
		}

		counts[i] = r.PromptTokens
	}

	p.scale.each = (counts[1] - counts[0]) / (p.effort.filler - shortFiller)
	p.scale.around = counts[0] - p.scale.each*shortFiller
	return none, nil
}

// errUncounted says why there is no scale.
var errUncounted = errors.New("the server does not count the tokens of a prompt")

// Bounds of the check of templates.
const (
	mostAround   = 4  // tokens that may be added to a raw prompt: that of the beginning, and rounding
	observedLong = 40 // sentences of the longer observation
)

// template finds out whether what is sent reaches the model, and nothing else does.
func (p *examination) template(ctx context.Context) (Check, error) {
	switch {
	case p.scale.each <= 0:
		return Check{}, errUncounted
	case p.o.Chat:
		return p.observations(ctx)
	case p.scale.around <= mostAround:
		return passed("raw prompts reach the model as they are"), nil
	}

	return p.finding("template-added", number(p.scale.around)), nil
}

// observations finds out whether a chat template renders them: the prompt must grow with the
// observation.
func (p *examination) observations(ctx context.Context) (Check, error) {
	var counts [2]int

	for i, sentences := range [...]int{1, 1 + observedLong} {
		r, err := p.draw(ctx, singleToken(p.o.Observed(strings.Repeat(sentence, sentences))))
		if err != nil {
			return Check{}, err
		}

		counts[i] = r.PromptTokens
	}

	grown, want := counts[1]-counts[0], observedLong*p.scale.each
	if grown >= want/2 {
		return passed("observations reach the model: %s tokens more make %s more",
			number(want), number(grown)), nil
	}
	return p.finding("template-drops", number(want), number(grown)), nil
}
