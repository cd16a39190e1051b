package main

import (
	"context"

	"github.com/spf13/cobra"

	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
	"toolevo/finetune/tabulate"
)

func (a *app) evalAdaptationCommand() *cobra.Command {
	cmd := newCommand("adaptation RUN...")
	asJSON := cmdline.JSONFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.evalAdaptation(cmd.Context(), args, *asJSON)
	}

	return cmd
}

func (a *app) evalAdaptation(ctx context.Context, dirs []string, asJSON bool) error {
	host := a.host(console.ProgressNone)

	board, err := host.Board(ctx, dirs)
	if err != nil {
		return err
	}

	adaptation := board.Adaptation()
	if asJSON {
		return a.PrintJSON(adaptation)
	}

	return tabulate.WriteText(a.Out, adaptation.Grids(), a.width())
}

// width is how wide tables are.
func (a *app) width() int { return max(a.columns, 80) }
