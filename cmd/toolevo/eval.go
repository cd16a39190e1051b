package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/finetune"
	"toolevo/finetune/rundir"
	"toolevo/finetune/stored"
	"toolevo/mcts/metrics"
	"toolevo/trajectories"
)

// evalDefaults are what eval sets before anybody else does.
func evalDefaults() map[string]string {
	return map[string]string{"split": "test", "api": "p_c,p_s_in,p_s_ood", "policy": "scripted:stale,scripted:reader"}
}

func (a *app) evalCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval",
		Short: "Measure policies on a split under several API versions",
		Long: `Plays one greedy episode for each question, policy and deployed API version, or
with --repeats several sampled ones (pass@k, pass^k, standard deviation), and
reports official and strict accuracy with 95 % Wilson intervals. Questions lost
to infrastructure errors are listed separately, never counted as wrong. Means
over datasets have an interval bootstrapped by question template; policies, and
versions, are compared in pairs on the same questions.

The run directory keeps the report, also by question template, as Markdown, CSV,
JSON and LaTeX tables, and every episode with its turns, answer and scores in
episodes.parquet and episodes.jsonl.

The versions of --api 'file:DIR/*.yaml' are measured together: each question
meets one of them, drawn by the seed.

Every model call is logged before it is used, so --resume continues an
interrupted evaluation. The first Ctrl-C starts no new calls and lets those in
progress finish; the second stops at once. Nothing is lost either way.`,
		Example: `  toolevo eval --policy scripted:reader,scripted:stale --api p_c,p_s_in
  toolevo eval --questions mine.jsonl --policy openai:llama3
  toolevo eval --json --fail-under p_s_ood=0.95 --policy scripted:reader`,
		Args: console.Positional(0, 0),
	}
	f := a.addRunFlags(cmd, evalDefaults(), "dataset", "difficulty", "template", "split", "questions", "limit", "api",
		"policy", "seed", "repeats", "compat", "feedback", "no-update-tool", "no-reflection", "engine", "python",
		"wasm")
	byTemplate := cmd.Flags().Bool("by-template", false, "show the official accuracy of each question template, too")
	failUnder := failUnderFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		least, err := parseThresholds(*failUnder)
		if err != nil {
			return err
		}

		if cmd.Flags().Changed("questions") && cmd.Flags().Changed("split") {
			return console.Usage("--split and --questions: name a split, or a file in place of one")
		}

		b, err := f.resolve(cmd.Context(), cmd)
		if err != nil {
			return err
		}
		defer b.close()

		if err := least.check(b.deployed); err != nil {
			return err
		}

		if *f.dryRun {
			return a.dryRun(cmd.Context(), stored.Evaluated, f, b)
		}

		if err := f.prepare(cmd.Context(), b); err != nil {
			return err
		}

		return a.evaluate(cmd.Context(), f, b, func(run *stored.Run, r *finetune.Report) error {
			return a.printEvaluation(*f.asJSON, run, r, least, *byTemplate)
		})
	}

	cmd.AddCommand(a.evalErrorsCommand(), a.evalAdaptationCommand(), a.evalCompareCommand(),
		a.evalRescoreCommand())

	return cmd
}

// evaluate plays what is left of an evaluation, and shows its report.
func (a *app) evaluate(ctx context.Context, f *runFlags, b *bench,
	show func(*stored.Run, *finetune.Report) error) (err error) {
	run, err := a.startRun(ctx, stored.Evaluated, f, b)
	if err != nil {
		return a.notStarted(ctx, stored.Evaluated, f, err)
	}
	defer func() {
		err = errors.Join(err, run.Close())
		b.logEnd(err)
	}()

	a.ending.begin(resumeCommand(f))
	defer a.ending.begin("")

	e := run.Evaluation(b.questions)
	if err := b.openEnvironments(e); err != nil {
		return err
	}

	for i := range e.Jobs {
		if e.Jobs[i].Policy, err = b.policy(e.Jobs[i].Cell.Policy); err != nil {
			return err
		}
	}

	var done, replayed, total atomic.Int64

	err = b.publish(run.Run, metrics.Evaluation(func() metrics.Episodes {
		return metrics.Episodes{Planned: total.Load(), Done: done.Load(), Replayed: replayed.Load()}
	}), done.Load)
	if err != nil {
		return err
	}

	began := time.Now()
	finishTally := a.tally(run.Dir, b)
	finishNote := rundir.Note(run.Dir, func() rundir.Progress {
		return rundir.Progress{Done: done.Load(), Total: total.Load()}
	})
	load := b.load()
	finished := a.Report(*f.progress, func() console.Status {
		d, t := done.Load(), total.Load()

		return console.Status{
			Done:    d,
			Before:  replayed.Load(),
			Total:   t,
			Text:    fmt.Sprintf("%d/%d episodes", d, t),
			Servers: load(),
		}
	})
	lost, err := finetune.Evaluate(ctx, e.Jobs, finetune.Options{
		Store: run.Store, Workers: f.workerCount(b), Retry: b.retry(),
		Done: func(d, r, t int) { done.Store(int64(d)); replayed.Store(int64(r)); total.Store(int64(t)) },
	})

	finished()

	if n := done.Load() - replayed.Load(); n > 0 && b.onServers() {
		took := time.Since(began).Seconds()
		a.Say("%d episodes in %.0f s: one every %.2f s", n, took, took/float64(n))
	}

	err = cmp.Or(err, finishTally(), console.GaveUp(finishNote()))

	if err != nil {
		return a.stopped(stored.Evaluated, f, err)
	}

	report, err := e.Write(ctx, lost)
	if err != nil {
		return a.stopped(stored.Evaluated, f, err)
	}

	return show(run, report)
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

	lost := 0
	for _, row := range r.Rows {
		if lost += row.Lost; row.FirstLoss != "" {
			a.Say("%s: %d lost, the first because of: %s", row.Cell, row.Lost, row.FirstLoss)
		}

		if row.TooLong > 0 {
			a.Say("%s: %d unanswered because the prompt no longer fit the model's context window", row.Cell,
				row.TooLong)
		}
	}

	if err := least.hold(r); err != nil {
		return err
	}

	if lost > 0 {
		return console.GaveUp(fmt.Errorf("%d questions were lost to failures of ours; the figures are of the "+
			"others", lost))
	}

	return nil
}
