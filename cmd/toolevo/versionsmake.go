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

	cmd := newCommand("make")
	cmd.Long = strings.Replace(cmd.Long, "OPERATORS\n", operatorHelp(), 1)

	addMakeFlags(cmd, &j, 50)

	flags := cmd.Flags()
	flags.StringVar(&j.Factor, "factor", "", "`NAME` of the only thing that changes: "+
		strings.Join(drift.FactorNames(), ", ")+" (default: many at once)")
	cmdline.Complete(cmd, "factor", cmdline.Listed(drift.FactorNames()))
	flags.StringSliceVar(&j.Operators, "ops", nil, "`NAMES` of the operators, in their order; see above (default: "+
		"drawn for each API)")
	cmdline.Complete(cmd, "ops", cmdline.Listed(drift.OperatorNames()))
	flags.StringVar(&j.Script, "script", "", "`FILE` of operators for each tool, with names that you choose")
	flags.IntVar(&j.Unseen, "unseen", 0, "`N` more versions of words that the others do not have, in DIR/unseen")
	asJSON, tools := cmdline.JSONFlag(cmd), a.addToolsFlags(cmd)

	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if j.VersionsJob, err = tools.job(); err != nil {
			return err
		}

		if j.Script != "" && !flags.Changed("count") {
			j.Count = 1
		}

		made, err := toolevo.MakeVersions(cmd.Context(), j)
		if err != nil {
			return err
		}

		return a.Show(*asJSON, made, func() { a.printMade(&j) })
	}

	return cmd
}

// addMakeFlags adds the flags of every command that makes versions.
func addMakeFlags(cmd *cobra.Command, j *toolevo.MakeVersionsJob, count int) {
	flags := cmd.Flags()
	flags.StringVar(&j.From, "from", "p_c", "`NAME` of the version they are made from")
	flags.IntVar(&j.Count, "count", count, "`N` versions")
	flags.Uint64Var(&j.Seed, "seed", 1, "`N` is the seed of all randomness")
	flags.StringVar(&j.Out, "out", "", "folder `DIR` for the files")
	flags.StringSliceVar(&j.HoldOut, "hold-out", nil, "`NAMES` of versions whose identifiers are not used (default: "+
		"all that are shipped, but the source)")
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
