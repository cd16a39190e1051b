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

// Reading is an evaluation that is read, and the episodes that it lost.
type Reading struct {
	*Evaluation
	Missing    finetune.Lost   // those given up among them
	Noted      []store.GivenUp // as given up since the last end, because a request failed alone
	Unfinished bool            // it has not come to its end once
}

// OpenReading opens an evaluation to say what came of it. Of an unfinished one there are the
// episodes that it has so far, which is said; one without any is refused.
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

// Read reads which episodes an evaluation has lost: those of its file and, while that is not there
// or an interrupted run went on since, those noted as given up.
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

// SayUnfinished says how to go on with a run that is not finished.
func (r *Run) SayUnfinished(say func(format string, args ...any)) {
	if state, err := rundir.StateOf(r.Dir); err == nil && state == rundir.Running {
		say("%s is still running: this is what it has so far.", r.Dir)
		return
	}

	say("%s is unfinished: this is what it has so far. Continue with: toolevo %s", r.Dir,
		Continuation(r.Run))
}

// refuseEmpty refuses an evaluation of which nothing can be said.
func (r *Reading) refuseEmpty(ctx context.Context) error {
	n, err := r.TreeCount(ctx)
	if err != nil || n+len(r.Missing) > 0 {
		return console.GaveUp(err)
	}
	return console.Usage("%s has no episode yet: `toolevo %s` goes on with it", r.Dir,
		Continuation(r.Run.Run))
}
