package stategen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"toolevo/envs/stategen/bench"
	"toolevo/envs/suite"
	"toolevo/finetune/programs"
	"toolevo/finetune/stored"
	"toolevo/finetune/tabulate"
)

// terminal is how wide tables are.
const terminal = 80

// EvaluationTasks is what `eval tasks` prints.
type EvaluationTasks struct {
	Rows  []programs.Pass `json:"rows"`            // a row for each policy, API version and domain
	Files []string        `json:"files,omitempty"` // that --out got: tables and figures
}

func evalTasksCommand() suite.Command {
	var out string
	return suite.Command{
		Use: "eval tasks RUN...", Help: helpTexts, Document: EvaluationTasks{},
		Options: []suite.Option{suite.OutOption(&out,
			"also write tables and figures into the folder `DIR`")},
		Run: func(ctx context.Context, c *suite.Call) error {
			var results programs.Results

			for _, dir := range c.Args {
				if err := addTasks(ctx, c, dir, &results); err != nil {
					return err
				}
			}

			return showResults(c, results.Passes(), out)
		},
	}
}

// showResults shows the results of evaluations, and writes them in all formats unless out is "".
func showResults(c *suite.Call, rows []programs.Pass, out string) (err error) {
	document, tables := EvaluationTasks{Rows: rows}, programs.PassTables(rows)

	if out != "" {
		files := append([]tabulate.File{
			tabulate.JSONFile("tasks.json", document),
			{Name: "tasks.csv", Write: func(w io.Writer) error {
				return programs.WritePassCSV(w,
					rows)
			}},
		}, tabulate.TableFiles("tasks", tables)...)

		document.Files, err = tabulate.WriteFolder(out, append(files,
			tabulate.FigureFiles(programs.PassFigures(rows))...))
		if err != nil {
			return err
		}

		c.Say("For papers: %s and %s", filepath.Join(out, "tasks.tex"),
			filepath.Join(out, "figure-*.svg"))
	}
	return c.Result(document, func(w io.Writer) {
		_ = tabulate.WriteText(w, tables, terminal) // w takes all
	}, nil)
}

// addTasks adds the episodes of an evaluation.
func addTasks(ctx context.Context, c *suite.Call, dir string,
	results *programs.Results) (err error) {
	e, err := stored.OpenReading(ctx, c.Say, dir)
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, e.Close()) }()

	references, err := openReferences(c, e)
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

// openReferences opens the generated tasks that an evaluation asked, if they are still the same.
func openReferences(c *suite.Call, e *stored.Reading) (*programs.References, error) {
	if e.Config.Suite != (bench.StateGen{}).Name() {
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

	c.Say("The tasks of %s are gone, so nobody can tell why its wrong answers are wrong: %v",
		e.Dir, err)
	return nil, nil
}
