package main

import (
	"fmt"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/mcts"
)

func (a *app) collectCommand() *cobra.Command {
	cmd := a.command("collect")
	f := a.addCollectFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := f.checkEstimate(cmd); err != nil {
			return err
		}

		job, err := f.collectJob(cmd)
		if err != nil {
			return err
		}

		c, err := toolevo.Collect(cmd.Context(), job)

		return a.printCollected(f.runFlags, c, f.ended(err))
	}

	return cmd
}

// collectFlags are the flags of collect, which doctor takes, too.
type collectFlags struct {
	*runFlags
	estimate toolevo.EstimateOptions
}

// addCollectFlags adds the flags of collect.
func (a *app) addCollectFlags(cmd *cobra.Command) *collectFlags {
	f := &collectFlags{runFlags: a.addRunFlags(cmd, nil, "dataset", "difficulty", "template", "split", "limit",
		"perturb", "api", "policy", "preset", "trees", "seed", "compat", "feedback", "no-update-tool", "no-reflection",
		"engine", "python")}

	addFlags(cmd, "collect", into{
		"probe":             &f.estimate.Probe,
		"tokens-per-second": &f.estimate.Rate,
		"prices":            &f.estimate.Prices,
		"ignore-unreadable": &f.unreadable,
	})

	return f
}

// checkEstimate refuses flags of an estimate where none is made.
func (f *collectFlags) checkEstimate(cmd *cobra.Command) error {
	for _, name := range []string{"probe", "tokens-per-second", "prices"} {
		if !f.dryRun && cmd.Flags().Changed(name) {
			return console.Usage("--%s needs --dry-run: only that estimates", name)
		}
	}

	return nil
}

// collectJob is what the flags ask for.
func (f *collectFlags) collectJob(cmd *cobra.Command) (toolevo.CollectJob, error) {
	run, err := f.job(cmd)
	return toolevo.CollectJob{RunJob: run, Unreadable: f.unreadable, Estimate: &f.estimate}, err
}

// printCollected prints the result of a collection, or returns its error.
func (a *app) printCollected(f *runFlags, c toolevo.Collected, err error) error {
	if err != nil || f.dryRun {
		return err
	}

	a.sayGivenUp("trees", c.GivenUp, f.resumeCommand(toolevo.Stop{Dir: c.Dir}))

	return a.Show(c, func() {
		fmt.Fprintf(a.Out, "run %s: %d of %d questions solved\n", c.Run, c.Solved, c.Questions)
		fmt.Fprintf(a.Out, "%d trees, %d model calls, and %d answered by the log\n", c.Trees, c.Asked, c.Replayed)
		fmt.Fprintf(a.Out, "%d correct trajectories, %d of them distinct and accepted, in %s\n", c.Correct, c.Accepted,
			c.File)
		if c.Unreadable > 0 {
			fmt.Fprintf(a.Out, "%d turns,%s\n", c.Turns, toolevo.UnreadableShare(c.Unreadable, c.Turns))
		}

		for _, left := range c.LeftOut {
			fmt.Fprintf(a.Out, "left out %d: %s\n", left.N, left.Why)
		}

		printEngines(a.Out, c.Engines, c.Warnings)
		next := "--out DIR"
		if mcts.IsScripted(c.Policy) {
			next += " --allow-scripted"
		}

		a.Say("Next: toolevo %s\n      toolevo %s %s", console.Shell("inspect", c.Dir),
			console.Shell("export", c.Dir), next)
	})
}
