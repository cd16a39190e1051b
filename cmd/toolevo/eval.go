package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/spf13/cobra"

	"toolevo/envs"
	"toolevo/finetune"
	"toolevo/mcts/store"
	"toolevo/toolqa"
)

// The files of an evaluation's run directory that hold its report.
const (
	reportJSON     = "report.json"
	reportMarkdown = "report.md"
)

// evalDefaults are what eval sets before anybody else does.
func evalDefaults() map[string]string {
	return map[string]string{"split": "test", "api": "p_c,p_s_in,p_s_ood", "policy": "scripted:stale,scripted:reader"}
}

func (a *app) evalCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval",
		Short: "Measure policies on a split under several API versions",
		Long: `Plays one greedy episode for each question, policy and deployed API version, and
reports official and strict accuracy with 95 % Wilson intervals. Questions lost
to failures of ours are reported apart and never counted as wrong.

Every model call is logged before it is used: --resume goes on with an
interrupted evaluation. After the first Ctrl-C no call is begun, and those that
are being answered finish; the second stops at once. Nothing is lost either way.`,
		Example: `  toolevo eval --policy scripted:reader,scripted:stale --api p_c,p_s_in
  toolevo eval --json --fail-under 0.95 --policy scripted:reader`,
		Args: positional(0, 0),
	}
	f := a.addRunFlags(cmd, evalDefaults(), "dataset", "difficulty", "split", "limit", "api", "policy", "seed", "compat",
		"no-update-tool", "engine", "python", "wasm")
	failUnder := cmd.Flags().Float64("fail-under", 0, "exit with 1 when an official accuracy is below this, 0..1")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if !(*failUnder >= 0 && *failUnder <= 1) {
			return usage("--fail-under %v: want an accuracy from 0 to 1", *failUnder)
		}
		b, err := f.resolve(cmd.Context(), cmd)
		if err != nil {
			return err
		}
		defer b.close()
		if *f.dryRun {
			if err := f.startEngine(cmd.Context(), b); err != nil {
				return err
			}
			return a.printDryRun(kindEval, b, *f.asJSON)
		}
		if err := f.prepare(cmd.Context(), b); err != nil {
			return err
		}
		return a.evaluate(cmd.Context(), f, b, *failUnder)
	}
	return cmd
}

func (a *app) evaluate(ctx context.Context, f *runFlags, b *bench, failUnder float64) (err error) {
	run, err := a.startRun(ctx, kindEval, f, b)
	if err != nil {
		return a.notStarted(ctx, kindEval, f, err)
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	a.ending.begin(resumeCommand(kindEval, f))
	defer a.ending.begin("")
	jobs, err := evalJobs(b, run)
	if err != nil {
		return err
	}
	finishTally := a.tally(run.Dir, b)
	var done, replayed, total atomic.Int64
	load := b.load()
	finished := a.report(*f.progress, func() status {
		d, t := done.Load(), total.Load()
		return status{done: d, before: replayed.Load(), total: t, text: fmt.Sprintf("%d/%d episodes", d, t), servers: load()}
	})
	report, err := finetune.Evaluate(ctx, jobs, finetune.Options{
		Store: run.Store, Workers: f.workerCount(b), Retry: b.retry(),
		Done: func(d, r, t int) { done.Store(int64(d)); replayed.Store(int64(r)); total.Store(int64(t)) },
	})
	finished()
	if tallyErr := finishTally(); err == nil {
		err = tallyErr
	}
	if err != nil {
		return a.stopped(kindEval, f, err)
	}
	report.Engines, report.Warnings = inWords(b.stamps), wallWarnings(b.stamps)
	if err := writeReport(run.Dir, report); err != nil {
		return gaveUp(err)
	}
	return a.printEvaluation(*f.asJSON, run, report, failUnder)
}

// evalJobs are the cells of the report: datasets and difficulties, then policies, then API versions.
func evalJobs(b *bench, run *store.Run) ([]finetune.Job, error) {
	environments := map[string]envs.Environment{}
	for _, api := range b.config.API {
		env, err := b.environment(api, run)
		if err != nil {
			return nil, err
		}
		environments[api] = env
	}
	var jobs []finetune.Job
	for _, group := range groups(b.questions) {
		for _, name := range b.config.Policy {
			policy, err := b.policy(name)
			if err != nil {
				return nil, err
			}
			for _, api := range b.config.API {
				jobs = append(jobs, finetune.Job{
					Cell: finetune.Cell{Policy: name, API: api, Dataset: string(group[0].Dataset), Difficulty: string(group[0].Difficulty)},
					Env:  environments[api], Policy: policy, Tasks: tasks(group), MaxTurns: b.config.Eval.MaxTurns,
				})
			}
		}
	}
	return jobs, nil
}

// groups cuts questions, which are in that order, into those of one dataset and difficulty.
func groups(questions []toolqa.Question) [][]toolqa.Question {
	var all [][]toolqa.Question
	start := 0
	for i, q := range questions {
		if i+1 == len(questions) || questions[i+1].Dataset != q.Dataset || questions[i+1].Difficulty != q.Difficulty {
			all = append(all, questions[start:i+1])
			start = i + 1
		}
	}
	return all
}

func tasks(questions []toolqa.Question) []envs.Task {
	all := make([]envs.Task, len(questions))
	for i, q := range questions {
		all[i] = q.Task()
	}
	return all
}

func writeReport(dir string, r *finetune.Report) error {
	for name, write := range map[string]func(*os.File) error{
		reportJSON:     func(f *os.File) error { return (&app{out: f}).printJSON(r) },
		reportMarkdown: func(f *os.File) error { return r.WriteMarkdown(f) },
	} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := errors.Join(write(f), f.Close()); err != nil {
			return fmt.Errorf("write %s: %w", f.Name(), err)
		}
	}
	return nil
}

func (a *app) printEvaluation(asJSON bool, run *store.Run, r *finetune.Report, failUnder float64) error {
	if asJSON {
		if err := a.printJSON(r); err != nil {
			return err
		}
	} else {
		if err := r.WriteTable(a.out); err != nil {
			return err
		}
		a.say("As Markdown, with the turns by outcome: %s", filepath.Join(run.Dir, reportMarkdown))
	}
	lost := 0
	for _, row := range r.Rows {
		if lost += row.Lost; row.FirstLoss != "" {
			a.say("%s: %d lost, the first because of: %s", row.Cell, row.Lost, row.FirstLoss)
		}
		if row.TooLong > 0 {
			a.say("%s: %d unanswered because the prompt no longer fit the model's context window", row.Cell, row.TooLong)
		}
	}
	for _, row := range r.Rows {
		if row.N > 0 && row.Official < failUnder {
			return bad("%s: official accuracy %.3f is below %v", row.Cell, row.Official, failUnder)
		}
	}
	if lost > 0 {
		return gaveUp(fmt.Errorf("%d questions were lost to failures of ours; the figures are of the others", lost))
	}
	return nil
}
