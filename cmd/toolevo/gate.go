package main

import (
	"context"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/finetune/gate"
)

// The verdicts that --undecided may give a gate.
const (
	pass = "pass"
	fail = "fail"
)

func (a *app) gateCommand() *cobra.Command {
	job := toolevo.GateJob{Options: gate.Options{Limit: 0.05}}

	cmd := a.command("gate CURRENT NEXT")
	f := a.addSeveralFlags(cmd, toolevo.GateDefaults(), "dataset", "difficulty", "template", "split", "tasks",
		"limit", "policy", "seed", "repeats", "compat", "hint", "engine", "python", "prices")
	undecided := fail
	addFlags(cmd, "gate", into{
		"allow":     &job.Allowed,
		"junit":     &job.JUnit,
		"loss":      &job.Limit,
		"markdown":  &job.Markdown,
		"out":       &f.Out,
		"undecided": &undecided,
	})

	return does(a, cmd, func(ctx context.Context, args []string) (r *gate.Report, err error) {
		if job.RunJob, err = f.job(); err != nil {
			return nil, err
		}

		// Refused here, not after hours of episodes.
		if _, err = names.Parse("undecided", undecided, []string{pass, fail}); err != nil {
			return nil, console.Usage("%w", err)
		}

		job.Current, job.Next, job.PassUndecided = args[0], args[1], undecided == pass
		return toolevo.Gate(ctx, job)
	}, func(r *gate.Report) {
		_ = r.WriteText(a.Out) // a.Out keeps the first error
		a.Say("The same as JSON, Markdown and JUnit XML: %s", f.Out)
	})
}
