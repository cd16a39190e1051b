package app

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"toolevo/finetune"
	"toolevo/finetune/facts"
	"toolevo/finetune/failure"
	"toolevo/finetune/stored"
)

// evaluations are evaluations that are read together.
type evaluations []*stored.Reading

// openEvaluations opens evaluations, which the caller closes.
func (h *Host) openEvaluations(ctx context.Context, dirs []string) (all evaluations, err error) {
	for _, dir := range dirs {
		e, err := stored.OpenReading(ctx, h.Say, dir)
		if err != nil {
			all.close()
			return nil, err
		}

		all = append(all, e)
	}
	return all, nil
}

// close closes them.
func (all evaluations) close() {
	for _, e := range all {
		e.Close()
	}
}

// named returns them for a report on all, by the names of their folders, or by the paths where two
// have one name.
func (all evaluations) named(ctx context.Context) (named []finetune.Evaluation) {
	for _, e := range all {
		name := filepath.Base(e.Dir)
		shared := func(o *stored.Reading) bool {
			return o.Dir != e.Dir && filepath.Base(o.Dir) == name
		}

		if slices.ContainsFunc(all, shared) {
			name = e.Dir
		}

		named = append(named, finetune.Evaluation{
			Name: name, Jobs: e.Jobs, Questions: e.Questions, Episodes: e.Episodes(ctx, e.Missing),
		})
	}
	return named
}

// board joins what their episodes add up to, in the order of the reports. Policies have the names
// that they have in a comparison.
func (all evaluations) board(ctx context.Context) (*facts.Board, error) {
	joined, named := &facts.Board{}, all.named(ctx)
	name := finetune.Naming(named)

	for i, e := range all {
		b, err := e.Board(ctx, e.Missing)
		if err != nil {
			return nil, err
		}

		b.Rename(func(policy string) string { return name(named[i], policy) })
		joined.Facts = append(joined.Facts, b.Facts...)
		joined.Calls = append(joined.Calls, b.Calls...)
		joined.Verdicts = append(joined.Verdicts, b.Verdicts...)
	}
	return joined, nil
}

// failed draws n of their failed episodes to read.
func (all evaluations) failed(ctx context.Context, n int, seed uint64) ([]failure.Case, error) {
	if n == 0 {
		return nil, nil
	}

	sample := failure.Sample{Size: n, Rand: rand.New(rand.NewPCG(seed, 0))}

	for _, e := range all {
		for p, err := range e.Played(ctx, e.Missing) {
			if err != nil {
				return nil, err
			}

			if v, failed := failure.Classify(p.Episode, facts.Names(p.Version)); failed {
				sample.Add(p.Episode, p.API, v)
			}
		}
	}

	return sample.Cases(), nil
}

// Board returns what the episodes of some evaluations add up to, in the order of their reports.
func (h *Host) Board(ctx context.Context, dirs []string) (*facts.Board, error) {
	all, err := h.openEvaluations(ctx, dirs)
	if err != nil {
		return nil, err
	}
	defer all.close()

	return all.board(ctx)
}
