package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
)

// validatedVersions is the result of `versions validate`.
type validatedVersions struct {
	Valid []string `json:"valid"` // the versions' names, in alphabetical order
}

func (a *app) versionsValidateCommand() *cobra.Command {
	cmd := newCommand("validate FILE…")
	asJSON, tools := cmdline.JSONFlag(cmd), a.addToolsFlags(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		_, own, err := tools.open(args)
		if err != nil && console.KindOf(err) != console.WrongUsage {
			return console.Bad("%w", err)
		}

		if err != nil {
			return err
		}

		var result validatedVersions
		for name := range own {
			result.Valid = append(result.Valid, name)
		}

		slices.Sort(result.Valid)

		return a.Show(*asJSON, result, func() { fmt.Fprintf(a.Out, "%d versions are valid\n", len(result.Valid)) })
	}

	return cmd
}
