package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
	"toolevo/envs/drift"
)

func (a *app) versionsMakeCommand() *cobra.Command {
	var j toolevo.MakeVersionsJob

	cmd := a.command("make")
	cmd.Long = strings.Replace(cmd.Long, "OPERATORS\n", operatorHelp(), 1)

	addMakeFlags(cmd, &j, 50)

	addFlags(cmd, "make", into{
		"factor": &j.Factor,
		"ops":    &j.Operators,
		"script": &j.Script,
		"unseen": &j.Unseen,
	})
	cmdline.Complete(cmd, "factor", cmdline.Listed(drift.FactorNames()))
	cmdline.Complete(cmd, "ops", cmdline.Listed(drift.OperatorNames()))

	tools := a.addToolsFlags(cmd)
	return does(a, cmd, func(ctx context.Context, _ []string) (made toolevo.MadeVersions, err error) {
		if j.VersionsJob, err = tools.job(); err != nil {
			return made, err
		}

		// A script leaves nothing to chance: further versions of it would all be the same.
		if j.Script != "" && !cmd.Flags().Changed("count") {
			j.Count = 1
		}
		return toolevo.MakeVersions(ctx, j)
	}, func(made toolevo.MadeVersions) {
		a.printMade(made, tools.again())
	})
}

// addMakeFlags adds the flags of every command that makes versions.
func addMakeFlags(cmd *cobra.Command, j *toolevo.MakeVersionsJob, count int) {
	j.From, j.Count, j.Seed = "p_c", count, 1
	addFlags(cmd, "make", into{
		"from":     &j.From,
		"count":    &j.Count,
		"seed":     &j.Seed,
		"out":      &j.Out,
		"hold-out": &j.HoldOut,
	})
}

// operatorHelp lists the operators and what they do.
func operatorHelp() string {
	var b strings.Builder
	for _, o := range drift.Operators() {
		fmt.Fprintf(&b, "  %-22s  %s\n", o.Name, o.About)
	}
	return b.String()
}

// printMade prints what was made, and the command that uses it, with more as its last arguments.
func (a *app) printMade(made toolevo.MadeVersions, more []string) {
	fmt.Fprintf(a.Out, "%d versions of %s in %s\n", len(made.Made), made.From, made.Dir)

	if n := len(made.Unseen); n > 0 {
		fmt.Fprintf(a.Out, "%d of other words in %s\n", n, filepath.Join(made.Dir, "unseen"))
	}

	next := []string{"collect", "--api", drift.FilePrefix + filepath.Join(made.Dir, "*.yaml")}
	a.Say("Next: toolevo %s", console.Shell(append(next, more...)...))
}
