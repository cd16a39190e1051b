package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/names"
	"toolevo/envs/toolapi"
	"toolevo/finetune"
	"toolevo/finetune/rundir"
	"toolevo/finetune/stored"
	"toolevo/mcts/metrics"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
)

// evalDefaults are what eval sets before anybody else does.
func evalDefaults() map[string]string {
	return map[string]string{"split": "test", "api": "p_c,p_s_in,p_s_ood", "policy": "scripted:stale,scripted:reader"}
}

func (a *app) evalCommand() *cobra.Command {
	cmd := newCommand("eval")
	f := a.addRunFlags(cmd, evalDefaults(), "dataset", "difficulty", "template", "split", "questions", "limit",
		"perturb", "api", "policy", "seed", "repeats", "controller", "compat", "feedback", "no-update-tool",
		"no-reflection", "engine", "python")
	byTemplate := cmd.Flags().Bool("by-template", false, "show the official accuracy of each question template, too")
	format := cmd.Flags().String("format", "", "also write the episodes in the format `NAME`, into a folder of that "+
		"name in the run: "+names.Join(export.FormatsThat(export.Format.IsOfEvaluation)))
	failUnder := failUnderFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		// A threshold that cannot be read is refused now, and not after a night of episodes.
		least, err := parseThresholds(*failUnder)
		if err != nil {
			return err
		}

		if *format != "" {
			if _, err := export.ParseFormat(*format, export.Format.IsOfEvaluation); err != nil {
				return err
			}
		}

		if cmd.Flags().Changed("questions") && cmd.Flags().Changed("split") {
			return console.Usage("--split and --questions: name a split, or a file in place of one")
		}

		measured := func(b *bench) error { return least.check(b.deployed) }

		return a.makeRun(cmd, stored.Evaluated, f, measured, func(b *bench) error {
			return a.evaluate(cmd.Context(), f, b, func(run *stored.Run, r *finetune.Report) error {
				if *format != "" {
					if err := a.logsBeside(cmd.Context(), run, export.Format(*format)); err != nil {
						return err
					}
				}

				return a.printEvaluation(*f.asJSON, run, r, least, *byTemplate)
			})
		})
	}

	cmd.AddCommand(a.evalErrorsCommand(), a.evalAdaptationCommand(), a.evalCompareCommand(),
		a.evalRescoreCommand(), a.evalDriftCommand())

	return cmd
}

// evaluate plays what is left of an evaluation, and shows its report.
func (a *app) evaluate(ctx context.Context, f *runFlags, b *bench,
	show func(*stored.Run, *finetune.Report) error) error {
	return a.inRun(ctx, stored.Evaluated, f, b, func(run *stored.Run) error {
		e, err := b.evaluation(run)
		if err != nil {
			return err
		}

		progress := &finetune.Progress{}

		finish, err := a.follow(f, b, run, a.followEpisodes(b, progress))
		if err != nil {
			return err
		}

		lost, err := finetune.Evaluate(ctx, e.Jobs, finetune.Options{
			Store:    run.Store,
			Workers:  f.workerCount(b),
			Retry:    b.retry(),
			Progress: progress,
		})
		if err = cmp.Or(err, finish()); err != nil {
			return a.stopped(stored.Evaluated, f, err)
		}

		// The report is written before it is known what the losses mean: its figures are good in either case.
		report, err := e.Write(ctx, lost)
		if err != nil {
			return a.stopped(stored.Evaluated, f, err)
		}

		return cmp.Or(show(run, report), a.lostEpisodes(ctx, run, report, resumeCommand(f)))
	})
}

// lostEpisodes says what was given up because a server fails at a request alone, and returns the
// error of an evaluation that lost more than that, or everything.
func (a *app) lostEpisodes(ctx context.Context, run *stored.Run, r *finetune.Report, resume string) error {
	givenUp, err := run.GivenUp(ctx)
	if err != nil {
		return err
	}

	a.sayGivenUp("episodes", givenUp, resume)

	if !isOpen(run) {
		return nil
	}

	return lostQuestions(r)
}

