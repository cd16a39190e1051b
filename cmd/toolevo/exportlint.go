package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/trajectories/export"
)

// lintFinding is something wrong with a trajectory or a sample.
type lintFinding struct {
	Name string `json:"name"` // of the trajectory, or the sample by its place in an export
	export.Finding
}

// linted is the result of `export --lint`.
type linted struct {
	Rows     int           `json:"rows"`            // samples that were checked
	Problems []string      `json:"problems"`        // with a folder or its files
	Faulty   int           `json:"faulty"`          // trajectories and samples that were found wanting
	Findings []lintFinding `json:"findings"`        // with them
	Shown    []shownSample `json:"shown,omitempty"` // the first samples, as --show asks
}

// shownSample is what a sample is trained as.
type shownSample struct {
	Pieces []shownPiece `json:"pieces"` // the parts that are tokenised, in order; of a pair both replies at the end
}

// shownPiece is a part of a sample.
type shownPiece struct {
	export.Piece
	Tokens int `json:"tokens"` // how many
}

// runLint says what is wrong with export folders, or would be left out of an export of runs.
func (e *exporter) runLint(ctx context.Context, paths []string, asJSON bool) (err error) {
	o, err := e.options()
	if err != nil {
		return err
	}

	linter, err := export.NewLinter(o.Tokenizer, o.Template, o.Cutoff)
	if err != nil {
		return err
	}

	result := &linted{Problems: []string{}, Findings: []lintFinding{}}
	folders := paths

	// Runs are exported to a temporary folder first: what is linted is what would be trained.
	m, err := export.ReadManifest(paths[0])
	if isMissing(err) || errors.Is(err, syscall.ENOTDIR) || err == nil && m.Format.IsDocuments() {
		dir, tempErr := os.MkdirTemp("", "toolevo-lint-*")
		if tempErr != nil {
			return console.GaveUp(tempErr)
		}

		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

		folders = []string{filepath.Join(dir, "export")}
		if err := e.lintRuns(ctx, paths, folders[0], result); err != nil {
			return err
		}
	}

	for _, folder := range folders {
		if err := e.lintFolder(folder, linter, result); err != nil {
			return err
		}
	}

	if result.Shown, err = e.showLoss(folders, linter); err != nil {
		return err
	}

	err = e.app.Show(asJSON, result, func() { e.app.printLint(result) })
	if err == nil && (result.Faulty > 0 || len(result.Problems) > 0) {
		return console.Bad("%d faulty, %d problems", result.Faulty, len(result.Problems))
	}

	return err
}

// lintRuns exports runs to a folder, and takes note of what was left out as faulty.
func (e *exporter) lintRuns(ctx context.Context, runs []string, folder string, result *linted) error {
	e.out = folder
	e.found = func(name string, found []export.Finding) {
		result.Faulty++

		for _, f := range found {
			result.Findings = append(result.Findings, lintFinding{name, f})
		}
	}

	_, err := e.export(ctx, runs)

	return err
}

// lintFolder checks an export folder. The data folder says which questions are asked in other splits.
func (e *exporter) lintFolder(folder string, linter *export.Linter, result *linted) error {
	elsewhere, err := e.exportElsewhere(folder)
	if err != nil {
		return err
	}

	report, err := export.Lint(folder, linter, elsewhere)
	if err != nil {
		return console.GaveUp(err)
	}

	result.Rows += report.Rows
	result.Faulty += report.Faulty
	result.Problems = append(result.Problems, report.Problems...)

	for _, f := range report.Findings {
		name := fmt.Sprintf("%s, sample %d", folder, f.Sample)
		if f.Dev {
			name += " of those held out"
		}

		result.Findings = append(result.Findings, lintFinding{name, f.Finding})
	}

	return nil
}

func (a *app) printLint(r *linted) {
	fmt.Fprintf(a.Out, "%d samples checked: %d faulty, %d problems with the folder\n", r.Rows, r.Faulty,
		len(r.Problems))

	a.printProblems(r.Problems)

	for _, f := range r.Findings {
		fmt.Fprintf(a.Out, "  %s: %s\n", display.Line(f.Name, 0), display.Line(f.Finding.String(), 0))
	}

	for i, s := range r.Shown {
		fmt.Fprintf(a.Out, "\nsample %d, with the tokens of each part:\n", i)

		for _, p := range s.Pieces {
			word := "read "
			if p.Trained {
				word = "train"
			}

			fmt.Fprintf(a.Out, "%s %5d | %s\n", word, p.Tokens, display.Line(p.Text, 0))
		}
	}
}

// showLoss returns what the first samples are trained as.
func (e *exporter) showLoss(folders []string, linter *export.Linter) (shown []shownSample, err error) {
	for _, folder := range folders {
		m, err := export.ReadManifest(folder)
		if err != nil {
			return nil, err
		}

		format := m.Format

		for sample, err := range export.Read(folder, false) {
			if err != nil || len(shown) == e.show {
				return shown, err
			}

			var one shownSample
			for _, p := range linter.Pieces(format, &sample) {
				one.Pieces = append(one.Pieces, shownPiece{p, linter.Tokens(p)})
			}

			shown = append(shown, one)
		}
	}

	return shown, nil
}
