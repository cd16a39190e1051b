package app

import (
	"context"
	"io"
	"strings"

	"toolevo/envs/console"
	"toolevo/envs/drift"
	"toolevo/finetune/robustness"
	"toolevo/finetune/stored"
	"toolevo/finetune/tabulate"
)

// AnalysisCSV is the file of an analysis that has its figures as numbers.
const AnalysisCSV = "variability.csv"

// Analysis says what single changes of a version cost.
type Analysis struct {
	Rows  []robustness.Factor `json:"rows"`  // by policy, difficulty and version
	Files []string            `json:"files"` // what was written: the rows as CSV, and figures
}

// AnalyzeDefaults returns the default settings of an analysis.
func AnalyzeDefaults() map[string]string {
	return map[string]string{
		"split": "test", "api": "p_c," + drift.AllFactors, "policy": "scripted:stale,scripted:noisy",
	}
}

// Analyze evaluates under versions in which one factor changes, and writes what each costs. If only
// questions were lost it returns the result beside the error.
func Analyze(ctx context.Context, job EvaluateJob) (*Analysis, error) {
	job.setCommand("analyze", stored.Evaluated, AnalyzeDefaults())

	original := ""

	r, err := job.evaluate(ctx, func(b *Bench) error {
		// The original version is known only once evaluate has resolved the configuration.
		original = b.Config.Prompt
		return checkAnalyzed(b)
	})
	// With a report the error can wait: what was measured is written, and both are returned.
	if r.Report == nil {
		return nil, err
	}

	rows, rowsErr := robustness.Factors(r.Report, original)
	if rowsErr != nil {
		return nil, rowsErr
	}

	result := &Analysis{Rows: rows}
	files := append([]tabulate.File{
		{Name: AnalysisCSV, Write: func(w io.Writer) error { return robustness.WriteFactorsCSV(w, rows) }},
	}, tabulate.FigureFiles(robustness.FactorFigures(rows, original))...)

	var writeErr error
	if result.Files, writeErr = tabulate.WriteFolder(r.Dir, files); writeErr != nil {
		return nil, writeErr
	}
	return result, err
}

// checkAnalyzed rejects versions that cannot be compared with the original.
func checkAnalyzed(b *Bench) error {
	c := b.Config
	if len(c.API) < 2 || strings.TrimSpace(c.API[0]) != c.Prompt {
		return console.Usage("‹api› %s: want the version of the prompt, %s, and then the versions "+
			"to compare with it, e.g. %s,factor:names-text", strings.Join(c.API, ","), c.Prompt,
			c.Prompt)
	}

	return nil
}
