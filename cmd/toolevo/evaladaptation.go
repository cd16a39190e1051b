package main

import (
	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/finetune/tabulate"
)

func (a *app) evalAdaptationCommand() *cobra.Command {
	cmd := a.command("adaptation RUN...")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		host := a.host(console.ProgressNone)

		board, err := host.Board(cmd.Context(), args)
		if err != nil {
			return err
		}

		adaptation := board.Adaptation()
		if a.JSON {
			return a.PrintJSON(adaptation)
		}

		return tabulate.WriteText(a.Out, adaptation.Grids(), a.width())
	}

	return cmd
}

// width is how wide tables are.
func (a *app) width() int { return max(a.columns, 80) }
