package main

import (
	"context"
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
		"policy", "seed", "repeats", "compat", "hint", "engine", "python", "prices")
	job.Feedbacks = []string{all}
	job.Perturbations = []string{all}
	addFlags(cmd, "eval", into{"baseline": &f.Baselines})
	addFlags(cmd, "drift", into{
		"by":            &job.By,
		"feedbacks":     &job.Feedbacks,
		"perturbations": &job.Perturbations,
		"out":           &f.Out,
		"run-id":        &f.ID,
	})
	// Unlike the flags of the same values elsewhere, these two also take "all".
	cmdline.Complete(cmd, "feedbacks", cmdline.Listed(append(dynamic.Feedbacks(), all)))
	cmdline.Complete(cmd, "perturbations", cmdline.Listed(
		append(toolevo.Perturbations(), string(perturb.None), all)))

	return does(a, cmd, func(ctx context.Context, _ []string) (d *toolevo.Drifted, err error) {
		if job.RunJob, err = f.job(); err != nil {
			return nil, err
		}
		return toolevo.EvaluateDrift(ctx, job)
	}, func(d *toolevo.Drifted) {
		// A terminal has room for the overview alone.
		tabulate.WriteText(a.Out, d.Overview(), a.width())
		a.Say("By group, for other words of questions, with changes, run statistics and figures, as a page: %s; "+
			"as text: %s; for papers: %s and %s",
			filepath.Join(f.Out, toolevo.DriftPage), filepath.Join(f.Out, "drift.md"),
			filepath.Join(f.Out, "drift.tex"), filepath.Join(f.Out, "figure-*.svg"))
	})
}
