package main

import (
	"context"

	"toolevo/finetune/stored"
)

// evaluations are evaluations that are read together.
type evaluations []*stored.Reading

// openEvaluations opens evaluations. What it returns is to be closed, also beside an error.
func (a *app) openEvaluations(ctx context.Context, dirs []string) (all evaluations, err error) {
	for _, dir := range dirs {
		e, err := stored.OpenReading(ctx, &a.Program, dir)
		if err != nil {
			return all, err
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

// played calls visit with every episode, in the order of the reports.
func (all evaluations) played(ctx context.Context, visit func(stored.Played)) error {
	for _, e := range all {
		for p, err := range e.Played(ctx, e.Missing) {
			if err != nil {
				return err
			}

			visit(p)
		}
	}

	return nil
}

// playedEpisodes calls visit with every episode of some evaluations, in the order of their reports.
func (a *app) playedEpisodes(ctx context.Context, dirs []string, visit func(stored.Played)) error {
	all, err := a.openEvaluations(ctx, dirs)
	defer all.close()

	if err != nil {
		return err
	}

	return all.played(ctx, visit)
}
