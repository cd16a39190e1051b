package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
)

func (a *app) versionCommand() *cobra.Command {
	job := func(context.Context, []string) (toolevo.Build, error) { return toolevo.ThisBuild(), nil }
	return does(a, a.command("version"), job, func(b toolevo.Build) {
		fmt.Fprintf(a.Out, "toolevo %s, %s, %s/%s\n", b.Version, b.Go, b.System, b.Architecture)
	})
}
