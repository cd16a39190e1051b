package main

import (
	"context"

	"github.com/spf13/cobra"

	"toolevo/cmd/internal/cmdline"
	"toolevo/finetune/adaptation"
	"toolevo/finetune/stored"
)

// evaluationAdaptation is what `eval adaptation` prints.
type evaluationAdaptation struct {
	Rows []adaptation.Row `json:"rows"` // a row for each policy and API version
}

func (a *app) evalAdaptationCommand() *cobra.Command {
	cmd := newCommand("adaptation RUN...")
	asJSON := cmdline.JSONFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.evalAdaptation(cmd.Context(), args, *asJSON)
	}

	return cmd
}

func (a *app) evalAdaptation(ctx context.Context, dirs []string, asJSON bool) error {
	var m adaptation.Measures

	err := a.playedEpisodes(ctx, dirs, func(p stored.Played) {
		m.Add(adaptation.Sample{Episode: p.Episode, API: p.API, Version: p.Version})
	})
	if err != nil {
		return err
	}

	if rows := m.Rows(); !asJSON {
		return adaptation.Write(a.Out, rows)
	}

	return a.PrintJSON(evaluationAdaptation{m.Rows()})
}
