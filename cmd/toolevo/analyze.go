package main

import (
	"cmp"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/finetune/robustness"
)

func (a *app) analyzeCommand() *cobra.Command {
	cmd := a.command("analyze")
	f := a.addRunFlags(cmd, toolevo.AnalyzeDefaults(), "dataset", "difficulty", "template", "split", "limit", "perturb",
		"api", "policy", "seed", "compat", "feedback", "no-update-tool", "engine", "python")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		run, err := f.job(cmd)
		if err != nil {
			return err
		}

		job := toolevo.EvaluateJob{RunJob: run}
		r, err := toolevo.Analyze(cmd.Context(), job)

		return a.printAnalysis(r, f.ended(err))
	}

	return cmd
}

// printAnalysis prints what single changes cost where it is known, and returns the error of the analysis.
func (a *app) printAnalysis(r *toolevo.Analysis, err error) error {
	if r == nil {
		return err
	}

	var tableErr error

	showErr := a.Show(r, func() { tableErr = robustness.WriteFactors(a.Out, r.Rows) })

	for _, file := range r.Files {
		a.Say("Written: %s", file)
	}

	return cmp.Or(showErr, tableErr, err)
}
