package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/finetune/programs"
	"toolevo/finetune/stored"
)

// evaluationTasks is what `eval tasks` prints.
type evaluationTasks struct {
	Rows  []programs.Pass `json:"rows"`            // a row for each policy, API version and domain
	Files []string        `json:"files,omitempty"` // that --out got: tables and figures
}

func (a *app) evalTasksCommand() *cobra.Command {
	cmd := console.Documented(&cobra.Command{
		Use:               "tasks RUN...",
		Args:              console.Positional(1, -1),
		ValidArgsFunction: runs(-1),
	}, helpTexts)
	out := cmd.Flags().String("out", "", "also write tables and figures into the folder `DIR`")
	asJSON := console.JSONFlag(cmd)
	console.Complete(cmd, "out", console.Folders)

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.evalTasks(cmd.Context(), args, *out, *asJSON)
	}

	return cmd
}

func (a *app) evalTasks(ctx context.Context, dirs []string, out string, asJSON bool) error {
	var results programs.Results

	err := a.playedEpisodes(ctx, dirs, func(p stored.Played) { results.Add(p.API, p.Episode) })
	if err != nil {
		return err
	}

	document := evaluationTasks{Rows: results.Passes()}
	tables := programs.PassTables(document.Rows)

	if out != "" {
		files := append([]outFile{
			jsonFile("tasks.json", document),
			{"tasks.csv", func(w io.Writer) error { return programs.WritePassCSV(w, document.Rows) }},
		}, tableFiles("tasks", tables)...)
		files = append(files, figureFiles(programs.PassFigures(document.Rows))...)

		if err := os.MkdirAll(out, 0o755); err != nil {
			return err
		}

		if document.Files, err = writeFiles(out, files); err != nil {
			return console.GaveUp(err)
		}
	}

	var tableErr error

	err = a.Show(asJSON, document, func() { tableErr = programs.WriteTerminal(a.Out, tables) })
	if out != "" {
		a.Say("For papers: %s and %s", filepath.Join(out, "tasks.tex"), filepath.Join(out, "figure-*.svg"))
	}

	return errors.Join(err, tableErr)
}
