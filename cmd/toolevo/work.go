package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
	"toolevo/envs/display"
)

func (a *app) workCommand() *cobra.Command {
	var job toolevo.WorkJob

	cmd := a.command("work")
	job.Servers = a.servingFlags(cmd)
	job.Log.Level = "info"

	addFlags(cmd, "work", into{"join": &job.Join, "name": &job.Name, "data": &job.Data, "fetch": &job.Fetch})
	addFlags(cmd, "run", into{
		"workers":        &job.Workers,
		"python-servers": &job.PythonServers,
		"metrics":        &job.Metrics,
		"log-file":       &job.Log.File,
		"log-level":      &job.Log.Level,
	})
	// Everything else is the run's, and comes from the coordinator.
	progress := cmdline.ProgressFlag(cmd)

	return does(a, cmd, func(ctx context.Context, _ []string) (w toolevo.Worked, err error) {
		if job.Join == "" {
			return w, console.Usage("--join is required: the address that the coordinator printed, or its run's folder")
		}

		a.warnExposed(job.Servers)
		job.Host = a.host(*progress)

		return toolevo.Work(ctx, job)
	}, func(w toolevo.Worked) {
		fmt.Fprintf(a.Out, "run %s: %d units begun here\n", display.Line(w.Run, 0), w.Units)
		a.Say("It took %s", w.Spent)
	})
}
