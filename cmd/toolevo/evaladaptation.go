package main

import (
	"context"

	"github.com/spf13/cobra"

	"toolevo/cmd/internal/cmdline"
	"toolevo/finetune/facts"
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
	board, err := a.board(ctx, dirs)
	if err != nil {
		return err
	}

	adaptation := board.Adaptation()
	if asJSON {
		return a.PrintJSON(adaptation)
	}

	return tabulate.WriteText(a.Out, adaptation.Grids(), a.width())
}

// board returns what the episodes of some evaluations come to, in the order of their reports.
func (a *app) board(ctx context.Context, dirs []string) (*facts.Board, error) {
	all, err := a.openEvaluations(ctx, dirs)
	defer all.close()

	if err != nil {
		return nil, err
	}

	return all.board(ctx)
}

func (all evaluations) board(ctx context.Context) (*facts.Board, error) {
	joined := &facts.Board{}

	for _, e := range all {
		b, err := e.Board(ctx, e.Missing)
		if err != nil {
			return nil, err
		}

		joined.Facts, joined.Calls = append(joined.Facts, b.Facts...), append(joined.Calls, b.Calls...)
	}

	return joined, nil
}

// width is how wide tables are.
func (a *app) width() int { return max(a.columns, 80) }
