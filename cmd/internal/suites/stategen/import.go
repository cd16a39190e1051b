package stategen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"toolevo/envs/disk"
	"toolevo/envs/display"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/stategen/stateeval"
	"toolevo/envs/stategen/taskfile"
	"toolevo/envs/suite"
)

// ImportedRows is what `tasks import` prints.
type ImportedRows struct {
	Rows  []stateeval.Description `json:"rows"`  // in the order of the files
	Path  string                  `json:"path"`  // the file of the data folder
	Added int                     `json:"added"` // tasks that it did not have
	Known int                     `json:"known"` // tasks that the data folder had already, in whichever split
}

func importCommand() suite.Command {
	to := taskSplit{split: "test"}

	return suite.Command{
		Use: "tasks import " +
			"FILE...", Help: helpTexts, Document: ImportedRows{}, Options: to.options(),
		Run: func(ctx context.Context, c *suite.Call) error {
			made, err := to.importRows(ctx, c.Args)

			return c.Result(made, func(w io.Writer) {
				made.print(w)

				if foreign := len(made.Rows) - made.Added - made.Known; foreign > 0 {
					c.Say("%d rows hold no task of toolevo: their programs are Python alone, "+
						"which is not translated.",
						foreign)
				}
			}, err)
		},
	}
}

// importRows reads rows, and adds the tasks among them to the split: all of them, or none after an
// error.
func (s *taskSplit) importRows(ctx context.Context, paths []string) (made ImportedRows, err error) {
	made.Rows, made.Path = []stateeval.Description{}, taskfile.Path(s.data, s.split)

	folder, err := taskfile.Edit(s.data, suite.Splits())
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

func (s *taskSplit) importFile(ctx context.Context, path string, to *taskfile.Folder,
	made *ImportedRows) (err error) {
	file, err := disk.OpenJSON(path)
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

		// Rows that another program made are only described.
		task, ours, err := row.Task()
		if err != nil || !ours {
			return errors.Join(err, ctx.Err())
		}

		domain, err := domains.Of(&task.Program)
		if err != nil {
			return err
		}

		if err := task.Check(domain); err != nil {
			return fmt.Errorf("row %d: %w: the row was changed, or is of another version",
				row.ExampleID, err)
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

// print describes each row on a line.
func (made *ImportedRows) print(w io.Writer) {
	for _, r := range made.Rows {
		line := fmt.Sprintf("%4d %-8s %d cases, %d lines; %s", r.ID, r.Domain, r.Cases, r.Lines,
			strings.Join(append(r.Variables, r.Loaded...), ", "))
		if r.Task != "" {
			line = fmt.Sprintf("%4d %-8s %d cases, %d lines; the task %s", r.ID, r.Domain, r.Cases,
				r.Lines, r.Task)
		}

		fmt.Fprintln(w, display.Line(line, 80))
	}

	fmt.Fprintf(w, "%d rows; %d tasks added to %s, %d were there\n", len(made.Rows), made.Added,
		made.Path,
		made.Known)
}
