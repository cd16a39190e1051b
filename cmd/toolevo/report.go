package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/durable"
	"toolevo/finetune/improve"
	"toolevo/finetune/report"
	"toolevo/finetune/stored"
	"toolevo/finetune/viewer"
)

// reportOptions are the flags of report.
type reportOptions struct {
	out, title string
	examples   int
	seed       uint64
}

func (a *app) reportCommand() *cobra.Command {
	o := reportOptions{}
	cmd := newCommand("report RUN...")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.report(cmd.Context(), args, o) }
	flags := cmd.Flags()
	flags.StringVar(&o.out, "out", "report.html", "write the HTML `FILE`")
	flags.StringVar(&o.title, "title", "", "`TEXT` above the page (default: the names of the runs)")
	flags.IntVar(&o.examples, "examples", 10, "show `N` failed episodes, drawn at random")
	flags.Uint64Var(&o.seed, "seed", 1, "`N` is the seed of the examples")

	return cmd
}

func (a *app) report(ctx context.Context, args []string, o reportOptions) error {
	if o.examples < 0 {
		return console.Usage("--examples %d: want 0 or more", o.examples)
	}

	p := &report.Page{Title: o.title}

	evaluations, err := a.addRuns(ctx, p, args)
	if err != nil {
		return err
	}

	if len(evaluations) > 0 {
		if err := a.addEvaluations(ctx, p, evaluations, o); err != nil {
			return err
		}
	}

	if p.Title == "" {
		var names []string
		for _, arg := range args {
			names = append(names, filepath.Base(arg))
		}

		p.Title = strings.Join(names, ", ")
	}

	return a.writePage(o.out, p.Write)
}

// writePage writes an HTML file and says what to do with it.
func (a *app) writePage(path string, write func(io.Writer) error) error {
	if err := durable.WriteFile(path, write); err != nil {
		return err
	}

	info, err := os.Stat(path)
	if err != nil {
		return err
	}

	a.Say("%s: %.1f MB. Open it in a browser.", path, float64(info.Size())/1e6)

	return nil
}

// addRuns adds what each run is, and what collections and rounds found. It returns which are evaluations.
func (a *app) addRuns(ctx context.Context, p *report.Page, args []string) (evaluations []string, err error) {
	for _, dir := range args {
		rounds, err := improve.ReadCSV(dir)
		if err == nil {
			p.Improvement = rounds
			continue
		}

		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}

		v, err := stored.Open(ctx, dir)
		if err != nil {
			return nil, err
		}

		if v.Manifest.Kind != stored.Evaluated && isOpen(v) {
			v.SayUnfinished(&a.Program)
		}

		err = addRun(ctx, p, v)
		if err = errors.Join(err, v.Close()); err != nil {
			return nil, err
		}

		if v.Manifest.Kind == stored.Evaluated {
			evaluations = append(evaluations, dir)
		}
	}

	return evaluations, nil
}

// addRun adds what a run is, and what a collection found.
func addRun(ctx context.Context, p *report.Page, v *stored.Run) error {
	r := viewer.Run{Name: filepath.Base(v.Dir), Dir: v.Dir}

	state, _, err := r.State()
	if err != nil {
		return err
	}

	m := v.Manifest
	p.Prompt = v.Config.Prompt
	p.Runs = append(p.Runs, report.Run{
		Name: r.Name, Kind: m.Kind, ID: m.ID, State: state, Software: m.Software, Inputs: m.Inputs,
		Config: v.Run.Config,
	})

	if m.Kind == stored.Evaluated {
		return nil
	}

	for _, q := range v.Questions {
		c := p.Collection(r.Name, q.Labels[envs.LabelDataset], q.Labels[envs.LabelDifficulty])

		trees, found, err := treesOf(ctx, v, q.ID)
		if err != nil {
			return err
		}

		c.Questions++
		c.Trees += len(trees)
		c.Trajectories += found.Len()

		if len(trees) > 0 {
			c.Tried++
		}

		if found.Len() > 0 {
			c.Solved++
		}

		for _, t := range trees {
			c.Calls += t.Calls
		}
	}

	return nil
}

// addEvaluations adds accuracies, comparisons, failures and how policies adapted.
func (a *app) addEvaluations(ctx context.Context, p *report.Page, dirs []string, o reportOptions) error {
	all, err := a.openEvaluations(ctx, dirs)
	defer all.close()

	if err != nil {
		return err
	}

	compared, err := a.compareEvaluations(ctx, all)
	if err != nil {
		return err
	}

	p.Evaluation = compared.Report

	board, err := all.board(ctx)
	if err != nil {
		return err
	}

	p.Failures, p.Adaptation = board.Errors(), board.Adaptation()
	p.Examples, err = all.failed(ctx, o.examples, o.seed)

	return err
}
