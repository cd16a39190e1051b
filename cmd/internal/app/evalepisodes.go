package app

import (
	"context"
	"math/rand/v2"

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

// board joins what their episodes add up to, in the order of the reports.
func (all evaluations) board(ctx context.Context) (*facts.Board, error) {
	joined := &facts.Board{}

	for _, e := range all {
		b, err := e.Board(ctx, e.Missing)
		if err != nil {
			return nil, err
		}

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
