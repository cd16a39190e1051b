package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/finetune/report"
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
	o.out = "report.html"
	o.examples = 10
	o.seed = 1
	addFlags(cmd, "report", into{
		"out":      &o.out,
		"title":    &o.title,
		"examples": &o.examples,
		"seed":     &o.seed,
	})

	return cmd
}

func (a *app) report(ctx context.Context, args []string, o reportOptions) error {
	if o.examples < 0 {
		return console.Usage("--examples %d: want 0 or more", o.examples)
	}

	p := &report.Page{Title: o.title}

	host := a.host(console.ProgressNone)

	evaluations, err := host.AddRuns(ctx, p, args)
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
	if err := disk.WriteFile(path, write); err != nil {
		return err
	}

	info, err := os.Stat(path)
	if err != nil {
		return err
	}

	a.Say("%s: %.1f MB. Open it in a browser.", path, float64(info.Size())/1e6)

	return nil
}

// addEvaluations adds accuracies, comparisons, failures and how policies adapted.
func (a *app) addEvaluations(ctx context.Context, p *report.Page, dirs []string, o reportOptions) error {
	host := a.host(console.ProgressNone)

	all, err := host.OpenEvaluations(ctx, dirs)
	if err != nil {
		return err
	}
	defer all.Close()

	compared, err := host.CompareOpened(ctx, all)
	if err != nil {
		return err
	}

	p.Evaluation = compared.Report

	board, err := all.Board(ctx)
	if err != nil {
		return err
	}

	p.Failures, p.Adaptation = board.Errors(), board.Adaptation()
	p.Examples, err = all.Failed(ctx, o.examples, o.seed)

	return err
}
