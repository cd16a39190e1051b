package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/finetune/rundir"
	"toolevo/finetune/stored"
	"toolevo/mcts/collect"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/store"
)

// makeRun opens what the flags of a command choose, and does its work once the run can begin. With --dry-run it shows
// what the run would be instead. check, which may be nil, refuses a configuration that the command cannot use.
func (a *app) makeRun(cmd *cobra.Command, kind string, f *runFlags, check, work func(*bench) error) error {
	b, err := f.resolve(cmd.Context(), cmd)
	if err != nil {
		return err
	}
	defer b.close()

	if check != nil {
		if err := check(b); err != nil {
			return err
		}
	}

	if *f.dryRun {
		return a.dryRun(cmd.Context(), kind, f, b)
	}

	f.announce(b.Config)

	if err := f.prepare(cmd.Context(), b); err != nil {
		return err
	}

	return work(b)
}

// inRun begins a run, or continues it, and does its work.
func (a *app) inRun(ctx context.Context, kind string, f *runFlags, b *bench, work func(*stored.Run) error) (err error) {
	run, err := a.startRun(ctx, kind, f, b)
	if err != nil {
		return a.notStarted(ctx, kind, f, err)
	}
	defer func() {
		err = errors.Join(err, run.Close())
		b.logEnd(err)
	}()

	a.ending.begin(resumeCommand(f))
	defer a.ending.begin("")

	return work(run)
}

// followed is what can be seen of a run that is worked on.
type followed struct {
	figures  prometheus.Collector
	done     func() int64 // work, for the run's health
	progress func() rundir.Progress
	status   func() console.Status
	ended    func() // said before what servers did; may be nil
}

// follow shows how a run is doing on the screen, in its folder and to Prometheus, until finish is called.
func (a *app) follow(f *runFlags, b *bench, run *stored.Run, w followed) (finish func() error, err error) {
	if err := b.publish(run.Run, w.figures, w.done); err != nil {
		return nil, err
	}

	finishTally := a.tally(run.Dir, b)
	finishNote := rundir.Note(run.Dir, w.progress)
	hide := a.Report(*f.progress, w.status)

	return func() error {
		hide()

		if w.ended != nil {
			w.ended()
		}

		return cmp.Or(finishTally(), console.GaveUp(finishNote()))
	}, nil
}

// notStarted is the error of a run directory that was not opened. An interruption may have come before it was made, or
// after.
func (a *app) notStarted(ctx context.Context, kind string, f *runFlags, err error) error {
	switch {
	case ctx.Err() == nil || !errors.Is(err, context.Canceled):
		return err
	case isRun(*f.out):
		return a.stopped(kind, f, err)
	}

	return errNotBegun
}

// isRun reports whether a directory holds a run.
func isRun(dir string) bool {
	_, err := store.ReadManifest(dir)
	return err == nil
}

// stopped turns the end of an unfinished run into what the user can do about it.
func (a *app) stopped(kind string, f *runFlags, err error) error {
	if _, lost := store.ReadManifest(*f.out); errors.Is(lost, store.ErrNoRun) {
		return console.GaveUp(fmt.Errorf("%w\n%s was removed or moved while the run was writing to it: there is "+
			"nothing to continue", err, *f.out))
	}

	resume := resumeCommand(f)
	var unresolved *collect.UnresolvedError

	var gone *server.GoneError
	switch {
	case errors.Is(err, store.ErrDamaged), errors.Is(err, store.ErrHistory):
		return console.Bad("%w", err) // resuming would end here again
	case errors.As(err, &gone):
		err = gone // at which node it was found out is of no use
	case errors.Is(err, context.Canceled):
		return console.Interrupted("interrupted; everything so far is kept. Continue with:\n  %s", resume)
	case errors.As(err, &unresolved):
		return console.GaveUp(fmt.Errorf("%w\nThe other trees are kept. Try those again with:\n  %s", err, resume))
	}

	return console.GaveUp(fmt.Errorf("%w\nEverything so far is kept. Continue with:\n  %s", err, resume))
}
