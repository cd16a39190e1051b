package main

import (
	"context"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/finetune/facts"
	"toolevo/finetune/tabulate"
)

func (a *app) evalAdaptationCommand() *cobra.Command {
	host := a.host(console.ProgressNone)

	return does(a, a.command("adaptation RUN..."),
		func(ctx context.Context, runs []string) (*facts.Adaptation, error) {
			board, err := host.Board(ctx, runs)
			if err != nil {
				return nil, err
			}

			return board.Adaptation(), nil
		}, func(r *facts.Adaptation) { tabulate.WriteText(a.Out, r.Grids(), a.width()) })
}

// width is how wide tables are.
func (a *app) width() int { return max(a.columns, 80) }
