package main

import (
	"cmp"
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
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if job.Workers < 1 {
			return console.Usage("--workers %d: want at least 1", job.Workers)
		}

		job.Path = args[0]
		c, err := toolevo.Check(cmd.Context(), job)

		return a.printChecked(args[0], c, err)
	}

	return cmd
}

// printChecked prints what a check found where it found something, and returns its error.
func (a *app) printChecked(path string, c toolevo.Checked, err error) error {
	switch {
	case c.Trees != nil:
		t := c.Trees
		head := fmt.Sprintf("%d trees regrown from %d logged calls, %d trajectories compared", t.Trees, t.Calls, t.Rows)

		a.sayGivenUp("trees", t.GivenUp, toolevo.ContinuationOf(path))

		return a.printCheckedRun(t, head, t.Problems, t.CheckedRun, err)
	case c.Episodes != nil:
		e := c.Episodes
		head := fmt.Sprintf("%d episodes played again from %d logged calls, %d rows compared", e.Episodes, e.Calls,
			e.Rows)

		a.sayGivenUp("episodes", e.GivenUp, toolevo.ContinuationOf(path))

		return a.printCheckedRun(e, head, e.Problems, e.CheckedRun, err)
	case c.Export != nil:
		return cmp.Or(a.Show(c.Export, func() { a.writeCheckedExport(c.Export) }), err)
	}

	return err
}

// printCheckedRun prints what the check of a run found, and returns its error.
func (a *app) printCheckedRun(document any, head string, problems []string, run toolevo.CheckedRun,
	err error) error {
	return cmp.Or(a.Show(document, func() {
		fmt.Fprintf(a.Out, "%s: %d problems\n", head, len(problems))

		a.printProblems(problems)
		printEngines(a.Out, run.Engines, run.Warnings)
	}), err)
}

func (a *app) printProblems(problems []string) {
	for _, p := range problems {
		fmt.Fprintln(a.Out, "  "+display.Line(p, 0))
	}
}

func (a *app) writeCheckedExport(c *toolevo.CheckedExport) {
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
