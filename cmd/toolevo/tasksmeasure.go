package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/suite"
	"toolevo/finetune/programs"
	"toolevo/trajectories/export"
)

// How a model writes programs by itself: freely, and some at a time.
const (
	sketchTemperature = 1
	sketchTokens      = 8192
)

// measuredTasks is what `tasks measure` prints.
type measuredTasks struct {
	*programs.Report
	Files []string `json:"files,omitempty"` // that --out got: tables and figures
}

// measureOptions are the flags of `tasks measure`.
type measureOptions struct {
	*writers
	*taskSplit
	cmd    *cobra.Command
	asJSON *bool

	tokenizer, model, out string
	named                 []string
	generators            programs.Generators

	domains []stategen.Domain
}

func (a *app) tasksMeasureCommand() *cobra.Command {
	cmd := console.Command("measure", tasksHelp)
	o := &measureOptions{
		cmd: cmd, writers: a.addWriters(cmd), asJSON: console.JSONFlag(cmd),
		taskSplit: a.addTaskSplit(cmd, "test", "`NAME` of the split of the tasks: train, dev or test"),
	}

	flags := cmd.Flags()
	flags.StringSliceVar(&o.named, "domain", nil, "`NAMES` of domains, separated by commas (default: all)")
	flags.StringVar(&o.tokenizer, "tokenizer", "", "tokenizer.json `FILE`, to count tokens; the paper's is cl100k_base")
	flags.IntVar(&o.generators.Programs, "programs", 60, "`N` programs of each generator whose coverage is compared "+
		"(0: none)")
	flags.IntVar(&o.generators.Runs, "runs", 10, "`N` generators of each selector")
	flags.StringVar(&o.model, "model", "", "`KIND:MODEL` that writes programs by itself, to be compared with")
	flags.StringVar(&o.out, "out", "", "also write tables and figures into the folder `DIR`, and keep there what the "+
		"model writes")
	console.Complete(cmd, "out", console.Folders)
	console.Complete(cmd, "domain", console.Listed(domains.Names()))

	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := o.check(); err != nil {
			return err
		}

		return a.measureTasks(cmd.Context(), o)
	}

	return cmd
}

// check refuses flags that make no sense.
func (o *measureOptions) check() (err error) {
	if err := o.taskSplit.check(); err != nil {
		return err
	}

	if o.generators.Programs < 0 || o.generators.Runs < 1 {
		return console.Usage("--programs %d --runs %d: want at least 0 programs, and 1 run", o.generators.Programs,
			o.generators.Runs)
	}

	if o.model != "" && o.generators.Programs == 0 {
		return console.Usage("--model %s writes programs, and --programs 0 wants none", o.model)
	}

	o.generators.Seed, o.generators.Workers = *o.seed, *o.workers

	if o.domains, err = domains.Parse(o.named); err != nil {
		return console.Usage("--domain: %w", err)
	}

	return nil
}

// measureTasks measures the tasks of a split and the coverage of generators, and says what they come to.
func (a *app) measureTasks(ctx context.Context, o *measureOptions) (err error) {
	surface, err := stategenSurface(*o.data)
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

	r := &programs.Report{}
	if r.Complexity, err = o.complexity(ctx, m); err != nil {
		return err
	}

	defer func() { err = errors.Join(err, o.shut()) }()

	if o.generators.Programs > 0 {
		if r.Coverage, err = a.coverage(ctx, o, surface); err != nil {
			return o.stopped(ctx, err)
		}
	}

	return a.printMeasured(o, r)
}

// complexity measures the tasks of the split.
func (o *measureOptions) complexity(ctx context.Context, m *programs.Measuring) ([]programs.Complexity, error) {
	var samples []programs.Sample

	f, err := o.taskSplit.open(func(t *stategen.Task) error {
		i := slices.IndexFunc(o.domains, func(d stategen.Domain) bool { return d.Name() == t.Program.Domain })
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
func (a *app) coverage(ctx context.Context, o *measureOptions, surface programs.Version) ([]programs.Coverage, error) {
	author, err := a.author(ctx, o)
	if err != nil {
		return nil, err
	}

	steps := &console.Steps{}
	defer a.Report(*o.progress, steps.Read)()

	var curves []programs.Coverage

	for _, d := range o.domains {
		guided, err := o.generators.Selectors(ctx, d, steps.Step(d.Name()+" generators"))
		if err != nil {
			return nil, err
		}

		curves = append(curves, guided...)

		if author == nil {
			continue
		}

		c, err := o.generators.Author(ctx, surface(d), *author)
		if err != nil {
			return nil, err
		}

		curves = append(curves, c)
	}

	return curves, nil
}

// author opens the model that writes programs, and an engine that reads them; nil where no model is named.
func (a *app) author(ctx context.Context, o *measureOptions) (*programs.Author, error) {
	if o.model == "" {
		return nil, nil
	}

	if err := o.writers.open(o.cmd, o.out); err != nil {
		return nil, err
	}

	w, err := o.writer(o.model, suite.WriterOptions{Temperature: sketchTemperature, MaxTokens: sketchTokens})
	if err != nil {
		return nil, console.Usage("--model: %w", err)
	}

	c, err := o.settings.resolve(o.cmd.Flags())
	if err != nil {
		return nil, err
	}

	host := a.host(console.ProgressNone)

	engine, err := host.OpenEngine(ctx, c.Python.Options(1))
	if err != nil {
		return nil, err
	}

	o.closers = append(o.closers, engine.Close)

	return &programs.Author{Name: o.model, Writer: w, Engine: engine}, nil
}

// printMeasured writes the report in all formats, and prints it.
func (a *app) printMeasured(o *measureOptions, r *programs.Report) (err error) {
	document := measuredTasks{Report: r}
	tables := r.Tables()

	if o.out != "" {
		files := append([]toolevo.OutFile{
			toolevo.JSONFile("measures.json", r),
			{Name: "complexity.csv", Write: r.WriteComplexityCSV},
			{Name: "coverage.csv", Write: r.WriteCoverageCSV},
		}, toolevo.TableFiles("measures", tables)...)

		if document.Files, err = toolevo.WriteFiles(o.out, append(files,
			toolevo.FigureFiles(r.Figures())...)); err != nil {
			return console.GaveUp(err)
		}
	}

	var tableErr error

	err = a.Show(*o.asJSON, document, func() { tableErr = programs.WriteTerminal(a.Out, tables) })
	if o.out != "" {
		a.Say("For papers: %s and %s", filepath.Join(o.out, "measures.tex"), filepath.Join(o.out, "figure-3.svg"))
	}

	return errors.Join(err, tableErr)
}
