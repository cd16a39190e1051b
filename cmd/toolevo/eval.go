package main

import (
	"fmt"
	"path/filepath"

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
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := f.read(cmd); err != nil {
			return err
		}

		r, err := toolevo.Evaluate(cmd.Context(), f.job)

		return a.printEvaluation(f, r, *byTemplate, f.ended(err))
	}

	cmd.AddCommand(a.evalErrorsCommand(), a.evalAdaptationCommand(), a.evalCompareCommand(),
		a.evalRescoreCommand(), a.evalDriftCommand())

	return cmd
}

// evalFlags are the flags of eval, and the job that they ask for.
type evalFlags struct {
	*runFlags
	job toolevo.EvaluateJob
}

// addEvalFlags adds the flags of eval.
func (a *app) addEvalFlags(cmd *cobra.Command) *evalFlags {
	f := &evalFlags{runFlags: a.addRunFlags(cmd, toolevo.EvaluateDefaults(), "dataset", "difficulty", "template",
		"split", "questions", "limit", "perturb", "api", "policy", "seed", "repeats", "controller", "compat",
		"feedback", "no-update-tool", "no-reflection", "engine", "python")}
	addFlags(cmd, "eval", into{
		"format":     &f.job.Format,
		"fail-under": &f.job.FailUnder,
	})

	return f
}

// read makes the job of the flags that were given.
func (f *evalFlags) read(cmd *cobra.Command) (err error) {
	if cmd.Flags().Changed("questions") && cmd.Flags().Changed("split") {
		return console.Usage("--split and --questions: name a split, or a file in place of one")
	}

	f.job.RunJob, err = f.runFlags.job(cmd)

	return err
}

// printEvaluation prints the result of an evaluation where there is one, and returns its error.
func (a *app) printEvaluation(f *evalFlags, r toolevo.Evaluated, byTemplate bool, err error) error {
	if r.Report == nil {
		return err
	}

	if r.Logs != "" {
		a.Say(export.Format(f.job.Format).OpenWith(), console.Shell(r.Logs))
	}

	if a.JSON {
		if err := a.PrintJSON(r.Report); err != nil {
			return err
		}
	} else if err := a.writeEvaluation(r, byTemplate); err != nil {
		return err
	}

	// Said with --json, too: these go to stderr, and the document holds them as figures.
	a.warnOfRows(r.Report)
	a.sayGivenUp("episodes", r.GivenUp, f.resumeCommand(toolevo.Stop{Dir: r.Dir}))

	return err
}

// writeEvaluation writes the report for people.
func (a *app) writeEvaluation(r toolevo.Evaluated, byTemplate bool) error {
	if err := r.Report.WriteTable(a.Out); err != nil {
		return err
	}

	if r.Feedback != string(toolapi.FeedbackDeprecation) {
		fmt.Fprintf(a.Out, "feedback: %s\n", r.Feedback)
	}

	if byTemplate {
		fmt.Fprintln(a.Out)

		if err := r.Report.WriteTemplates(a.Out); err != nil {
			return err
		}
	}

	a.Say("As Markdown, with the turns by outcome: %s, also as .csv, .tex and .json",
		filepath.Join(r.Dir, stored.ReportMarkdown))
	a.Say("Every episode: %s, or .jsonl; toolevo %s", filepath.Join(r.Dir, trajectories.EpisodesParquet),
		console.Shell("inspect", r.Dir))

	return nil
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
