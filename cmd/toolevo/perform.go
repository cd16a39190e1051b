package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
	"toolevo/envs/sandbox/engines"
)

// perform does the job of a collect, eval or export command line that the user wrote for another command, which has
// the say in the end: what it says at Ctrl-C is its own. However many jobs are done, an engine is attacked once.
func (a *app) perform(ctx context.Context, args ...string) (result any, err error) {
	if a.attack == nil {
		a.attack = engines.Once()
	}

	printed := a.JSON
	defer func() { a.JSON = printed }() // what the outer command prints is not for these flags to say

	switch cmd := a.command(args[0]); cmd.Name() {
	case "collect":
		f := a.addCollectFlags(cmd)

		var job toolevo.CollectJob
		if _, err = parsed(cmd, args); err == nil {
			job, err = f.collectJob(cmd)
		}

		if job.Begun, job.Continue = nil, same; err == nil {
			result, err = toolevo.Collect(ctx, job)
		}
	case "eval":
		f := a.addEvalFlags(cmd)

		if _, err = parsed(cmd, args); err == nil {
			err = f.read(cmd)
		}

		if f.job.Begun, f.job.Continue = nil, same; err == nil {
			result, err = toolevo.Evaluate(ctx, f.job)
		}
	default:
		f := a.addExportFlags(cmd)

		var paths []string
		if paths, err = parsed(cmd, args); err == nil {
			result, err = toolevo.Export(ctx, f.read(cmd, paths))
		}
	}

	if console.KindOf(err) == console.Interruption || ctx.Err() != nil && err != nil {
		return nil, console.Interrupted("%s", a.ending.last())
	}

	if err != nil {
		return nil, fmt.Errorf("toolevo %s: %w", console.Shell(args...), err)
	}

	return result, nil
}

// parsed reads the flags of a command line, and returns what is no flag.
func parsed(cmd *cobra.Command, args []string) ([]string, error) {
	if err := cmd.ParseFlags(args[1:]); err != nil {
		return nil, cmdline.WrongFlag(cmd, err)
	}

	if cmd.PreRunE != nil {
		if err := cmd.PreRunE(cmd, nil); err != nil {
			return nil, err
		}
	}

	return cmd.Flags().Args(), nil
}
