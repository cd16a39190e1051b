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
	return versionsOf(a, "validate FILE…", func(job *toolevo.VersionsJob, args []string) (v validatedVersions, err error) {
		_, own, err := job.Load(args)

		switch {
		case err == nil:
			v.Valid = slices.Sorted(maps.Keys(own))
		case console.KindOf(err) != console.WrongUsage:
			err = console.Bad("%w", err)
		}

		return v, err
	}, func(v validatedVersions) { fmt.Fprintf(a.Out, "%d versions are valid\n", len(v.Valid)) })
}
