package main

import (
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

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		run, err := f.job(cmd)
		if err != nil {
			return err
		}

		job := toolevo.BranchJob{
			CollectJob: toolevo.CollectJob{RunJob: run},
			Run:        args[0], Question: args[1], Tree: args[2], Node: args[3],
		}
		c, err := toolevo.Branch(cmd.Context(), job)

		return a.printCollected(f, c, f.ended(err))
	}

	return cmd
}
