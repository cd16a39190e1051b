package stategen

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"

	"toolevo/envs/console"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/suite"
	"toolevo/finetune/programs"
	"toolevo/finetune/tabulate"
	"toolevo/trajectories/export"
)

// How a model writes programs by itself: freely, and several at a time.
const (
	sketchTemperature = 1
	sketchTokens      = 8192
)

// MeasuredTasks is what `tasks measure` prints.
type MeasuredTasks struct {
	*programs.Report
	Files []string `json:"files,omitempty"` // that --out got: tables and figures
}

// measuring says what is to be measured.
type measuring struct {
	taskSplit
	tokenizer, model, out string
	named                 []string
	generators            programs.Generators
	domains               []stategen.Domain
}

func measureCommand() suite.Command {
	o := measuring{taskSplit: taskSplit{split: "test"}}
	g := &o.generators
	g.Seed, g.Workers, g.Programs, g.Runs = 1, 16, 60, 10
	return suite.Command{
		Use: "tasks measure", Help: helpTexts, Progress: true, Document: MeasuredTasks{},
		Configured: &suite.Configured{Models: true, Flags: []string{"prompts"}},
		Options: append(o.options(), suite.SeedOption(&g.Seed), suite.WorkersOption(&g.Workers),
			suite.Option{Name: "domain", Value: &o.named, Names: domains.Names,
				Usage: "`NAMES` of domains, separated by commas (default: all)"},
			suite.Option{Name: "tokenizer", Value: &o.tokenizer,
				Usage: "tokenizer.json `FILE`, to count tokens; the paper's is cl100k_base"},
			suite.Option{Name: "programs", Value: &g.Programs,
				Usage: "`N` programs of each generator whose coverage is compared (0: none)"},
			suite.Option{Name: "runs", Value: &g.Runs, Usage: "`N` generators of each selector",
				Least: 1},
			suite.Option{Name: "model", Value: &o.model,
				Usage: "`KIND:MODEL` that writes programs by itself, to be compared with"},
			suite.OutOption(&o.out, "also write tables and figures into the folder `DIR`, and "+
				"keep there what the "+
				"model writes")),
		Run: o.run,
	}
}

// run measures the tasks of a split and the coverage of generators, and shows the results.
func (o *measuring) run(ctx context.Context, c *suite.Call) (err error) {
	if o.model != "" && o.generators.Programs == 0 {
		return console.Option("model", "%s writes programs, but none are wanted", o.model)
	}

	if o.domains, err = domains.Parse(o.named); err != nil {
		return err
	}

	surface, err := surfaces("")
	if err != nil {
		return err
	}

	m := &programs.Measuring{Base: surface}

	if o.tokenizer != "" {
		t, err := export.LoadTokenizer(o.tokenizer)
		if err != nil {
			return err
		}

		m.Count = t.Count
	}

	// Coverage takes minutes and a model, so it is measured only if it is asked for.
	r := &programs.Report{}
	if r.Complexity, err = o.complexity(ctx, m); err != nil {
		return err
	}

	if o.generators.Programs > 0 {
		if r.Coverage, err = o.coverage(ctx, c, surface); err != nil {
			return err
		}
	}

	return o.result(c, r)
}

// complexity measures the tasks of the split.
func (o *measuring) complexity(ctx context.Context, m *programs.Measuring) (
	[]programs.Complexity, error) {
	var samples []programs.Sample

	f, err := o.open(func(t *stategen.Task) error {
		i := slices.IndexFunc(o.domains,
			func(d stategen.Domain) bool { return d.Name() == t.Program.Domain })
		if i < 0 {
			return ctx.Err()
		}

		s, err := m.Sample(o.domains[i], t)
		samples = append(samples, s)
		return errors.Join(ctx.Err(), err)
	})
	if err != nil {
		return nil, err
	}

	return programs.ComplexityOf(samples), f.Close()
}

// coverage compares the generators of each domain, and the model with them.
func (o *measuring) coverage(ctx context.Context, c *suite.Call, surface programs.Version) (
	[]programs.Coverage, error) {
	// What is wrong with the model shows now, not after minutes of generators.
	author, err := o.author(ctx, c)
	if err != nil {
		return nil, err
	}

	var curves []programs.Coverage

	for _, d := range o.domains {
		guided, err := o.generators.Selectors(ctx, d, c.Progress.Step(d.Name()+" generators"))
		if err != nil {
			return nil, err
		}

		curves = append(curves, guided...)

		if author == nil {
			continue
		}

		written, err := o.generators.Author(ctx, surface(d), *author)
		if err != nil {
			return nil, err
		}

		curves = append(curves, written)
	}
	return curves, nil
}

// author opens the model that writes programs, and an engine that reads them; nil if no model is
// named.
func (o *measuring) author(ctx context.Context, c *suite.Call) (*programs.Author, error) {
	if o.model == "" {
		return nil, nil
	}

	models, err := c.Models(o.out)
	if err != nil {
		return nil, err
	}

	w, err := models.Writer(o.model, suite.WriterOptions{Temperature: sketchTemperature,
		MaxTokens: sketchTokens})
	if err != nil {
		return nil, console.Option("model", "%w", err)
	}

	engine, err := c.Engine(ctx)
	return &programs.Author{
		Name: o.model, Writer: w, Prompts: models.Prompts(), Engine: engine,
	}, err
}

// result shows the report, and writes it in all formats if it has a folder.
func (o *measuring) result(c *suite.Call, r *programs.Report) (err error) {
	document, tables := MeasuredTasks{Report: r}, r.Tables()

	if o.out != "" {
		files := append([]tabulate.File{
			tabulate.JSONFile("measures.json", r),
			{Name: "complexity.csv", Write: r.WriteComplexityCSV},
			{Name: "coverage.csv", Write: r.WriteCoverageCSV},
		}, tabulate.TableFiles("measures", tables)...)

		document.Files, err = tabulate.WriteFolder(o.out, append(files, tabulate.FigureFiles(r.Figures())...))
		if err != nil {
			return err
		}

		c.Say("For papers: %s and %s", filepath.Join(o.out, "measures.tex"),
			filepath.Join(o.out, "figure-3.svg"))
	}
	return c.Result(document, func(w io.Writer) {
		_ = tabulate.WriteText(w, tables, terminal) // w takes all
	}, nil)
}
