package main

import (
	"context"
	"errors"

	"toolevo/envs/console"
	"toolevo/finetune"
	"toolevo/finetune/stored"
)

// storedEvaluation is an evaluation that is read, and the episodes that it lost.
type storedEvaluation struct {
	*stored.Evaluation
	missing finetune.Lost
}

// openEvaluation opens an evaluation. Of an unfinished one there are the episodes that it has so far, which is said.
func (a *app) openEvaluation(ctx context.Context, dir string) (*storedEvaluation, error) {
	e, err := stored.OpenEvaluation(ctx, dir)
	if err != nil {
		return nil, err
	}

	lost, err := e.Lost()
	if isMissing(err) {
		a.Say("%s is unfinished: these are the episodes so far. Continue with: toolevo eval --resume --out %s", dir,
			console.Shell(dir))
	} else if err != nil {
		return nil, errors.Join(err, e.Close())
	}

	return &storedEvaluation{e, lost}, nil
}

// playedEpisodes calls visit with every episode of some evaluations, in the order of their reports.
func (a *app) playedEpisodes(ctx context.Context, dirs []string, visit func(stored.Played)) error {
	for _, dir := range dirs {
		e, err := a.openEvaluation(ctx, dir)
		if err != nil {
			return err
		}

		for p, playErr := range e.Played(ctx, e.missing) {
			if err = playErr; err == nil {
				visit(p)
			}
		}

		if err = errors.Join(err, e.Close()); err != nil {
			return err
		}
	}

	return nil
}
