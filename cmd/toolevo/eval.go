package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/toolapi"
	"toolevo/finetune"
	"toolevo/finetune/stored"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
)

func (a *app) evalCommand() *cobra.Command {
	cmd := a.command("eval")
	f := a.addEvalFlags(cmd)
	byTemplate := cmd.Flags().Bool("by-template", false, "show the official accuracy of each question template, too")
	cmd.AddCommand(a.evalErrorsCommand(), a.evalAdaptationCommand(), a.evalCompareCommand(),
		a.evalRescoreCommand(), a.evalDriftCommand())

	return does(a, cmd, f.evaluate, func(result any) {
		a.printEnded(result)

		if r, ok := result.(toolevo.Evaluated); ok && *byTemplate {
			fmt.Fprintln(a.Out)
			r.WriteTemplates(a.Out)
		}
	})
}

// evalFlags are the flags of eval and the job that they ask for.
type evalFlags struct {
	*runFlags
	job toolevo.EvaluateJob
}

// addEvalFlags adds the flags of eval.
func (a *app) addEvalFlags(cmd *cobra.Command) *evalFlags {
	f := &evalFlags{runFlags: a.addRunFlags(cmd, toolevo.EvaluateDefaults(), "dataset", "difficulty", "template",
		"split", "questions", "limit", "perturb", "api", "policy", "seed", "repeats", "controller", "compat",
		"feedback", "hint", "no-update-tool", "no-reflection", "engine", "python", "prices")}
	f.limits = a.limitFlags(cmd)
	f.addCoordination(cmd)
	addFlags(cmd, "eval", into{
		"baseline":   &f.Baselines,
		"format":     &f.job.Format,
		"fail-under": &f.job.FailUnder,
	})

	f.own = func() (args []string) {
		if f.job.Format != "" {
			args = append(args, "--format", f.job.Format)
		}

		if len(f.job.FailUnder) > 0 {
			args = append(args, "--fail-under", strings.Join(f.job.FailUnder, ","))
		}
		return args
	}
	return f
}

// read completes the job from the flags that were given.
func (f *evalFlags) read() (err error) {
	f.job.RunJob, err = f.runFlags.job()
	return err
}

// evaluate does what the flags ask for, and says what the report leaves out or only hints at.
func (f *evalFlags) evaluate(ctx context.Context, _ []string) (any, error) {
	if err := f.read(); err != nil {
		return nil, err
	}

	r, err := toolevo.Evaluate(ctx, f.job)
	if r.Report != nil && f.command != "" {
		f.settings.app.warnOfRows(r.Report)
	}

	f.sayGivenUp("episodes", r.GivenUp)
	return f.ended(r, err)
}

// printEvaluation prints the report.
func (a *app) printEvaluation(r toolevo.Evaluated) {
	r.WriteTable(a.Out)

	if r.Feedback != string(toolapi.FeedbackDeprecation) {
		fmt.Fprintf(a.Out, "feedback: %s\n", r.Feedback)
	}

	if r.Logs != "" {
		a.Say(export.Format(filepath.Base(r.Logs)).OpenWith(), console.Shell(r.Logs))
	}

	a.Say("It took %s", r.Spent)
	a.Say("As Markdown, with the turns by outcome: %s, also as .csv, .tex and .json",
		filepath.Join(r.Dir, stored.ReportMarkdown))
	a.Say("Every episode: %s, or .jsonl; toolevo %s", filepath.Join(r.Dir, trajectories.EpisodesParquet),
		console.Shell("inspect", r.Dir))
}

// warnOfRows warns of rows whose figures say less than they seem to.
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

func (a *app) analyzeCommand() *cobra.Command {
	cmd := a.command("analyze")
	f := a.addRunFlags(cmd, toolevo.AnalyzeDefaults(), "dataset", "difficulty", "template", "split",
		"limit", "perturb", "api", "policy", "seed", "compat", "feedback", "hint", "no-update-tool", "engine",
		"python")
	f.limits = a.limitFlags(cmd)

	return does(a, cmd, func(ctx context.Context, _ []string) (any, error) {
		run, err := f.job()
		if err != nil {
			return nil, err
		}

		r, err := toolevo.Analyze(ctx, toolevo.EvaluateJob{RunJob: run})
		return f.ended(r, err)
	}, a.printEnded)
}
