package mirror

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/toolbench/virtual"
)

// Explanations say how many pairs to explain, and how tokens are counted.
type Explanations struct {
	Successes int // the most pairs that succeed
	Failures  int // the most pairs that fail

	// Tokens counts the tokens of a text; nil counts four characters as one.
	Tokens func(text string) int
}

// PaperExplanations returns the numbers of the paper.
func PaperExplanations() Explanations { return Explanations{Successes: 43_597, Failures: 2_000} }

// The limits of the paper.
const (
	mostWords  = 300  // of a rationale
	mostTokens = 2560 // of the trained output: the rationale and the answer
)

// The reasons for refusing rationales.
const (
	errTooLong  refusal = "rationale of more than 300 words"
	errTokens   refusal = "output of more than 2560 tokens"
	errLeaks    refusal = "rationale with a part of the answer"
	errAPILimit refusal = "call of parameters that the document does not have, or without required ones"
)

// explain lets the model explain some pairs, drawn at random, and returns them with their
// rationales.
func (m *Model) explain(ctx context.Context, pairs []Pair, e Explanations, r *Report) ([]Pair, error) {
	chosen := e.choose(pairs, m.Seed)

	explained, err := written(ctx, m, len(chosen), r, func(ctx context.Context, i int) (answer[Pair], error) {
		p := chosen[i]
		return ask(ctx, m, rationalePrompt, described(&p), i, func(text string) (Pair, error) {
			var err error
			if p.Rationale, err = kept.Prose(text); err != nil {
				return p, err
			}
			return p, e.check(&p)
		})
	})
	r.Written.Rationales = len(explained)
	return explained, err
}

// choose draws the pairs to explain, and keeps their order.
func (e Explanations) choose(pairs []Pair, seed uint64) []Pair {
	succeed, fail := byOutcome(pairs)

	chosen, _ := draw(succeed, e.Successes, envs.Random(seed, "explain"))
	failed, _ := draw(fail, e.Failures, envs.Random(seed, "explain failures"))
	chosen = append(chosen, failed...)

	slices.SortFunc(chosen, func(p, q Pair) int { return p.compare(&q) })
	return chosen
}

// check refuses a rationale that must not be trained.
func (e Explanations) check(p *Pair) error {
	switch {
	case len(strings.Fields(p.Rationale)) > mostWords:
		return errTooLong
	case e.tokens(virtual.CoT.Reply(p.Rationale, p.Answer)) > mostTokens:
		return errTokens
	case leaks(p):
		return errLeaks
	}

	return nil
}

func (e Explanations) tokens(text string) int {
	if e.Tokens != nil {
		return e.Tokens(text)
	}
	return (utf8.RuneCountInString(text) + 3) / 4
}

// leastLeak is the length from which a value is not written by chance.
const leastLeak = 6

// leaks reports whether a rationale has a value of the answer that is in neither the document nor
// the request.
func leaks(p *Pair) bool {
	known := virtual.SFT.Request(p.Document, p.Input, nil)
	return slices.ContainsFunc(leaves(p.Answer.Response), func(value string) bool {
		return utf8.RuneCountInString(value) >= leastLeak && strings.Contains(p.Rationale, value) &&
			!strings.Contains(known, value)
	})
}

// leaves returns the texts and numbers within a value. Long texts are split into lines and
// sentences.
func leaves(v any) (all []string) {
	switch v := v.(type) {
	case string:
		return strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune("\n\".;,{}[]", r) })
	case envs.Number:
		return []string{string(v)}
	case []any:
		for _, item := range v {
			all = append(all, leaves(item)...)
		}
	case envs.Args:
		for _, member := range v {
			all = append(all, leaves(member.Value)...)
		}
	}

	return all
}
