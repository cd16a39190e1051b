package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/regular"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/stategen/stateeval"
	"toolevo/envs/stategen/taskfile"
	"toolevo/envs/suite"
)

// importedRows is what `tasks import` prints.
type importedRows struct {
	Rows  []stateeval.Description `json:"rows"`  // in the order of the files
	Path  string                  `json:"path"`  // the file of the data folder
	Added int                     `json:"added"` // tasks that it did not have
	Known int                     `json:"known"` // tasks that the data folder had already, in whichever split
}

func (a *app) tasksImportCommand() *cobra.Command {
	cmd := console.Command("import FILE...", tasksHelp)
	to := a.addTaskSplit(cmd, "test", "`NAME` of the split to add to: train, dev or test")
	asJSON := console.JSONFlag(cmd)

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := to.check(); err != nil {
			return err
		}

		made, err := to.importRows(cmd.Context(), args)
		if err != nil {
			return err
		}

		return a.Show(*asJSON, made, func() { a.printImported(made) })
	}

	return cmd
}

// importRows reads rows, and adds the tasks among them to the split: all of them, or none after an error.
func (s *taskSplit) importRows(ctx context.Context, paths []string) (made importedRows, err error) {
	made.Rows, made.Path = []stateeval.Description{}, taskfile.Path(*s.data, s.split)

	folder, err := taskfile.Edit(*s.data, suite.Splits())
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()

	for _, path := range paths {
		if err := s.importFile(ctx, path, folder, &made); err != nil {
			return made, fmt.Errorf("%s: %w", path, err)
		}
	}

	if made.Added == 0 {
		return made, nil
	}

	return made, folder.Commit()
}

func (s *taskSplit) importFile(ctx context.Context, path string, to *taskfile.Folder, made *importedRows) (err error) {
	file, err := regular.OpenJSON(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()

	return stateeval.Read(file, func(row stateeval.Row) error {
		d, err := stateeval.Describe(row)
		if err != nil {
			return err
		}

		made.Rows = append(made.Rows, d)

		task, ours, err := row.Task()
		if err != nil || !ours {
			return errors.Join(err, ctx.Err())
		}

		domain, err := domains.Lookup(task.Program.Domain)
		if err != nil {
			return err
		}

		if err := task.Check(domain); err != nil {
			return fmt.Errorf("row %d: %w: the row was changed, or is of another version", row.ExampleID, err)
		}

		added, err := to.Add(s.split, task)
		if added {
			made.Added++
		} else if err == nil {
			made.Known++
		}

		return errors.Join(err, ctx.Err())
	})
}

// printImported describes each row on a line.
func (a *app) printImported(made importedRows) {
	for _, r := range made.Rows {
		line := fmt.Sprintf("%4d %-8s %d cases, %d lines; %s", r.ID, r.Domain, r.Cases, r.Lines,
			strings.Join(append(r.Variables, r.Loaded...), ", "))
		if r.Task != "" {
			line = fmt.Sprintf("%4d %-8s %d cases, %d lines; the task %s", r.ID, r.Domain, r.Cases, r.Lines, r.Task)
		}

		fmt.Fprintln(a.Out, display.Line(line, 80))
	}

	fmt.Fprintf(a.Out, "%d rows; %d tasks added to %s, %d were there\n", len(made.Rows), made.Added, made.Path,
		made.Known)

	if foreign := len(made.Rows) - made.Added - made.Known; foreign > 0 {
		a.Say("%d rows hold no task of toolevo: their programs are Python alone, which is not translated.", foreign)
	}
}
