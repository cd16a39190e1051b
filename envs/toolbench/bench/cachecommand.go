package bench

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/toolbench/virtual"
)

func newCache(p *console.Program) *cobra.Command {
	cmd := console.Documented(&cobra.Command{
		Use:  "cache DIR",
		Args: console.Positional(1, 1),
	}, helpTexts)
	asJSON := console.JSONFlag(cmd)
	path := cmd.Flags().String("cache", "", "`FILE` that keeps the answers")
	cmd.ValidArgsFunction = console.Folders

	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if *path == "" {
			return console.Usage("--cache is missing: want the file that keeps the answers")
		}

		c, err := virtual.OpenCache(cmd.Context(), *path)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, c.Close()) }()

		done, err := c.Import(cmd.Context(), args[0], base)
		if err != nil {
			return console.Bad("%w", err)
		}

		return p.Show(*asJSON, done, func() {
			fmt.Fprintf(p.Out, "%d answers of %d APIs in %s, %d were there before\n", done.Added, done.Files, *path,
				done.Known)

			for _, why := range slices.Sorted(maps.Keys(done.Rejected)) {
				fmt.Fprintf(p.Out, "left out: %d (%s)\n", done.Rejected[why], why)
			}
		})
	}

	return cmd
}
