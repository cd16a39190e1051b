package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/finetune/external"
	"toolevo/finetune/rundir"
	"toolevo/finetune/stored"
)

// recordFlags are those of the run that keeps the episodes. One that is there goes on by the same
// command that began it, or without any flag that it knows.
func (a *app) recordFlags(cmd *cobra.Command, s *settings, o *serveEnvOptions) (*runFlags, error) {
	resume, mix, id := o.record != "" && isRun(o.record), false, ""
	f := &runFlags{
		settings: s, command: "serve env", kind: stored.Evaluated, data: &o.data, out: &o.record, id: &id,
		resume: &resume, mixEngines: &mix, dryRun: new(bool), grows: true,
		pythonServers: o.pythonServers,
	}

	named := cmd.Flags().Changed("agent")

	switch {
	case o.record == "" && named:
		return nil, console.Usage("--agent names who plays in the run of --record RUN, which is not given")
	case o.agent == "":
		return nil, console.Usage("--agent is empty: want a name")
	case o.record == "", resume && !named: // the run says who plays
		return f, nil
	}

	s.set = append(s.set, "policy="+configs.External+":"+o.agent)

	return f, nil
}

// recorded begins the run that keeps episodes, or goes on with it, and reports on all that it has when work is done.
func (a *app) recorded(ctx context.Context, f *runFlags, b *bench,
	work func(*stored.Run, *external.Recorder) error) (err error) {
	if !configs.IsExternal(b.Config.Policy[0]) {
		return console.Usage("--record %s: it holds an evaluation of ours, not what agents of others did", *f.out)
	}

	f.announce(b.Config)

	run, err := a.startRun(ctx, stored.Evaluated, f, b)

	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return errNotBegun
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, run.Close()) }()

	r, err := external.NewRecorder(ctx, run.Store, b.Config.Policy[0], b.Config.Eval.MaxTurns)
	if err != nil {
		return console.GaveUp(err)
	}

	finish := rundir.Note(run.Dir, func() rundir.Progress { return rundir.Progress{Done: r.Done()} })

	if err := errors.Join(work(run, r), finish()); err != nil {
		return err
	}

	// The server ends with the command's context, what it has done is yet to be told.
	return a.reportRecorded(context.WithoutCancel(ctx), run)
}

// reportRecorded writes the files of an evaluation.
func (a *app) reportRecorded(ctx context.Context, run *stored.Run) error {
	if err := run.CountPlayed(ctx); err != nil {
		return console.GaveUp(err)
	}

	if _, err := run.Evaluation(run.Questions).Write(ctx, nil); err != nil {
		return console.GaveUp(err)
	}

	a.Say("What was recorded: toolevo %s (or report, view, check)", console.Shell("inspect", run.Dir))

	return nil
}
