package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/finetune/stored"
	"toolevo/mcts"
)

func (a *app) collectCommand() *cobra.Command {
	cmd := a.command("collect")
	return does(a, cmd, a.addCollectFlags(cmd).collect, a.printEnded)
}

// collectFlags are the flags of collect, which doctor takes, too.
type collectFlags struct {
	*runFlags
	estimate toolevo.EstimateOptions
}

// addCollectFlags adds the flags of collect.
func (a *app) addCollectFlags(cmd *cobra.Command) *collectFlags {
	f := a.addCollectionFlags(cmd)
	f.limits = a.limitFlags(cmd)
	f.limits.trajectoriesFlag(cmd)
	f.addCoordination(cmd)

	return f
}

// addCollectionFlags adds the flags that say what to collect and how, but not when to stop.
func (a *app) addCollectionFlags(cmd *cobra.Command) *collectFlags {
	f := &collectFlags{runFlags: a.addRunFlags(cmd, nil, "dataset", "difficulty", "template", "split", "limit",
		"perturb", "api", "policy", "preset", "trees", "seed", "compat", "feedback", "hint", "no-update-tool",
		"no-reflection", "engine", "python", "prices")}

	addFlags(cmd, "collect", into{
		"probe":             &f.estimate.Probe,
		"tokens-per-second": &f.estimate.Rate,
		"ignore-unreadable": &f.unreadable,
	})

	return f
}

// collect does what the flags ask for.
func (f *collectFlags) collect(ctx context.Context, _ []string) (any, error) {
	for _, name := range []string{"probe", "tokens-per-second"} {
		if !f.dryRun && f.cmd.Flags().Changed(name) {
			return nil, console.Usage("--%s needs --dry-run: only that estimates", name)
		}
	}

	job, err := f.collectJob()
	if err != nil {
		return nil, err
	}

	c, err := toolevo.Collect(ctx, job)
	return f.collected(c, err)
}

// collected says what a finished collection gave up, and returns its result.
func (f *runFlags) collected(c toolevo.Collected, err error) (any, error) {
	f.sayGivenUp("trees", c.GivenUp)
	return f.ended(c, err)
}

// collectJob returns the job that the flags ask for.
func (f *collectFlags) collectJob() (toolevo.CollectJob, error) {
	run, err := f.job()
	return toolevo.CollectJob{RunJob: run, Unreadable: f.unreadable, Estimate: &f.estimate}, err
}

// printCollected prints the result of a collection.
func (a *app) printCollected(c toolevo.Collected) {
	fmt.Fprintf(a.Out, "run %s: %d of %d questions solved\n", c.Run, c.Solved, c.Questions)
	fmt.Fprintf(a.Out, "%d trees, %d model calls", c.Trees, c.Asked)

	if c.Replayed > 0 {
		fmt.Fprintf(a.Out, ", and %d answered by the log", c.Replayed)
	}

	fmt.Fprintln(a.Out)
	fmt.Fprintf(a.Out, "%d correct trajectories, %d of them distinct and accepted, in %s\n",
		c.Correct, c.Accepted, c.File)

	// On stderr: time and cost differ from run to run, and the result on stdout must not.
	a.Say("It took %s", c.Spent)

	if c.Estimate != nil {
		a.Say("Estimated before the run (with %s): %s", c.Estimate.By, c.Estimate)
	}

	if c.Unreadable > 0 {
		fmt.Fprintf(a.Out, "%d turns%s\n", c.Turns, toolevo.UnreadableShare(c.Unreadable, c.Turns))
	}

	for _, left := range c.LeftOut {
		fmt.Fprintf(a.Out, "left out %d: %s\n", left.N, left.Why)
	}

	a.printEngines(c.Engines, c.Warnings)

	// Without this flag an export refuses what scripts wrote.
	next := "--out DIR"
	if mcts.IsScripted(c.Policy) {
		next += " --allow-scripted"
	}

	a.Say("Next: toolevo %s\n      toolevo %s %s", console.Shell("inspect", c.Dir),
		console.Shell("export", c.Dir), next)
}

func (a *app) branchCommand() *cobra.Command {
	cmd := a.command("branch RUN QUESTION TREE NODE")
	f := a.addNewRunFlags(cmd, nil, "api", "policy", "preset", "trees", "seed", "no-update-tool", "no-reflection",
		"engine", "python", "prices")
	f.limits = a.limitFlags(cmd)
	f.limits.trajectoriesFlag(cmd)
	f.command = stored.Collection // `toolevo collect --resume` continues a branch, too
	ofRun(cmd)

	return does(a, cmd, func(ctx context.Context, args []string) (any, error) {
		run, err := f.job()
		if err != nil {
			return nil, err
		}

		c, err := toolevo.Branch(ctx, toolevo.BranchJob{
			CollectJob: toolevo.CollectJob{RunJob: run},
			Run:        args[0], Question: args[1], Tree: args[2], Node: args[3],
		})
		return f.collected(c, err)
	}, a.printEnded)
}
