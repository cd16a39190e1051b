package main

import (
	"cmp"
	"context"
	"errors"

	"toolevo/envs/console"
	"toolevo/finetune"
	"toolevo/finetune/rundir"
	"toolevo/finetune/stored"
	"toolevo/mcts/store"
)

// storedEvaluation is an evaluation that is read, and the episodes that it lost.
type storedEvaluation struct {
	*stored.Evaluation
	missing    finetune.Lost   // those given up among them
	givenUp    []store.GivenUp // noted since the last end, as a request failed alone
	unfinished bool            // it has not come to its end once
}

// openEvaluation opens an evaluation to say what came of it. Of an unfinished one there are the
// episodes that it has so far, which is said; one without any is refused.
func (a *app) openEvaluation(ctx context.Context, dir string) (*storedEvaluation, error) {
	e, err := stored.OpenEvaluation(ctx, dir)
	if err != nil {
		return nil, err
	}

	read, err := readEvaluation(ctx, e)
	if err == nil {
		err = read.refuseEmpty(ctx)
	}

	if err != nil {
		return nil, errors.Join(err, e.Close())
	}

	if read.unfinished {
		a.sayUnfinished(e.Run)
	}

	return read, nil
}

// readEvaluation reads which episodes an evaluation has lost: those of its file and, while that is
// not there or an interrupted run went on since, those noted as given up.
func readEvaluation(ctx context.Context, e *stored.Evaluation) (*storedEvaluation, error) {
	lost, err := e.Lost()

	unfinished := isMissing(err)
	if unfinished {
		lost, err = finetune.Lost{}, nil
	}

	if err != nil {
		return nil, err
	}

	givenUp, err := e.GivenUp(ctx)
	for _, g := range givenUp {
		attempt := finetune.Attempt{Episode: g.Question, Repeat: g.Tree}
		lost[attempt] = cmp.Or(lost[attempt], g.Reason)
	}

	return &storedEvaluation{e, lost, givenUp, unfinished}, err
}

// sayUnfinished says how to go on with a run that is not finished.
func (a *app) sayUnfinished(run *stored.Run) {
	if state, err := rundir.StateOf(run.Dir); err == nil && state == rundir.Running {
		a.Say("%s is still running: this is what it has so far.", run.Dir)
		return
	}

	a.Say("%s is unfinished: this is what it has so far. Continue with: %s", run.Dir, continuation(run))
}

// refuseEmpty refuses an evaluation of which nothing can be said.
func (e *storedEvaluation) refuseEmpty(ctx context.Context) error {
	n, err := e.TreeCount(ctx)
	if err != nil || n+len(e.missing) > 0 {
		return console.GaveUp(err)
	}

	return console.Usage("%s has no episode yet: `toolevo %s` goes on with it", e.Dir, stored.Continuation(e.Run.Run))
}

// evaluations are evaluations that are read together.
type evaluations []*storedEvaluation

// openEvaluations opens evaluations. What it returns is to be closed, also beside an error.
func (a *app) openEvaluations(ctx context.Context, dirs []string) (all evaluations, err error) {
	for _, dir := range dirs {
		e, err := a.openEvaluation(ctx, dir)
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
		for p, err := range e.Played(ctx, e.missing) {
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
