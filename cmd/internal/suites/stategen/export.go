package stategen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"toolevo/envs/disk"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/stategen/stateeval"
	"toolevo/envs/stategen/taskfile"
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
	// Left has why a task is no row, by its ID: the benchmark's services lead its cases to the
	// same.
	Left map[string]string `json:"left"`
}

// formats are the forms in which tasks are exported: StateEval's published one.
func formats() []string { return []string{"stateeval"} }

func exportCommand() suite.Command {
	from := taskSplit{split: "test"}
	format, form := formats()[0], stateeval.Forms()[0]

	var out string
	return suite.Command{
		Use: "tasks export", Help: helpTexts, Document: ExportedTasks{},
		Options: append(from.options(),
			suite.Option{Name: "format", Value: &format, Names: formats,
				Usage: "write the format `NAME`: stateeval, the rows of StateEval"},
			suite.Option{Name: "form", Value: &form, Names: stateeval.Forms,
				Usage: "`NAME` of the rows' form, by when their evaluator was published: april " +
					"(of 2026) or december (of 2025)"},
			suite.Option{Name: "out", Value: &out, Required: true,
				Usage: "write DOMAIN.jsonl into the folder `DIR` (required)"}),
		Run: func(ctx context.Context, c *suite.Call) error {
			made, err := from.export(ctx, out, stateeval.Form(form))
			return c.Result(made, func(w io.Writer) {
				// What is left out is named even where rows were written: nobody counts rows.
				for _, f := range made.Files {
					fmt.Fprintf(w, "%s: %d rows\n", f.Path, f.Rows)

					for _, id := range slices.Sorted(maps.Keys(f.Left)) {
						fmt.Fprintf(w, "  without %s: %s\n", id, f.Left[id])
					}
				}
			}, err)
		},
	}
}

// export writes the tasks of each domain.
func (s *taskSplit) export(ctx context.Context, out string, form stateeval.Form) (made ExportedTasks,
	err error) {
	made.Files = []exportedDomain{}
	counts := map[string]int{}

	// The counts say which domains get a file: one that has no tasks must not leave an empty one.
	file, err := s.open(func(t *stategen.Task) error {
		counts[t.Program.Domain]++
		return ctx.Err()
	})
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()

	// The folder gets all of the export or none of it.
	return made, disk.ReplaceFolder(out, func(work string) error {
		for _, name := range domains.Names() {
			path := filepath.Join(work, name+".jsonl")
			exported := exportedDomain{name, filepath.Join(out, name+".jsonl"), 0,
				map[string]string{}}

			// Rows of an earlier export must not stay beside these.
			if counts[name] > 0 {
				err = disk.WriteFile(path, func(w io.Writer) error { return exported.write(ctx, w, file, form) })
				made.Files = append(made.Files, exported)
			} else if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) {
				err = nil
			}

			if err != nil {
				return err
			}
		}
		return nil
	})
}

// write writes the tasks of a domain as rows, which are numbered from 0.
func (e *exportedDomain) write(ctx context.Context, w io.Writer, tasks *taskfile.File,
	form stateeval.Form) error {
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)

	// The published evaluators run programs on the paper's own APIs, whichever the tasks use.
	surface, err := surfaces(stategen.Paper)
	if err != nil {
		return err
	}

	for i := range tasks.Len() {
		t, err := tasks.Task(i)
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}

		if t.Program.Domain != e.Domain {
			continue
		}

		// A task that those APIs cannot express is named, and the others are written.
		adapted, err := stateeval.Adapt(t)
		if err != nil {
			e.Left[t.ID] = err.Error()
			continue
		}

		d, err := domains.Of(&adapted.Program)
		if err != nil {
			return err
		}

		row, err := stateeval.Export(surface(d), adapted, t, e.Rows, form)
		if err == nil {
			err = lines.Encode(row)
		}

		if err != nil {
			return err
		}

		e.Rows++
	}
	return nil
}
