package stored

import (
	"cmp"
	"context"
	"errors"
	"io/fs"

	"toolevo/envs/console"
	"toolevo/finetune"
	"toolevo/finetune/rundir"
	"toolevo/mcts/store"
)

// Reading is an evaluation opened for reading, and the episodes that it lost.
type Reading struct {
	*Evaluation
	Missing    finetune.Lost   // those given up among them
	Noted      []store.GivenUp // as given up since the last end, because a request failed alone
	Unfinished bool            // it has never come to its end
}

// OpenReading opens an evaluation to report on it. An unfinished one has the episodes so far, which
// say tells the user; one without any is rejected.
func OpenReading(ctx context.Context, say func(format string, args ...any), dir string) (*Reading, error) {
	e, err := OpenEvaluation(ctx, dir)
	if err != nil {
		return nil, err
	}

	read, err := e.Read(ctx)
	if err == nil {
		err = read.refuseEmpty(ctx)
	}

	if err != nil {
		return nil, errors.Join(err, e.Close())
	}

	if read.Unfinished {
		e.Run.SayUnfinished(say)
	}
	return read, nil
}

// Read reads which episodes an evaluation has lost: those of its file and, while that does not
// exist or an interrupted run continued since, those noted as given up.
func (e *Evaluation) Read(ctx context.Context) (*Reading, error) {
	lost, err := e.Lost()

	unfinished := errors.Is(err, fs.ErrNotExist)
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

	return &Reading{e, lost, givenUp, unfinished}, err
}

// SayUnfinished says how to continue a run that is not finished.
func (r *Run) SayUnfinished(say func(format string, args ...any)) {
	if state, err := rundir.StateOf(r.Dir); err == nil && state == rundir.Running {
		say("%s is still running: this is what it has so far.", r.Dir)
		return
	}

	say("%s is unfinished: this is what it has so far. Continue with: toolevo %s", r.Dir,
		Continuation(r.Run))
}

// refuseEmpty rejects an evaluation about which nothing can be said yet.
func (r *Reading) refuseEmpty(ctx context.Context) error {
	n, err := r.TreeCount(ctx)
	if err != nil || n+len(r.Missing) > 0 {
		return console.GaveUp(err)
	}
	return console.Usage("%s has no episode yet: continue it with `toolevo %s`", r.Dir,
		Continuation(r.Run.Run))
}
