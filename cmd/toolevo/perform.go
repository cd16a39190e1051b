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

// perform does the job of a collect, eval or export command line that another command is made of.
// What is said at Ctrl-C is up to that command. However many jobs it does, it attacks an engine
// once.
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

	// The outer command's account counts this job, too. A limit here would end only a part of it.
	rest, err := parsed(cmd, args[1:])
	if l := a.limited[cmd]; err == nil && l != nil && *l != (limits{}) {
		err = console.Usage("limits are those of the command that does all of this: give them to that one")
	}

	if err == nil {
		result, err = job(ctx, rest)
	}

	// How to continue the part is of no use: the outer command says how to continue the whole.
	if console.KindOf(err) == console.Interruption || ctx.Err() != nil && err != nil {
		return nil, console.Interrupted("%s", a.ending.last())
	}

	if err != nil {
		return nil, fmt.Errorf("toolevo %s: %w", console.Shell(args...), err)
	}
	return result, nil
}

// unpickable are flags of eval that finetune sets itself, or cannot keep.
var unpickable = []string{"dry-run", "out", "policy", "resume", "run-id", "server", "stop-after",
	"stop-at", "max-total-tokens", "max-cost", "then"}

// evaluation returns the job of eval flags that the user gave to another command.
func (a *app) evaluation(args []string) (*toolevo.EvaluateJob, error) {
	cmd := newCommand("eval")
	f := a.addEvalFlags(cmd)
	f.command = ""

	rest, err := parsed(cmd, args)
	if err != nil {
		return nil, err
	}

	if len(rest) > 0 {
		return nil, console.Usage("%q: want only flags of eval behind --", rest[0])
	}

	for _, name := range unpickable {
		if cmd.Flags().Changed(name) {
			return nil, console.Usage("--%s: leave it out behind --, where it says nothing about "+
				"a checkpoint", name)
		}
	}

	err = f.read()
	return &f.job, err
}

// parsed reads the flags of a command, and returns its other arguments.
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
