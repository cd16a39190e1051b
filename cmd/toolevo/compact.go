package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/display"
	"toolevo/finetune/rundir"
	"toolevo/mcts/store"
)

func (a *app) compactCommand() *cobra.Command {
	cmd := newCommand("compact RUN…")
	asJSON := cmdline.JSONFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		result := compaction{Runs: []compactedRun{}}

		for _, dir := range args {
			before, err := rundir.Read(cmd.Context(), dir)
			if err != nil {
				return err
			}

			done, err := store.Compact(cmd.Context(), dir)
			if err != nil {
				return err
			}

			after, err := rundir.Read(cmd.Context(), dir)
			if err != nil {
				return err
			}

			result.Runs = append(result.Runs, compactedRun{dir, done, before.Bytes, after.Bytes})
		}

		return a.Show(*asJSON, result, func() {
			for _, r := range result.Runs {
				what := "is in today's form already"
				if r.Compacted {
					what = fmt.Sprintf("took %s, takes %s", display.Bytes(r.Before), display.Bytes(r.After))
				}

				fmt.Fprintf(a.Out, "%s %s\n", display.Line(r.Dir, 0), what)
			}
		})
	}

	return cmd
}

// compaction is what runs compact prints.
type compaction struct {
	Runs []compactedRun `json:"runs"` // in the order of the arguments
}

// compactedRun is what became of one run.
type compactedRun struct {
	Dir       string `json:"dir"`          // the run directory
	Compacted bool   `json:"compacted"`    // false if it was in today's form already
	Before    int64  `json:"bytes_before"` // of all its files
	After     int64  `json:"bytes"`        // the same now
}
