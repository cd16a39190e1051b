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

	cmd := a.command("drift")
	f := a.addSeveralFlags(cmd, toolevo.DriftDefaults(), "dataset", "difficulty", "split", "limit", "api",
		"policy", "seed", "repeats", "compat", "engine", "python")
	job.Feedbacks = []string{all}
	job.Perturbations = []string{all}
	addFlags(cmd, "drift", into{
		"feedbacks":     &job.Feedbacks,
		"perturbations": &job.Perturbations,
		"out":           &f.Out,
		"run-id":        &f.ID,
	})
	cmdline.Complete(cmd, "feedbacks", cmdline.Listed(append(dynamic.Feedbacks(), all)))
	cmdline.Complete(cmd, "perturbations", cmdline.Listed(append(toolevo.Perturbations(), string(perturb.None), all)))

	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if job.RunJob, err = f.job(cmd); err != nil {
			return err
		}

		d, err := toolevo.EvaluateDrift(cmd.Context(), job)

		return a.printDrift(f.Out, d, err)
	}

	return cmd
}

// printDrift prints the report where there is one, and returns its error.
func (a *app) printDrift(out string, d *toolevo.Drifted, err error) error {
	if d == nil {
		return err
	}

	var tableErr error

	showErr := a.Show(d, func() { tableErr = tabulate.WriteText(a.Out, d.Tables(), a.width()) })
	a.Say("The same with figures, as a page: %s; for papers: %s and %s", filepath.Join(out, toolevo.DriftPage),
		filepath.Join(out, "drift.tex"), filepath.Join(out, "figure-*.svg"))

	return cmp.Or(showErr, tableErr, err)
}
