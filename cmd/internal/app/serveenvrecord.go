package app

import (
	"context"
	"errors"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/finetune/external"
	"toolevo/finetune/rundir"
	"toolevo/finetune/stored"
)

// nameAgent says who plays, and whether the run that keeps the episodes exists: the job that began
// it resumes it, as does one that names no agent.
func (j *EnvironmentsJob) nameAgent() error {
	if j.Out == "" && j.Agent != "" {
		return console.Usage("‹agent› names who plays in the run of ‹record› RUN, " +
			"which is not given")
	}

	j.Resume = j.Out != "" && IsRun(j.Out)
	if j.Agent == "" && !j.Resume {
		j.Agent = "agent"
	}

	if j.Out != "" && j.Agent != "" {
		j.Settings = j.Settings.With("policy", configs.External+":"+j.Agent)
	}
	return nil
}

// record begins the run that keeps episodes, or resumes it, and reports on all that it has when
// work is done.
func (j *EnvironmentsJob) record(ctx context.Context, b *Bench,
	work func(*stored.Run, *external.Recorder) error) (err error) {
	if !configs.IsExternal(b.Config.Policy[0]) {
		return console.Usage("‹record› %s: it holds an evaluation that toolevo made, not what "+
			"other agents did", j.Out)
	}

	j.announce(b.Config)

	run, err := j.startRun(ctx, b)

	// An interruption here leaves no run behind that could be resumed.
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return j.notBegun()
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

	// The job's context has ended the server: what it did is yet to be counted and reported.
	ctx = context.WithoutCancel(ctx)
	if err := run.CountPlayed(ctx); err != nil {
		return console.GaveUp(err)
	}

	_, err = run.Evaluation(run.Questions).Write(ctx, nil)
	return console.GaveUp(err)
}
