package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/display"
)

func (a *app) checkCommand() *cobra.Command {
	cmd := a.command("check RUN|EXPORT")
	job := toolevo.CheckJob{Host: a.host(console.ProgressAuto)}
	a.runDataFlag(cmd, &job.Data)

	job.Workers = runtime.NumCPU()
	addFlags(cmd, "check", into{"workers": &job.Workers})
	return does(a, cmd, func(ctx context.Context, args []string) (any, error) {
		if job.Workers < 1 {
			return nil, console.Usage("--workers %d: want at least 1", job.Workers)
		}

		job.Path = args[0]
		c, err := toolevo.Check(ctx, job)

		switch {
		case c.Trees != nil:
			a.sayGivenUp("trees", c.Trees.GivenUp, toolevo.ContinuationOf(job.Path))
			return c.Trees, err
		case c.Episodes != nil:
			a.sayGivenUp("episodes", c.Episodes.GivenUp, toolevo.ContinuationOf(job.Path))
			return c.Episodes, err
		}

		return c.Export, err
	}, a.printChecked)
}

// printChecked prints what a check found.
func (a *app) printChecked(result any) {
	switch c := result.(type) {
	case *toolevo.CheckedTrees:
		a.printCheckedRun(fmt.Sprintf("%d trees regrown from %d logged calls, %d trajectories compared", c.Trees,
			c.Calls, c.Rows), c.Problems, c.CheckedRun)
	case *toolevo.CheckedEpisodes:
		a.printCheckedRun(fmt.Sprintf("%d episodes played again from %d logged calls, %d rows compared",
			c.Episodes, c.Calls, c.Rows), c.Problems, c.CheckedRun)
	case *toolevo.CheckedExport:
		a.printCheckedExport(c)
	}
}

// printCheckedRun prints the problems that the check of a run found, and what ran its programs.
func (a *app) printCheckedRun(head string, problems []string, run toolevo.CheckedRun) {
	fmt.Fprintf(a.Out, "%s: %d problems\n", head, len(problems))
	a.printProblems(problems)
	a.printEngines(run.Engines, run.Warnings)
}

func (a *app) printProblems(problems []string) {
	for _, p := range problems {
		fmt.Fprintln(a.Out, "  "+display.Line(p, 0))
	}
}

// printSamplesChecked prints how many samples were checked, and what is wrong with their folder.
func (a *app) printSamplesChecked(rows, faulty int, problems []string) {
	fmt.Fprintf(a.Out, "%d samples checked: %d faulty, %d problems with the folder\n", rows, faulty, len(problems))
	a.printProblems(problems)
}

func (a *app) printCheckedExport(c *toolevo.CheckedExport) {
	a.printSamplesChecked(c.Rows, c.Faulty, c.Problems)

	for _, f := range c.Findings {
		fmt.Fprintf(a.Out, "  sample %d: %s\n", f.Sample, display.Line(f.Finding.String(), 0))
	}

	a.printEngines(c.Engines, c.Warnings)
}

// printEngines prints what ran the programs, and which walls were missing.
func (a *app) printEngines(engines, warnings []string) {
	if len(engines) > 0 {
		fmt.Fprintf(a.Out, "programs ran in %s\n", display.Line(strings.Join(engines, "; then in "), 0))
	}

	for _, line := range warnings {
		fmt.Fprintln(a.Out, line)
	}
}
