package main

import (
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

	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if j.VersionsJob, err = tools.job(); err != nil {
			return err
		}

		if j.Script != "" && !cmd.Flags().Changed("count") {
			j.Count = 1
		}

		made, err := toolevo.MakeVersions(cmd.Context(), j)
		if err != nil {
			return err
		}

		return a.Show(made, func() { a.printMade(&j) })
	}

	return cmd
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

// operatorHelp lists the operators with what they do.
func operatorHelp() string {
	var b strings.Builder
	for _, o := range drift.Operators() {
		fmt.Fprintf(&b, "  %-22s  %s\n", o.Name, o.About)
	}

	return b.String()
}

func (a *app) printMade(j *toolevo.MakeVersionsJob) {
	fmt.Fprintf(a.Out, "%d versions of %s in %s\n", j.Count, j.From, j.Out)

	if j.Unseen > 0 {
		fmt.Fprintf(a.Out, "%d of other words in %s\n", j.Unseen, filepath.Join(j.Out, "unseen"))
	}

	a.Say("Next: toolevo %s", console.Shell("collect", "--api", drift.FilePrefix+filepath.Join(j.Out, "*.yaml")))
}
