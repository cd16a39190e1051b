package main

import (
	"context"
	"fmt"
	"io"
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

// printCheckedRun prints what the check of a run found.
func (a *app) printCheckedRun(head string, problems []string, run toolevo.CheckedRun) {
	fmt.Fprintf(a.Out, "%s: %d problems\n", head, len(problems))
	a.printProblems(problems)
	printEngines(a.Out, run.Engines, run.Warnings)
}

func (a *app) printProblems(problems []string) {
	for _, p := range problems {
		fmt.Fprintln(a.Out, "  "+display.Line(p, 0))
	}
}

func (a *app) printCheckedExport(c *toolevo.CheckedExport) {
	fmt.Fprintf(a.Out, "%d samples checked: %d faulty, %d problems with the folder\n", c.Rows, c.Faulty,
		len(c.Problems))

	a.printProblems(c.Problems)

	for _, f := range c.Findings {
		fmt.Fprintf(a.Out, "  sample %d: %s\n", f.Sample, display.Line(f.Finding.String(), 0))
	}

	printEngines(a.Out, c.Engines, c.Warnings)
}

// printEngines says in a report what ran the programs, and which walls were not there.
func printEngines(w io.Writer, engines, warnings []string) {
	if len(engines) > 0 {
		fmt.Fprintf(w, "programs ran in %s\n", display.Line(strings.Join(engines, "; then in "), 0))
	}

	for _, line := range warnings {
		fmt.Fprintln(w, line)
	}
}
