package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/drift"
)

func (a *app) versionsMutateCommand() *cobra.Command {
	var j toolevo.MutateVersionsJob

	cmd := a.command("mutate")
	tools := a.addToolsFlags(cmd, "policy", "prompts")
	j.Servers = a.serving()
	addressFlag(cmd, j.Servers)
	addMakeFlags(cmd, &j.MakeVersionsJob, 1)
	j.Change = []string{drift.MutateNames}
	addFlags(cmd, "mutate", into{"change": &j.Change})
	cmdline.Complete(cmd, "change", cmdline.Listed(drift.Mutable()))

	return does(a, cmd, func(ctx context.Context, _ []string) (result toolevo.MutatedVersions, err error) {
		if j.VersionsJob, err = tools.job(); err != nil {
			return result, err
		}

		a.warnExposed(j.Servers)
		return toolevo.MutateVersions(ctx, j)
	}, func(made toolevo.MutatedVersions) {
		a.printMutated(made, tools.again())
	})
}

// printMutated prints what was made, and the command that uses it, with more as its last arguments.
func (a *app) printMutated(result toolevo.MutatedVersions, more []string) {
	for _, v := range result.Made {
		fmt.Fprintf(a.Out, "%s: %d requests, %d refused, %d replaced or left out\n", v.Path, v.Requests, len(v.Refused),
			len(v.Repaired))

		for _, why := range v.Repaired {
			fmt.Fprintf(a.Out, "  %s\n", display.Line(why, 0))
		}
	}

	next := []string{"collect", "--api",
		drift.FilePrefix + filepath.Join(filepath.Dir(result.Made[0].Path), "*.yaml")}
	a.Say("Next: toolevo %s", console.Shell(append(next, more...)...))
}
