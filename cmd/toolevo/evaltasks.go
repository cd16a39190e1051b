package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	stategen "toolevo/envs/stategen/bench"
	"toolevo/finetune/programs"
)

// evaluationTasks is what `eval tasks` prints.
type evaluationTasks struct {
	Rows  []programs.Pass `json:"rows"`            // a row for each policy, API version and domain
	Files []string        `json:"files,omitempty"` // that --out got: tables and figures
}

func (a *app) evalTasksCommand() *cobra.Command {
	cmd := newCommand("tasks RUN...")
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

	for _, dir := range dirs {
		if err := a.addTasks(ctx, dir, &results); err != nil {
			return err
		}
	}

	document := evaluationTasks{Rows: results.Passes()}
	tables := programs.PassTables(document.Rows)

	if out != "" {
		files := append([]toolevo.OutFile{
			toolevo.JSONFile("tasks.json", document),
			{Name: "tasks.csv", Write: func(w io.Writer) error { return programs.WritePassCSV(w, document.Rows) }},
		}, toolevo.TableFiles("tasks", tables)...)
		files = append(files, toolevo.FigureFiles(programs.PassFigures(document.Rows))...)

		var err error
		if document.Files, err = toolevo.WriteFiles(out, files); err != nil {
			return console.GaveUp(err)
		}
	}

	var tableErr error

	err := a.Show(asJSON, document, func() { tableErr = programs.WriteTerminal(a.Out, tables) })
	if out != "" {
		a.Say("For papers: %s and %s", filepath.Join(out, "tasks.tex"), filepath.Join(out, "figure-*.svg"))
	}

	return errors.Join(err, tableErr)
}

// addTasks adds the episodes of an evaluation.
func (a *app) addTasks(ctx context.Context, dir string, results *programs.Results) (err error) {
	e, err := a.openEvaluation(ctx, dir)
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, e.Close()) }()

	references, err := a.references(e)
	if err != nil {
		return err
	}

	if references != nil {
		defer func() { err = errors.Join(err, references.Close()) }()
	}

	for p, err := range e.Played(ctx, e.Missing) {
		if err != nil {
			return err
		}

		if err := results.Add(p.API, p.Episode, references); err != nil {
			return err
		}
	}

	return nil
}

// references opens the generated tasks that an evaluation asked, where they still are what they were.
func (a *app) references(e *toolevo.StoredEvaluation) (*programs.References, error) {
	if e.Config.Suite != (stategen.StateGen{}).Name() {
		return nil, nil
	}

	r, err := programs.OpenReferences(e.Data(), e.Config.Split)
	if err == nil && e.Manifest.Inputs["split "+e.Config.Split] == r.SHA256() {
		return r, nil
	}

	if err == nil {
		err = fmt.Errorf("%s has others in split %s", e.Data(), e.Config.Split)
		err = errors.Join(err, r.Close())
	}

	a.Say("The tasks of %s are gone, so that nobody can tell why its wrong answers are wrong: %v", e.Dir, err)

	return nil, nil
}
