package main

import (
	"context"
	"fmt"
	"runtime"
	"text/tabwriter"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/display"
)

func (a *app) replayCommand() *cobra.Command {
	job := toolevo.ReplayJob{Host: a.host(console.ProgressAuto)}
	cmd := a.command("replay RUN --set KEY=VALUE")
	a.runDataFlag(cmd, &job.Data)

	flags := cmd.Flags()
	flags.IntVar(&job.Workers, "workers", runtime.NumCPU(), "`N` questions searched at the same time")
	flags.StringArrayVar(&job.Under, "set", nil, "search under `KEY=VALUE`, e.g. search.cpuct=2, or several of them "+
		"(repeatable)")
	return does(a, cmd, func(ctx context.Context, args []string) (r toolevo.Replays, err error) {
		if job.Workers < 1 {
			return r, console.Usage("--workers %d: want at least 1", job.Workers)
		}

		job.Run = args[0]
		return toolevo.ReplayLog(ctx, job)
	}, a.printReplays)
}

func (a *app) printReplays(r toolevo.Replays) {
	fmt.Fprintf(a.Out, "run %s: %d questions\n\n", display.Line(r.Run, 0), r.Replays[0].Questions)

	t := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "SETTINGS\tSOLVED\tACCEPTED\tCORRECT\tTREES\tNODES\tCALLS\tLACKING")

	// Trees that end where the log does might have solved their questions, hence a range.
	for _, row := range r.Replays {
		solved := fmt.Sprint(row.Solved)
		if row.SolvedAtMost > row.Solved {
			solved += fmt.Sprintf("-%d", row.SolvedAtMost)
		}

		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d (%.1f %%)\n", nameOf(row), solved,
			row.Accepted, row.Correct, row.Trees, row.Nodes, row.Calls,
			len(row.Lacking), 100*row.LackedShare)
	}

	t.Flush()

	for i, row := range r.Replays {
		if len(row.Lacking) == 0 {
			continue
		}

		first := row.Lacking[0]
		a.Say("%s: %d trees of %d questions end where the log does, the first of them tree %d of %s, "+
			"after %d simulations; a fresh run finds the same or more.", nameOf(row),
			len(row.Lacking), row.Questions-row.Whole, first.Tree, display.Line(first.Question, 0),
			first.Simulations)

		// The first search repeats the run, so its log ought to have all that it asks for.
		if i == 0 {
			a.Say("The run itself is unfinished, has given trees up, or was made by a version that differs from "+
				"this one: toolevo %s", console.Shell("check", r.Dir))
		}
	}
}

// nameOf returns the name of a search: the settings that it changes.
func nameOf(r toolevo.Replay) string {
	if r.Set == "" {
		return "as it was run"
	}
	return display.Line(r.Set, 0)
}