// evaluation is the evaluation of a run with what it takes to play it.
func (b *bench) evaluation(run *stored.Run) (*stored.Evaluation, error) {
	e := run.Evaluation(b.questions)
	if err := b.openEnvironments(e); err != nil {
		return nil, err
	}

	var err error
	for i := range e.Jobs {
		if e.Jobs[i].Policy, err = b.PolicyIn(e.Jobs[i].Cell.Policy, e.Jobs[i].Env); err != nil {
			return nil, err
		}
	}

	return e, nil
}

// followEpisodes is what can be seen of an evaluation's episodes.
func (a *app) followEpisodes(b *bench, p *finetune.Progress) followed {
	began := time.Now()

	return followed{
		figures: metrics.Evaluation(func() metrics.Episodes {
			return metrics.Episodes(p.Snapshot())
		}),
		done: func() int64 { return p.Snapshot().Done },
		progress: func() rundir.Progress {
			s := p.Snapshot()
			return rundir.Progress{Done: s.Done, Total: s.Planned}
		},
		status: evalStatus(p.Snapshot, b.Load()),
		ended: func() {
			s := p.Snapshot()
			if n := s.Done - s.Replayed; n > 0 && b.OnServers() {
				took := time.Since(began)
				a.Say("%d episodes in %.0f s: %s", n, took.Seconds(),
					display.Rate(float64(n)/took.Seconds(), "episodes"))
			}
		},
	}
}

// evalStatus is the progress, of which every episode is as much work.
func evalStatus(read func() finetune.Snapshot, load func() string) func() console.Status {
	return func() console.Status {
		s := read()

		return console.Status{
			Done:    s.Done,
			Total:   s.Planned,
			Work:    console.Work{Done: s.Done - s.Replayed, Left: s.Planned - s.Done},
			Text:    fmt.Sprintf("%d/%d episodes", s.Done, s.Planned) + unreadableShare(s.Unreadable, s.Turns),
			Servers: load(),
		}
	}
}

func (a *app) printEvaluation(asJSON bool, run *stored.Run, r *finetune.Report, least thresholds,
	byTemplate bool) error {
	if asJSON {
		if err := a.PrintJSON(r); err != nil {
			return err
		}
	} else {
		if err := r.WriteTable(a.Out); err != nil {
			return err
		}

		if feedback := run.Config.Environment.Feedback; feedback != toolapi.FeedbackDeprecation {
			fmt.Fprintf(a.Out, "feedback: %s\n", feedback)
		}

		if byTemplate {
			fmt.Fprintln(a.Out)

			if err := r.WriteTemplates(a.Out); err != nil {
				return err
			}
		}

		a.Say("As Markdown, with the turns by outcome: %s, also as .csv, .tex and .json",
			filepath.Join(run.Dir, stored.ReportMarkdown))
		a.Say("Every episode: %s, or .jsonl; toolevo %s", filepath.Join(run.Dir, trajectories.EpisodesParquet),
			console.Shell("inspect", run.Dir))
	}

	// Said with --json, too: these go to stderr, and the document holds them as figures.
	a.warnOfRows(r)

	return least.hold(r)
}

// warnOfRows says of which rows the figures say less than they seem to.
func (a *app) warnOfRows(r *finetune.Report) {
	for _, row := range r.Rows {
		if row.FirstLoss != "" {
			a.Say("%s: %d lost, the first because of: %s", row.Cell, row.Lost, row.FirstLoss)
		}

		if row.FirstUnreadable == 1 {
			a.Say("%s: no action can be read from the first turn of any episode; `toolevo doctor` looks into it",
				row.Cell)
		}

		if row.TooLong > 0 {
			a.Say("%s: %d unanswered because the prompt no longer fit the model's context window", row.Cell,
				row.TooLong)
		}
	}
}

// lostQuestions is the error of a report on fewer questions than were asked.
func lostQuestions(r *finetune.Report) error {
	lost := 0
	for _, row := range r.Rows {
		lost += row.Lost
	}

	if lost == 0 {
		return nil
	}

	return console.GaveUp(fmt.Errorf("%d questions were lost to failures that say nothing of the model; "+
		"the figures are of the others", lost))
}
