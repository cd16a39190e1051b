package stategen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"toolevo/envs/disk"
	"toolevo/envs/display"
	"toolevo/envs/sandbox"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/code"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/stategen/stateeval"
	"toolevo/envs/stategen/taskfile"
	"toolevo/envs/suite"
)

// ImportedRows is what `tasks import` prints.
type ImportedRows struct {
	Rows   []stateeval.Description `json:"rows"`   // in the order of the files
	Path   string                  `json:"path"`   // the file of the data folder
	Added  int                     `json:"added"`  // tasks that it did not have
	Known  int                     `json:"known"`  // tasks that it had, in whichever split
	Failed int                     `json:"failed"` // rows that gave no task, each for its reason
}

// importing adds the tasks of rows to a split.
type importing struct {
	taskSplit
	engine func() (sandbox.Engine, error) // opened for the first program that others wrote
	to     *taskfile.Folder
	made   ImportedRows
}

func importCommand() suite.Command {
	to := importing{taskSplit: taskSplit{split: "test"}}
	return suite.Command{
		Use: "tasks import FILE...", Help: helpTexts, Document: ImportedRows{}, Options: to.options(),
		Configured: &suite.Configured{Defaults: map[string]string{"suite": "stategen"}},
		Run: func(ctx context.Context, c *suite.Call) error {
			to.engine = sync.OnceValues(func() (sandbox.Engine, error) { return c.Engine(ctx) })
			err := to.files(ctx, c.Args)
			return c.Result(to.made, to.made.print, err)
		},
	}
}

// files reads rows, and adds the tasks among them to the split: all of them, or none after an
// error.
func (o *importing) files(ctx context.Context, paths []string) (err error) {
	o.made.Rows, o.made.Path = []stateeval.Description{}, taskfile.Path(o.data, o.split)

	o.to, err = taskfile.Edit(o.data, suite.Splits())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.to.Close()) }()

	for _, path := range paths {
		if err := o.file(ctx, path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}

	if o.made.Added == 0 {
		return nil
	}
	return o.to.Commit()
}

// file reads the rows of one file, and notes what each gives.
func (o *importing) file(ctx context.Context, path string) (err error) {
	file, err := disk.OpenJSON(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()

	next, _ := stateeval.Number(path)

	return stateeval.Read(file, func(row stateeval.Row) error {
		// The number makes the task's ID. Evaluators have none: they are counted from that of their
		// file on.
		if row.ExampleID == 0 {
			row.ExampleID = next
			next++
		}

		d, err := stateeval.Describe(row)
		if err != nil {
			return err
		}

		task, err := o.task(ctx, row)

		// A row without a task is the file's fault and noted; any other error ends the import.
		var unplayable *stateeval.Unplayable

		switch {
		case errors.As(err, &unplayable):
			d.Failed = unplayable.Reason
			o.made.Failed++
		case err == nil:
			d.Task = task.ID
			err = o.add(task)
		}

		o.made.Rows = append(o.made.Rows, d)

		if unplayable != nil {
			return ctx.Err()
		}
		return errors.Join(err, ctx.Err())
	})
}

// task returns the task that a row was made from, or that its program gives.
func (o *importing) task(ctx context.Context, row stateeval.Row) (*stategen.Task, error) {
	task, ours, err := row.Task()
	if err != nil {
		return nil, err
	}

	if !ours {
		return stateeval.Play(ctx, o.grader, row)
	}

	domain, err := domains.Of(&task.Program)
	if err != nil {
		return nil, err
	}

	if err := task.Check(domain); err != nil {
		return nil, fmt.Errorf("row %d: %w: the row was changed, or is of another version",
			row.ExampleID, err)
	}
	return task, nil
}

// grader returns what runs the programs of rows that others wrote.
func (o *importing) grader(name string) (*code.Grader, error) {
	engine, err := o.engine()
	if err != nil {
		return nil, err
	}

	d, err := domains.Of(&stategen.Program{Domain: name, APIs: stategen.Paper})
	if err != nil {
		return nil, err
	}

	surface, err := surfaces(stategen.Paper)
	if err != nil {
		return nil, err
	}
	return &code.Grader{Surface: *surface(d), Engine: engine}, nil
}

// add adds a task to the split.
func (o *importing) add(t *stategen.Task) error {
	added, err := o.to.Add(o.split, t)
	if added {
		o.made.Added++
	} else if err == nil {
		o.made.Known++
	}

	return err
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

		if r.Failed != "" {
			fmt.Fprint(w, display.Wrap("     no task: ", r.Failed, 80))
		}
	}

	fmt.Fprintf(w, "%d rows; %d tasks added to %s, %d were there, %d rows are no task\n",
		len(made.Rows), made.Added, made.Path, made.Known, made.Failed)
}
