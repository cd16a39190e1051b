package main

import (
	"cmp"
	"path/filepath"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/dynamic"
	"toolevo/envs/perturb"
	"toolevo/finetune/tabulate"
)

func (a *app) evalDriftCommand() *cobra.Command {
	var job toolevo.DriftJob

	cmd := newCommand("drift")
	f := a.addSeveralFlags(cmd, toolevo.DriftDefaults(), "dataset", "difficulty", "split", "limit", "api",
		"policy", "seed", "repeats", "compat", "engine", "python")
	flags := cmd.Flags()
	flags.StringSliceVar(&job.Feedbacks, "feedbacks", []string{all}, "`NAMES` of what a call is told that is not "+
		"taken, separated by commas: each by itself")
	flags.StringSliceVar(&job.Perturbations, "perturbations", []string{all}, "`NAMES` of how questions are changed, "+
		"separated by commas: each by itself; or none")
	flags.StringVar(&f.Out, "out", "", "make the evaluations and the report in the folder `DIR` (required)")
	flags.StringVar(&f.ID, "run-id", "", "`ID` that those of the evaluations begin with (default: each has one that "+
		"no other run has)")
	cmdline.Complete(cmd, "feedbacks", cmdline.Listed(append(dynamic.Feedbacks(), all)))
	cmdline.Complete(cmd, "perturbations", cmdline.Listed(append(toolevo.Perturbations(), string(perturb.None), all)))

	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if job.RunJob, err = f.job(cmd); err != nil {
			return err
		}

		d, err := toolevo.EvaluateDrift(cmd.Context(), job)

		return a.printDrift(*f.asJSON, f.Out, d, err)
	}

	return cmd
}

// printDrift prints the report where there is one, and returns its error.
func (a *app) printDrift(asJSON bool, out string, d *toolevo.Drifted, err error) error {
	if d == nil {
		return err
	}

	var tableErr error

	showErr := a.Show(asJSON, d, func() { tableErr = tabulate.WriteText(a.Out, d.Tables(), a.width()) })
	a.Say("The same with figures, as a page: %s; for papers: %s and %s", filepath.Join(out, toolevo.DriftPage),
		filepath.Join(out, "drift.tex"), filepath.Join(out, "figure-*.svg"))

	return cmp.Or(showErr, tableErr, err)
}
