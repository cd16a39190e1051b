package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/durable"
	"toolevo/envs/names"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/code"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/stategen/stateeval"
)

// exportedTasks is what `tasks export` prints.
type exportedTasks struct {
	Files []exportedDomain `json:"files"` // one for each domain that has tasks
}

// exportedDomain is the tasks of a domain.
type exportedDomain struct {
	Domain string `json:"domain"` // e.g. "session"
	Path   string `json:"path"`   // of the file
	Rows   int    `json:"rows"`   // a task each
}

// stateEvalFormat is StateEval's published form.
const stateEvalFormat = "stateeval"

func (a *app) tasksExportCommand() *cobra.Command {
	cmd := console.Command("export", tasksHelp)
	from := a.addTaskSplit(cmd, "test", "`NAME` of the split of the tasks: train, dev or test")
	format := cmd.Flags().String("format", stateEvalFormat, "`NAME` of the form: stateeval, the rows of StateEval")
	out := cmd.Flags().String("out", "", "write DOMAIN.jsonl into the folder `DIR` (required)")
	asJSON := console.JSONFlag(cmd)
	console.Complete(cmd, "out", console.Folders)
	console.Complete(cmd, "format", console.Listed([]string{stateEvalFormat}))

	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *out == "" {
			return console.Usage("tasks export needs --out DIR, the folder of its files")
		}

		if _, err := names.Parse("format", *format, []string{stateEvalFormat}); err != nil {
			return console.Usage("--format: %w", err)
		}

		if err := from.check(); err != nil {
			return err
		}

		made, err := from.export(cmd.Context(), *out)
		if err != nil {
			return err
		}

		return a.Show(*asJSON, made, func() {
			for _, f := range made.Files {
				fmt.Fprintf(a.Out, "%s: %d rows\n", f.Path, f.Rows)
			}
		})
	}

	return cmd
}

// export writes the tasks of each domain.
func (s *taskSplit) export(ctx context.Context, out string) (made exportedTasks, err error) {
	made.Files = []exportedDomain{}

	surface, err := stategenSurface(*s.data)
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
			made.Files = append(made.Files, exportedDomain{d.Name(), filepath.Join(out, d.Name()+".jsonl"), n})
		}
	}

	return made, durable.ReplaceFolder(out, func(work string) error {
		for _, d := range domains.All() {
			path := filepath.Join(work, d.Name()+".jsonl")
			write := func(w io.Writer) error { return exportDomain(ctx, w, file, surface(d)) }

			if counts[d.Name()] > 0 {
				err = durable.WriteFile(path, write)
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
