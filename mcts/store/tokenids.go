package store

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"toolevo/mcts"
)

// The ids of a prompt's tokens are kept in the first call at a node that has any, as the difference
// to those of the parent node:
//
//	1 + the parent's sample whose ids the prompt continues, or 0 for none; how many ids are the same; the other ids
//
// All are uvarints. What they are compared with is the parent's prompt and the ids of that sample.

// hasIDs reports whether proposals have token ids.
func hasIDs(all []mcts.Proposal) bool {
	return slices.ContainsFunc(all, func(p mcts.Proposal) bool { return p.PromptIDs != "" || p.Sampled != "" })
}

// shorten returns proposals as the log keeps them, with the difference in place of their prompt's
// ids.
func (p *Policy) shorten(ctx context.Context, path string, all []mcts.Proposal) ([]mcts.Proposal, error) {
	i := slices.IndexFunc(all, func(p mcts.Proposal) bool { return p.PromptIDs != "" })
	if i < 0 {
		return all, nil
	}

	prompt, err := mcts.UnpackIDs(all[i].PromptIDs)
	if err != nil {
		return nil, err
	}

	kept := slices.Clone(all)
	for i := range kept {
		kept[i].PromptIDs = ""
	}

	p.mu.Lock()
	defer p.mu.Unlock()

	known, _, err := p.ids(ctx, path)
	if err == nil && !slices.Equal(known, prompt) {
		kept[0].PromptIDs, err = p.difference(ctx, path, prompt)
	}
	return kept, err
}

// difference encodes a prompt's ids as their difference to those of the parent node.
func (p *Policy) difference(ctx context.Context, path string, prompt []int) (string, error) {
	above, samples, err := p.ids(ctx, parentOf(path))
	if err != nil {
		return "", err
	}

	best, same := 0, common(above, prompt)
	for i, sample := range samples {
		if n := common(slices.Concat(above, sample.Sampled), prompt); n > same {
			best, same = i+1, n
		}
	}

	head := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(best)), uint64(same))
	return string(head) + mcts.PackIDs(prompt[same:]), nil
}

// common is the length of the beginning that two lists share.
func common(a, b []int) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// parentOf is the path of the parent node, "" for that of the root.
func parentOf(path string) string { return path[:max(strings.LastIndexByte(path, '.'), 0)] }

// idsOf is a sample and the ids of its tokens.
type idsOf struct {
	text string
	mcts.TokenIDs
}

// ids returns what the log has at a node: the ids of its prompt, or nil, and its samples in their
// order. The caller holds the lock.
func (p *Policy) ids(ctx context.Context, path string) (prompt []int, samples []idsOf, err error) {
	difference := ""

	for first := 0; ; {
		l, ok := p.logged[callKey{path, first}]
		if !ok {
			break
		}

		proposals, err := p.store.proposals(ctx, l)
		if err != nil {
			return nil, nil, err
		}

		for _, proposal := range proposals {
			sample := idsOf{text: proposal.Text}
			if proposal.Sampled != "" {
				if err := sample.UnpackSampled(proposal.Sampled); err != nil {
					return nil, nil, damaged("%w", err)
				}
			}

			// Only one proposal has it: later ones saw the same prompt.
			if proposal.PromptIDs != "" {
				difference = proposal.PromptIDs
			}

			samples = append(samples, sample)
		}

		// A call that brought nothing must not be found again and again.
		first += max(l.n, 1)
	}

	if difference == "" {
		return nil, samples, nil
	}

	// Needs the ids of the parent, and so on up to the root, whose difference is to nothing.
	prompt, err = p.undo(ctx, path, difference)
	return prompt, samples, err
}

// undo returns a prompt from its difference to the parent node.
func (p *Policy) undo(ctx context.Context, path, difference string) ([]int, error) {
	above, samples, err := p.ids(ctx, parentOf(path))
	if err != nil {
		return nil, err
	}

	r := reader{[]byte(difference)}
	sample, same := r.uvarint(), r.uvarint()

	if sample > 0 && sample <= uint64(len(samples)) {
		above = slices.Concat(above, samples[sample-1].Sampled)
	}

	rest, err := mcts.UnpackIDs(string(r.b))
	if err != nil || r.b == nil || sample > uint64(len(samples)) || same > uint64(len(above)) {
		return nil, damaged("the token ids of the prompt at %s: %w", path, mcts.ErrTokenIDs)
	}
	return slices.Concat(above[:same], rest), nil
}

// TokenIDs returns the token ids of the first sample at a node that is a text and nothing else; ok
// is false if the log has none.
func (p *Policy) TokenIDs(ctx context.Context, path, text string) (t mcts.TokenIDs, ok bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()

	prompt, samples, err := p.ids(ctx, path)

	i := slices.IndexFunc(samples, func(s idsOf) bool { return s.Whole && s.text == text })
	if err != nil || i < 0 || prompt == nil {
		return t, false, fail("read the token ids at "+path, err)
	}

	samples[i].Prompt = prompt
	return samples[i].TokenIDs, true, nil
}
