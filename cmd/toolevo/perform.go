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

// perform does the job of a collect, eval or export command line that the user wrote for another
// command, which has the say in the end: what it says at Ctrl-C is its own. However many jobs are
// done, an engine is attacked once.
func (a *app) perform(ctx context.Context, args ...string) (result any, err error) {
	if a.attack == nil {
		a.attack = engines.Once()
	}

	cmd := newCommand(args[0])

	var job func(context.Context, []string) (any, error)

	switch args[0] {
	case "collect":
		f := a.addCollectFlags(cmd)
		f.command, f.Part, job = "", true, f.collect
	case "eval":
		f := a.addEvalFlags(cmd)
		f.command, f.Part, job = "", true, f.evaluate
	default:
		job = a.addExportFlags(cmd).export
	}

	// The account of the outer command counts this one, too; a limit here would end only a part.
	rest, err := parsed(cmd, args[1:])
	if l := a.limited[cmd]; err == nil && l != nil && *l != (limits{}) {
		err = console.Usage("limits are those of the command that does all of this: give them to that one")
	}

	if err == nil {
		result, err = job(ctx, rest)
	}

	if console.KindOf(err) == console.Interruption || ctx.Err() != nil && err != nil {
		return nil, console.Interrupted("%s", a.ending.last())
	}

	if err != nil {
		return nil, fmt.Errorf("toolevo %s: %w", console.Shell(args...), err)
	}
	return result, nil
}

// evaluation is the job of flags of eval that the user wrote for another command.
func (a *app) evaluation(args []string) (*toolevo.EvaluateJob, error) {
	cmd := newCommand("eval")
	f := a.addEvalFlags(cmd)
	f.command = ""

	if _, err := parsed(cmd, args); err != nil {
		return nil, err
	}

	err := f.read()
	return &f.job, err
}

// parsed reads flags of a command, and returns what is no flag.
func parsed(cmd *cobra.Command, args []string) ([]string, error) {
	if err := cmd.ParseFlags(args); err != nil {
		return nil, cmdline.WrongFlag(cmd, err)
	}

	if cmd.PreRunE != nil {
		if err := cmd.PreRunE(cmd, nil); err != nil {
			return nil, err
		}
	}

	return cmd.Flags().Args(), nil
}
