package main

import (
	"context"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/finetune/adaptation"
	"toolevo/finetune/stored"
)

// evaluationAdaptation is what `eval adaptation` prints.
type evaluationAdaptation struct {
	Rows []adaptation.Row `json:"rows"` // a row for each policy and API version
}

func (a *app) evalAdaptationCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "adaptation RUN...",
		Short: "Measure how policies met APIs that had moved on",
		Long: `Reads the episodes of evaluations and prints, for each policy and API version,
what accuracy does not say: how many questions met a deprecation and after how
many turns its tool was called with success, how often deprecated tools were
called again, and names that are not deployed, how often new tools were called
with wrong arguments, and whether the tools and parameters that UpdateTool was
told of exist.

The cost of drift compares the same questions under the version of the prompt,
where that was evaluated, too: measure p_c beside the others.`,
		Example: `  toolevo eval --api p_c,p_s_in --policy scripted:noisy --out runs/noisy
  toolevo eval adaptation runs/noisy`,
		Args:              console.Positional(1, -1),
		ValidArgsFunction: runs(-1),
	}
	asJSON := console.JSONFlag(cmd)
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
