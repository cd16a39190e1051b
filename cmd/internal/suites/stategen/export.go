package stategen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"toolevo/envs/disk"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/code"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/stategen/stateeval"
	"toolevo/envs/suite"
)

// ExportedTasks is what `tasks export` prints.
type ExportedTasks struct {
	Files []exportedDomain `json:"files"` // one for each domain that has tasks
}

// exportedDomain is the tasks of a domain.
type exportedDomain struct {
	Domain string `json:"domain"` // e.g. "session"
	Path   string `json:"path"`   // of the file
	Rows   int    `json:"rows"`   // a task each
}

// formats are the forms in which tasks are exported: StateEval's published one.
func formats() []string { return []string{"stateeval"} }

func exportCommand() suite.Command {
	from := taskSplit{split: "test"}
	format := formats()[0]

	var out string

	return suite.Command{
		Use: "tasks export", Help: helpTexts, Document: ExportedTasks{},
		Options: append(from.options(),
			suite.Option{Name: "format", Value: &format, Names: formats,
				Usage: "`NAME` of the form: stateeval, the rows of StateEval"},
			suite.Option{Name: "out", Value: &out, Required: true,
				Usage: "write DOMAIN.jsonl into the folder `DIR` (required)"}),
		Run: func(ctx context.Context, c *suite.Call) error {
			made, err := from.export(ctx, out)

			return c.Result(made, func(w io.Writer) {
				for _, f := range made.Files {
					fmt.Fprintf(w, "%s: %d rows\n", f.Path, f.Rows)
				}
			}, err)
		},
	}
}

// export writes the tasks of each domain.
func (s *taskSplit) export(ctx context.Context, out string) (made ExportedTasks, err error) {
	made.Files = []exportedDomain{}

	surface, err := surfaces("")
	if err != nil {
		return made, err
	}

	counts := map[string]int{}

	file, err := s.open(func(t *stategen.Task) error {
		counts[t.Program.Domain]++
		return ctx.Err()
	})
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()

	for _, d := range domains.All() {
		if n := counts[d.Name()]; n > 0 {
			made.Files = append(made.Files, exportedDomain{d.Name(), filepath.Join(out,
				d.Name()+".jsonl"), n})
		}
	}

	return made, disk.ReplaceFolder(out, func(work string) error {
		for _, d := range domains.All() {
			path := filepath.Join(work, d.Name()+".jsonl")
			write := func(w io.Writer) error { return exportDomain(ctx, w, file, surface(d)) }

			if counts[d.Name()] > 0 {
				err = disk.WriteFile(path, write)
			} else if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) {
				err = nil // no rows of an earlier export stay beside these
			}

			if err != nil {
				return err
			}
		}

		return nil
	})
}

// tasksOf has the tasks of a split.
type tasksOf interface {
	Len() int
	Task(i int) (*stategen.Task, error)
}

// exportDomain writes the tasks of a domain as rows, which are numbered from 0.
func exportDomain(ctx context.Context, w io.Writer, tasks tasksOf, surface *code.Surface) error {
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)

	number := 0

	for i := range tasks.Len() {
		t, err := tasks.Task(i)
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}

		if t.Program.Domain != surface.Domain.Name() {
			continue
		}

		row, err := stateeval.Export(surface, t, number)
		if err == nil {
			err = lines.Encode(row)
		}

		if err != nil {
			return err
		}

		number++
	}

	return nil
}
