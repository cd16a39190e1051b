package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"toolevo/envs/console"
	"toolevo/finetune/rundir"
	"toolevo/finetune/stored"
	"toolevo/mcts/collect"
	"toolevo/mcts/collect/cluster"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/store"
)

// inRun begins a run, or resumes it, and does its work.
func (j *RunJob) inRun(ctx context.Context, b *Bench, work func(*stored.Run) error) (err error) {
	run, err := j.startRun(ctx, b)
	if err != nil {
		return j.notStarted(ctx, err)
	}
	defer func() {
		err = errors.Join(err, run.Close())
		b.logEnd(err)
	}()

	if j.Begun != nil {
		j.Begun(Stop{Dir: run.Dir, Settings: j.overrides})
	}
	return work(run)
}

// followed is what can be seen of a run in progress.
type followed struct {
	figures  prometheus.Collector // nil at a worker: those of the run are its coordinator's
	done     func() int64         // work, for the run's health
	progress func() rundir.Progress
	status   func() func() console.Status // each for one goroutine
	ended    func()                       // said before what servers did; may be nil
	workers  *cluster.Coordinator         // of a run that workers do, or nil
}

// follow shows how a run is doing to the host, in its folder and to Prometheus, until finish is
// called.
func (j *RunJob) follow(b *Bench, run *stored.Run, w followed) (finish func() error, err error) {
	if err := j.publish(b, run.Run, w); err != nil {
		return nil, err
	}

	progress := func() rundir.Progress {
		p := w.progress()
		p.Workers = workersNote(w.workers)
		return p
	}

	finishTally := j.tally(run.Dir, b)
	finishNote := rundir.Note(run.Dir, progress)
	hide := j.Report(w.status())
	silence := (&pulse{b.Log, w.status(), j.Servers.Account.Total, b.Snapshots}).beat()
	return func() error {
		silence()
		hide()

		if w.ended != nil {
			w.ended()
		}
		return cmp.Or(finishTally(), console.GaveUp(finishNote()))
	}, nil
}

// notStarted returns the error of a run directory that was not opened. An interruption may have
// come before it was made, or after.
func (j *RunJob) notStarted(ctx context.Context, err error) error {
	switch {
	case ctx.Err() == nil || !errors.Is(err, context.Canceled):
		return err
	case IsRun(j.Out):
		return j.stopped(err)
	}

	return j.notBegun()
}

// IsRun reports whether a directory holds a run.
func IsRun(dir string) bool {
	_, err := store.ReadManifest(dir)
	return err == nil
}

// Stop says how far a run has come that can be resumed.
type Stop struct {
	Dir        string   // of the run
	Settings   []string // each KEY=VALUE, that it must be resumed with beside its own
	Unreadable bool     // it must be resumed with Unreadable, too: no action can be read from what the model writes
	Reached    string   // the option of the limit that ended it, which it is resumed without; "" for none
}

// StoppedError is the end of a run that can be resumed. An error of a kind wraps it.
type StoppedError struct {
	Stop
	text string // why, and how to go on
	err  error
}

// Error says why the run stopped, and how to go on.
func (e *StoppedError) Error() string { return e.text }

// Unwrap returns why the run stopped.
func (e *StoppedError) Unwrap() error { return e.err }

// stopError returns the end of a run because of an error. why says what is kept, and leads up to
// how to resume.
func (j *RunJob) stopError(err error, why string, unreadable bool) error {
	end := Stop{Dir: j.Out, Settings: j.overrides, Unreadable: unreadable}
	if limit := j.Servers.Account.Reached(); limit != nil {
		end.Reached = limit.Option
	}

	words := "the same job with ‹resume› in " + end.Dir
	if j.Continue != nil {
		words = j.Continue(end)
	}
	return &StoppedError{end, why + "\n  " + words, err}
}

// stopped turns the end of an unfinished run into what can be done about it.
func (j *RunJob) stopped(err error) error {
	if _, lost := store.ReadManifest(j.Out); errors.Is(lost, store.ErrNoRun) {
		return console.GaveUp(fmt.Errorf("%w\n%s was removed or moved while the run was writing to it: there is "+
			"nothing to continue", err, j.Out))
	}

	var (
		unresolved *collect.UnresolvedError
		gone       *server.GoneError
	)

	kept := "Everything so far is kept. Continue with:"

	switch {
	case errors.Is(err, store.ErrDamaged), errors.Is(err, store.ErrHistory):
		return console.Bad("%w", err) // resuming would end here again
	case errors.As(err, &gone):
		err = gone // at which node it was found out is of no use
	case errors.Is(err, context.Canceled):
		why := j.Servers.Account.Why() + "; everything so far is kept. Continue with:"
		return console.Interrupted("%w", j.stopError(err, why, false))
	case errors.As(err, &unresolved):
		kept = "The other trees are kept. Try those again with:"
	}

	return console.GaveUp(j.stopError(err, fmt.Sprintf("%v\n%s", err, kept), false))
}
