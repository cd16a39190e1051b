package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/drift"
)

func (a *app) versionsMutateCommand() *cobra.Command {
	var j toolevo.MutateVersionsJob

	cmd := a.command("mutate")
	tools := a.addToolsFlags(cmd, "policy")
	j.Servers = a.serving()
	addressFlag(cmd, j.Servers)
	addMakeFlags(cmd, &j.MakeVersionsJob, 1)

	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if j.VersionsJob, err = tools.job(); err != nil {
			return err
		}

		a.warnExposed(j.Servers)

		result, err := toolevo.MutateVersions(cmd.Context(), j)
		if err != nil {
			return err
		}

		return a.Show(result, func() { a.printMutated(result.Made) })
	}

	return cmd
}

func (a *app) printMutated(made []toolevo.MutatedVersion) {
	for _, v := range made {
		fmt.Fprintf(a.Out, "%s: %d requests, %d names refused, %d replaced\n", v.Path, v.Requests, len(v.Refused),
			len(v.Repaired))

		for _, why := range v.Repaired {
			fmt.Fprintf(a.Out, "  %s\n", display.Line(why, 0))
		}
	}

	a.Say("Next: toolevo %s", console.Shell("collect", "--api", drift.FilePrefix+filepath.Join(
		filepath.Dir(made[0].Path), "*.yaml")))
}
