package mirror

import (
	"context"
	"slices"

	"toolevo/envs/toolbench/recorded"
)

// Plan says how calls become data.
type Plan struct {
	Options
	Sizes Sizes

	Check *Model // judges whether pairs follow their documents; nil skips that

	Augment *Model // invents pairs like those that are trained on; nil invents none
	Pairs   int    // how many to invent, before any are dropped

	Explain      *Model // explains APIs; nil explains none
	Explanations Explanations
}

// Built is data with its explained pairs, and a report on what became of the calls.
type Built struct {
	*Data
	Explained []Pair
	Report    *Report
}

// Build carries out the plan.
func (p *Plan) Build(
	ctx context.Context, calls map[Kind][]recorded.Call, documents *recorded.Documents,
) (*Built, error) {
	r := NewReport()
	r.Seed, r.Sizes, r.Failures = p.Seed, p.Sizes, p.Failures

	pairs, err := p.checked(ctx, selectPairs(calls, documents, p.Options, r), r)
	if err != nil {
		return nil, err
	}

	b := &Built{Data: divideCalls(pairs, p.Sizes, p.Seed, r), Report: r}

	if p.Augment != nil {
		if err := p.augment(ctx, b, pairs, documents); err != nil {
			return nil, err
		}
	}

	if p.Explain != nil {
		b.Explained, err = p.Explain.explain(ctx, b.Train[Recorded], p.Explanations, r)
	}
	return b, err
}

// checked returns the pairs that follow their documents.
func (p *Plan) checked(ctx context.Context, pairs []Pair, r *Report) ([]Pair, error) {
	if p.Check == nil {
		return pairs, nil
	}
	return p.Check.check(ctx, pairs, r)
}

// augment adds invented pairs to those that are trained on. Models are shown no pair of the test
// set, and what they invent repeats no pair of either set.
func (p *Plan) augment(ctx context.Context, b *Built, pairs []Pair, documents *recorded.Documents) error {
	calls, err := p.Augment.augment(ctx, b.Train[Recorded], p.Pairs, b.Report)
	if err != nil {
		return err
	}

	invented := useful(calls, Augmented, documents, p.Rules, b.Report)
	all := unique(slices.Concat(pairs, invented), b.Report)

	known := map[string]bool{}
	for i := range pairs {
		known[pairs[i].request] = true
	}

	fresh := slices.DeleteFunc(all, func(pair Pair) bool { return pair.Kind != Augmented || known[pair.request] })

	if fresh, err = p.checked(ctx, fresh, b.Report); err != nil {
		return err
	}

	b.Train[Augmented] = append(b.Train[Augmented], fresh...)
	slices.SortFunc(b.Train[Augmented], func(p, q Pair) int { return p.compare(&q) })
	return nil
}
