package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/toolbench/recorded"
	"toolevo/envs/toolbench/virtual"
)

func newCache(p *console.Program) *cobra.Command {
	cmd := console.Command("cache DIR|FILE", helpTexts)
	asJSON := console.JSONFlag(cmd)
	path := cmd.Flags().String("cache", "", "`FILE` that keeps the answers")

	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if *path == "" {
			return console.Usage("--cache is missing: want the file that keeps the answers")
		}

		c, err := virtual.OpenCache(cmd.Context(), *path)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, c.Close()) }()

		done, err := importAnswers(cmd.Context(), c, args[0])
		if err != nil {
			return console.Bad("%w", err)
		}

		return p.Show(*asJSON, done, func() {
			fmt.Fprintf(p.Out, "%d answers of %d files in %s, %d were there before\n", done.Added, done.Files, *path,
				done.Known)

			for _, why := range slices.Sorted(maps.Keys(done.Rejected)) {
				fmt.Fprintf(p.Out, "left out: %d (%s)\n", done.Rejected[why], why)
			}
		})
	}

	return cmd
}

// importAnswers reads a published cache, which is a folder, or a file of recorded calls.
func importAnswers(ctx context.Context, c *virtual.Cache, path string) (virtual.Imported, error) {
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return c.Import(ctx, path, base)
	}

	calls, err := recorded.Read(path)
	if err != nil {
		return virtual.Imported{}, err
	}

	entries := make([]virtual.Entry, len(calls))
	for i, call := range calls {
		entries[i] = virtual.Entry{
			Call: virtual.NewCall(base, call.Key, call.Input), Answer: call.Answer, Provenance: virtual.Real,
		}
	}

	done, err := c.Keep(ctx, entries)
	done.Files = 1

	return done, err
}
