package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
)

// sandboxCommand attacks the engine that runs model-written programs.
func (a *app) sandboxCommand() *cobra.Command {
	cmd := a.command("sandbox")
	s := a.addSettings(cmd, nil, "engine", "python")

	var job toolevo.SandboxJob

	addFlags(cmd, "sandbox", into{
		"without":      &job.Without,
		"landlock-abi": &job.ABI,
		"short":        &job.Short,
	})

	return does(a, cmd, func(ctx context.Context, _ []string) (r *toolevo.SandboxReport, err error) {
		out := a.Out
		if a.JSON {
			out = io.Discard
		}

		job.Host = a.host(console.ProgressNone)
		job.Begun = func(r *toolevo.SandboxReport) { (*sandboxReport)(r).writeHead(out) }
		job.Found = findingsWriter(out)

		if job.Settings, err = s.given(cmd.Flags()); err != nil {
			return nil, err
		}
		return toolevo.AttackSandbox(ctx, job)
	}, func(r *toolevo.SandboxReport) { (*sandboxReport)(r).writeVerdict(a.Out) })
}

// sandboxReport writes a report as text.
type sandboxReport toolevo.SandboxReport
