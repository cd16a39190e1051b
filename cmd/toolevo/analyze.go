package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/cmd/internal/outfiles"
	"toolevo/envs/console"
	"toolevo/envs/drift"
	"toolevo/finetune"
	"toolevo/finetune/stored"
	"toolevo/finetune/variability"
)

// analysisCSV is the file of an analysis that has its figures as numbers.
const analysisCSV = "variability.csv"

// analysis is what `analyze` prints.
type analysis struct {
	Rows  []variability.Row `json:"rows"`  // by policy, difficulty and version
	Files []string          `json:"files"` // what was written: the rows as CSV, and figures
}

// analyzeDefaults are what analyze sets before anybody else does.
func analyzeDefaults() map[string]string {
	return map[string]string{
		"split": "test", "api": "p_c," + drift.AllFactors, "policy": "scripted:stale,scripted:noisy",
	}
}

func (a *app) analyzeCommand() *cobra.Command {
	cmd := newCommand("analyze")
	f := a.addRunFlags(cmd, analyzeDefaults(), "dataset", "difficulty", "template", "split", "limit", "perturb", "api",
		"policy", "seed", "compat", "feedback", "no-update-tool", "engine", "python")
	f.kind = stored.Evaluated

	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.makeRun(cmd, stored.Evaluated, f, checkAnalyzed, func(b *bench) error {
			return a.evaluate(cmd.Context(), f, b, func(run *stored.Run, r *finetune.Report) error {
				return a.analyze(*f.asJSON, run, r, b.Config.Prompt)
			})
		})
	}

	return cmd
}

// checkAnalyzed refuses versions that cannot be compared with the original.
func checkAnalyzed(b *bench) error {
	c := b.Config
	if len(c.API) < 2 || strings.TrimSpace(c.API[0]) != c.Prompt {
		return console.Usage("--api %s: want the version of the prompt, %s, and then the versions to compare with it, "+
			"e.g. %s,factor:names-text", strings.Join(c.API, ","), c.Prompt, c.Prompt)
	}

	return nil
}

// analyze writes what an evaluation says of the changes of a version, and prints it.
func (a *app) analyze(asJSON bool, run *stored.Run, r *finetune.Report, original string) error {
	rows, err := variability.Rows(r, original)
	if err != nil {
		return err
	}

	result := analysis{Rows: rows}
	files := append([]outfiles.File{
		{Name: analysisCSV, Write: func(w io.Writer) error { return variability.WriteCSV(w, rows) }},
	}, outfiles.Figures(variability.Figures(rows, original))...)
	if result.Files, err = outfiles.Write(run.Dir, files); err != nil {
		return err
	}

	if asJSON {
		err = a.PrintJSON(result)
	} else {
		err = variability.WriteTable(a.Out, rows)
	}

	for _, file := range result.Files {
		a.Say("Written: %s", file)
	}

	return err
}
