package main

import (
	"context"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
)

func (a *app) analyzeCommand() *cobra.Command {
	cmd := a.command("analyze")
	f := a.addRunFlags(cmd, toolevo.AnalyzeDefaults(), "dataset", "difficulty", "template", "split",
		"limit", "perturb", "api", "policy", "seed", "compat", "feedback", "no-update-tool", "engine",
		"python")

	return does(a, cmd, func(ctx context.Context, _ []string) (any, error) {
		run, err := f.job()
		if err != nil {
			return nil, err
		}

		r, err := toolevo.Analyze(ctx, toolevo.EvaluateJob{RunJob: run})

		return f.ended(r, err)
	}, a.printEnded)
}
