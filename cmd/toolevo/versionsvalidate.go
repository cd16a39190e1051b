package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
)

// validatedVersions is the result of `versions validate`.
type validatedVersions struct {
	Valid []string `json:"valid"` // the versions' names, in alphabetical order
}

func (a *app) versionsValidateCommand() *cobra.Command {
	return a.versionsOf("validate FILE…", func(job *toolevo.VersionsJob, args []string) (any, func(), error) {
		_, own, err := job.Load(args)
		if err != nil && console.KindOf(err) != console.WrongUsage {
			err = console.Bad("%w", err)
		}

		result := validatedVersions{slices.Sorted(maps.Keys(own))}

		return result, func() { fmt.Fprintf(a.Out, "%d versions are valid\n", len(result.Valid)) }, err
	})
}
