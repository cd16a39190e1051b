package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"toolevo/envs/console"
	"toolevo/trajectories/export"
)

// LintFinding is something wrong with a trajectory or a sample.
type LintFinding struct {
	Name string `json:"name"` // of the trajectory, or the sample by its place in an export
	export.Finding
}

// Linted is what is wrong with exports, or with samples that an export of runs would have.
type Linted struct {
	Rows     int           `json:"rows"`            // samples that were checked
	Problems []string      `json:"problems"`        // with a folder or its files
	Faulty   int           `json:"faulty"`          // trajectories and samples with findings
	Findings []LintFinding `json:"findings"`        // what is wrong with them
	Shown    []ShownSample `json:"shown,omitempty"` // the first samples, as --show asks
}

// ShownSample is what a sample is trained as.
type ShownSample struct {
	Pieces []ShownPiece `json:"pieces"` // the parts that are tokenised, in order; of a pair both replies at the end
}

// ShownPiece is a part of a sample.
type ShownPiece struct {
	export.Piece
	Tokens int `json:"tokens"` // how many
}

// Lint says what is wrong with export folders, or what an export of runs would leave out. It
// returns the result beside the error of a bad one.
func Lint(ctx context.Context, job ExportJob) (*Linted, error) {
	job.lint = true
	return job.runLint(ctx, job.Paths)
}

func (e *ExportJob) runLint(ctx context.Context, paths []string) (result *Linted, err error) {
	o, err := e.options()
	if err != nil {
		return nil, err
	}

	linter, err := export.NewLinter(o.Tokenizer, o.Template, o.Cutoff)
	if err != nil {
		return nil, err
	}

	found := &Linted{Problems: []string{}, Findings: []LintFinding{}}
	folders := paths

	// What is no export of samples is exported to a temporary folder first: what is linted is what
	// would be trained.
	m, err := export.ReadManifest(paths[0])
	if isMissing(err) || errors.Is(err, syscall.ENOTDIR) || err == nil && m.Format.IsDocuments() {
		dir, tempErr := os.MkdirTemp("", "toolevo-lint-*")
		if tempErr != nil {
			return nil, console.GaveUp(tempErr)
		}

		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

		folders = []string{filepath.Join(dir, "export")}
		if err := e.lintRuns(ctx, paths, folders[0], found); err != nil {
			return nil, err
		}
	}

	for _, folder := range folders {
		if err := e.lintFolder(folder, linter, found); err != nil {
			return nil, err
		}
	}

	if found.Shown, err = e.showLoss(folders, linter); err != nil {
		return nil, err
	}

	if found.Faulty > 0 || len(found.Problems) > 0 {
		err = console.Bad("%d faulty, %d problems", found.Faulty, len(found.Problems))
	}
	return found, err
}

// lintRuns exports runs to a folder, and notes what is left out as faulty.
func (e *ExportJob) lintRuns(ctx context.Context, runs []string, folder string, result *Linted) error {
	e.Out = folder
	e.found = func(name string, found []export.Finding) {
		result.Faulty++

		for _, f := range found {
			result.Findings = append(result.Findings, LintFinding{name, f})
		}
	}

	_, err := e.export(ctx, runs)
	return err
}

// lintFolder checks an export folder. The data folder says which questions are asked in other
// splits.
func (e *ExportJob) lintFolder(folder string, linter *export.Linter, result *Linted) error {
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

		result.Findings = append(result.Findings, LintFinding{name, f.Finding})
	}
	return nil
}

// showLoss returns what the first samples are trained as.
func (e *ExportJob) showLoss(folders []string, linter *export.Linter) (
	shown []ShownSample, err error) {
	for _, folder := range folders {
		m, err := export.ReadManifest(folder)
		if err != nil {
			return nil, err
		}

		format := m.Format

		for sample, err := range export.Read(folder, false) {
			if err != nil || len(shown) == e.Show {
				return shown, err
			}

			var one ShownSample
			for _, p := range linter.Pieces(format, &sample) {
				one.Pieces = append(one.Pieces, ShownPiece{p, linter.Tokens(p)})
			}

			shown = append(shown, one)
		}
	}
	return shown, nil
}
