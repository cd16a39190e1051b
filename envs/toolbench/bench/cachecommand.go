package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"toolevo/envs/console"
	"toolevo/envs/suite"
	"toolevo/envs/toolbench/recorded"
	"toolevo/envs/toolbench/virtual"
)

func cacheCommand() suite.Command {
	var path string
	return suite.Command{
		Use: "toolbench cache DIR|FILE", Help: helpTexts, Document: virtual.Imported{},
		Options: []suite.Option{{Name: "cache", Value: &path, Required: true,
			Usage: "keep the answers in the cache `FILE`"}},
		Run: func(ctx context.Context, c *suite.Call) (err error) {
			// Opening a cache makes its file, which a mistyped name must not leave behind.
			if _, err := os.Stat(c.Args[0]); err != nil {
				return console.Usage("%w: name the folder of a published cache, whose files are "+
					"CATEGORY/TOOL_for_CATEGORY/API.json, or a file of recorded calls", err)
			}

			cache, err := virtual.OpenCache(ctx, path)
			if err != nil {
				return err
			}
			// What cannot be written on closing is an error of the command, too.
			defer func() { err = errors.Join(err, cache.Close()) }()

			done, err := importAnswers(ctx, cache, c.Args[0])
			if err != nil {
				return console.Bad("%w", err)
			}

			return c.Result(done, func(w io.Writer) {
				fmt.Fprintf(w, "%d answers of %d files in %s, %d were there before\n",
					done.Added, done.Files, path, done.Known)

				for _, why := range slices.Sorted(maps.Keys(done.Rejected)) {
					fmt.Fprintf(w, "left out: %d (%s)\n", done.Rejected[why], why)
				}
			}, nil)
		},
	}
}

// importAnswers reads a published cache, which is a folder, or a file of recorded calls.
func importAnswers(ctx context.Context, c *virtual.Cache, path string) (virtual.Imported, error) {
	info, err := os.Stat(path)
	if err != nil {
		return virtual.Imported{}, err
	}

	if info.IsDir() {
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
