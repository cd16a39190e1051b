package app

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/finetune"
	"toolevo/finetune/rundir"
	"toolevo/finetune/stored"
	"toolevo/mcts/account"
	"toolevo/mcts/metrics"
	"toolevo/mcts/store"
	"toolevo/trajectories/export"
)

// EvaluateDefaults returns the default settings of an evaluation.
func EvaluateDefaults() map[string]string {
	return map[string]string{"split": "test", "api": "p_c,p_s_in,p_s_ood",
		"policy": "scripted:stale,scripted:reader"}
}

// EvaluateJob measures policies under API versions.
type EvaluateJob struct {
	RunJob
	Format    string   // of logs of the episodes, into a folder of its name in the run; "" writes none
	FailUnder []string // each SHARE or VERSION=SHARE: accuracies that the evaluation must reach
}

// Evaluated is the result of an evaluation.
type Evaluated struct {
	*finetune.Report
	Dir     string          `json:"-"` // the run directory
	Logs    string          `json:"-"` // the folder of logs, "" where none were asked for
	GivenUp []store.GivenUp `json:"-"` // episodes, as a request failed alone
	// Spent is by all models that were asked, in all passes. It is no part of the document, which
	// is the same for the same seed.
	Spent account.Total `json:"-"`
}

// Evaluate plays what is left of an evaluation, and writes its report. If questions were lost or an
// accuracy is too low it returns the result beside the error; Report is then not nil.
func Evaluate(ctx context.Context, job EvaluateJob) (Evaluated, error) {
	job.setCommand("eval", stored.Evaluated, EvaluateDefaults())
	return job.evaluate(ctx, nil)
}

// evaluate is Evaluate with a check of the configuration.
func (j *EvaluateJob) evaluate(ctx context.Context, check func(*Bench) error) (
	r Evaluated, err error) {
	// A threshold that cannot be read is rejected now, not after a night of episodes.
	least, err := parseThresholds(j.FailUnder)
	if err != nil {
		return r, err
	}

	if j.Format != "" {
		if _, err := export.ParseFormat(j.Format, export.Format.IsOfEvaluation); err != nil {
			return r, err
		}
	}

	b, err := j.open(ctx, func(b *Bench) error {
		if check != nil {
			if err := check(b); err != nil {
				return err
			}
		}
		return least.check(b.Deployed)
	})
	if err != nil {
		return r, err
	}
	defer b.Close()

	if j.Plan != nil {
		return r, j.plan(ctx, b, nil)
	}

	err = j.inRun(ctx, b, func(run *stored.Run) (err error) {
		if r, err = j.play(ctx, b, run); err != nil {
			return err
		}

		// A missed threshold counts for more than lost questions, which can be played again.
		if err = least.checkReport(r.Report); err != nil || !IsOpen(run) {
			return err
		}
		return lostQuestions(r.Report)
	})
	return r, err
}

// play plays what is left of an evaluation, and writes its report.
func (j *EvaluateJob) play(ctx context.Context, b *Bench, run *stored.Run) (
	r Evaluated, err error) {
	e, err := b.evaluation(run, run)
	if err != nil {
		return r, err
	}

	o := finetune.Options{
		Store: run.Store, Workers: j.workerCount(b), Retry: b.Retry(), Progress: &finetune.Progress{},
	}

	workers, load, release, err := j.engage(ctx, b, run, e.Jobs, &o)
	if err != nil {
		return r, err
	}
	defer func() { err = cmp.Or(err, release(err == nil && !IsOpen(run))) }()

	watched := j.followEpisodes(b, o.Progress, load)
	watched.workers = workers

	finish, err := j.follow(b, run, watched)
	if err != nil {
		return r, err
	}

	lost, err := finetune.Evaluate(ctx, e.Jobs, o)
	if err != nil {
		err = cmp.Or(err, release(false))
	}

	// The last counts are written whatever happened, with those of workers that hand in what they
	// have; the error of the episodes comes first.
	if err = cmp.Or(err, finish()); err != nil {
		return r, j.stopped(err)
	}

	// The report is written whatever the losses turn out to mean: its figures are valid either way.
	report, err := e.Write(ctx, lost)
	if err != nil {
		return r, j.stopped(err)
	}

	r = Evaluated{Dir: run.Dir, Report: report, Spent: j.Servers.Account.Total()}

	if r.GivenUp, err = run.GivenUp(ctx); err == nil && j.Format != "" {
		r.Logs, err = logsBeside(ctx, run, export.Format(j.Format))
	}
	return r, err
}

// evaluation returns the evaluation of a run with what it takes to play it; m keeps the results of
// its tools.
func (b *Bench) evaluation(run *stored.Run, m envs.Memory) (*stored.Evaluation, error) {
	e := run.Evaluation(b.Questions)
	if err := b.openEnvironments(e, m); err != nil {
		return nil, err
	}

	var err error
	for i := range e.Jobs {
		j := &e.Jobs[i]
		if j.Policy, err = b.PolicyIn(j.Cell.Policy, j.Env, b.versionOf(e.Versions.Family(j.Cell.API))); err != nil {
			return nil, err
		}
	}

	return e, nil
}

// followEpisodes returns what can be seen of an evaluation's episodes.
func (j *EvaluateJob) followEpisodes(b *Bench, p *finetune.Progress, load func() string) followed {
	began := time.Now()
	return followed{
		figures: metrics.Evaluation(func() metrics.Episodes {
			return metrics.Episodes(p.Snapshot())
		}),
		done: func() int64 { return p.Snapshot().Done },
		progress: func() rundir.Progress {
			s := p.Snapshot()
			return rundir.Progress{Done: s.Done, Total: s.Planned,
				Questions: int64(len(b.Questions))}
		},
		status: func() func() console.Status { return evalStatus(p.Snapshot, load) },
		ended: func() {
			s := p.Snapshot()
			if n := s.Done - s.Replayed; n > 0 && b.OnServers() {
				took := time.Since(began)
				j.Say("%d episodes in %.0f s: %s", n, took.Seconds(),
					display.Rate(float64(n)/took.Seconds(), "episodes"))
			}
		},
	}
}

// evalStatus returns the line of progress, in which every episode is as much work.
func evalStatus(read func() finetune.Snapshot, load func() string) func() console.Status {
	return func() console.Status {
		s := read()
		return console.Status{
			Done:    s.Done,
			Total:   s.Planned,
			Work:    console.Work{Done: s.Done - s.Replayed, Left: s.Planned - s.Done},
			Text:    fmt.Sprintf("%d/%d episodes", s.Done, s.Planned) + UnreadableShare(s.Unreadable, s.Turns),
			Servers: load(),
		}
	}
}

// lostQuestions returns the error of a report on fewer questions than were asked.
func lostQuestions(r *finetune.Report) error {
	lost := 0
	for _, row := range r.Rows {
		lost += row.Lost
	}

	if lost == 0 {
		return nil
	}
	return console.GaveUp(fmt.Errorf("%d questions were lost to failures that say nothing about the model; "+
		"the figures are of the others", lost))
}
