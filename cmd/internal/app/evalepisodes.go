package app

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

// StoredEvaluation is an evaluation that is read, and the episodes that it lost.
type StoredEvaluation struct {
	*stored.Evaluation
	Missing    finetune.Lost   // those given up among them
	GivenUpNow []store.GivenUp // noted since the last end, as a request failed alone
	Unfinished bool            // it has not come to its end once
}

// OpenEvaluation opens an evaluation to say what came of it. Of an unfinished one there are the
// episodes that it has so far, which is said; one without any is refused.
func (h *Host) OpenEvaluation(ctx context.Context, dir string) (*StoredEvaluation, error) {
	e, err := stored.OpenEvaluation(ctx, dir)
	if err != nil {
		return nil, err
	}

	read, err := ReadEvaluation(ctx, e)
	if err == nil {
		err = read.refuseEmpty(ctx)
	}

	if err != nil {
		return nil, errors.Join(err, e.Close())
	}

	if read.Unfinished {
		h.SayUnfinished(e.Run)
	}

	return read, nil
}

// ReadEvaluation reads which episodes an evaluation has lost: those of its file and, while that is
// not there or an interrupted run went on since, those noted as given up.
func ReadEvaluation(ctx context.Context, e *stored.Evaluation) (*StoredEvaluation, error) {
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

	return &StoredEvaluation{e, lost, givenUp, unfinished}, err
}

// SayUnfinished says how to go on with a run that is not finished.
func (h *Host) SayUnfinished(run *stored.Run) {
	if state, err := rundir.StateOf(run.Dir); err == nil && state == rundir.Running {
		h.Say("%s is still running: this is what it has so far.", run.Dir)
		return
	}

	h.Say("%s is unfinished: this is what it has so far. Continue with: %s", run.Dir, Continuation(run))
}

// refuseEmpty refuses an evaluation of which nothing can be said.
func (e *StoredEvaluation) refuseEmpty(ctx context.Context) error {
	n, err := e.TreeCount(ctx)
	if err != nil || n+len(e.Missing) > 0 {
		return console.GaveUp(err)
	}

	return console.Usage("%s has no episode yet: `toolevo %s` goes on with it", e.Dir, stored.Continuation(e.Run.Run))
}

// Evaluations are evaluations that are read together.
type Evaluations []*StoredEvaluation

// OpenEvaluations opens evaluations. What it returns is to be closed, also beside an error.
func (h *Host) OpenEvaluations(ctx context.Context, dirs []string) (all Evaluations, err error) {
	for _, dir := range dirs {
		e, err := h.OpenEvaluation(ctx, dir)
		if err != nil {
			return all, err
		}

		all = append(all, e)
	}

	return all, nil
}

// Close closes them.
func (all Evaluations) Close() {
	for _, e := range all {
		e.Close()
	}
}

// Played calls visit with every episode, in the order of the reports.
func (all Evaluations) Played(ctx context.Context, visit func(stored.Played)) error {
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

// PlayedEpisodes calls visit with every episode of some evaluations, in the order of their reports.
func (h *Host) PlayedEpisodes(ctx context.Context, dirs []string, visit func(stored.Played)) error {
	all, err := h.OpenEvaluations(ctx, dirs)
	defer all.Close()

	if err != nil {
		return err
	}

	return all.Played(ctx, visit)
}
