package main

import (
	"context"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/finetune/stored"
)

func (a *app) branchCommand() *cobra.Command {
	cmd := a.command("branch RUN QUESTION TREE NODE")
	f := a.addNewRunFlags(cmd, nil, "api", "policy", "preset", "trees", "seed", "no-update-tool", "no-reflection",
		"engine", "python")
	f.command = stored.Collection // goes on with what a branch has begun
	ofRun(cmd)

	return does(a, cmd, func(ctx context.Context, args []string) (any, error) {
		run, err := f.job()
		if err != nil {
			return nil, err
		}

		c, err := toolevo.Branch(ctx, toolevo.BranchJob{
			CollectJob: toolevo.CollectJob{RunJob: run},
			Run:        args[0], Question: args[1], Tree: args[2], Node: args[3],
		})

		return f.collected(c, err)
	}, a.printEnded)
}
