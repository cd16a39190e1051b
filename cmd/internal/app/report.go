package app

import (
	"context"
	"path/filepath"
	"strings"

	"toolevo/finetune/report"
)

// ReportJob puts runs of any kind on a page.
type ReportJob struct {
	Host
	Runs     []string // run directories, and folders of improvements
	Title    string   // "" is the names of the runs
	Examples int      // failed episodes to read
	Seed     uint64   // of the draw of them
}

// Report reads runs for a page.
func Report(ctx context.Context, job ReportJob) (*report.Page, error) {
	p := &report.Page{Title: job.Title}

	evaluations, err := job.addRuns(ctx, p, job.Runs)
	if err == nil && len(evaluations) > 0 {
		err = job.addEvaluations(ctx, p, evaluations)
	}

	if p.Title == "" {
		var names []string
		for _, run := range job.Runs {
			names = append(names, filepath.Base(run))
		}

		p.Title = strings.Join(names, ", ")
	}
	return p, err
}

// addEvaluations adds accuracies, comparisons, failures and how policies adapted.
func (j *ReportJob) addEvaluations(ctx context.Context, p *report.Page, dirs []string) error {
	all, err := j.openEvaluations(ctx, dirs)
	if err != nil {
		return err
	}
	defer all.close()

	compared, err := j.compare(ctx, all)
	if err != nil {
		return err
	}

	p.Evaluation = compared.Report

	board, err := all.board(ctx)
	if err != nil {
		return err
	}

	p.Failures, p.Adaptation = board.Errors(), board.Adaptation()
	p.Examples, err = all.failed(ctx, j.Examples, j.Seed)
	return err
}
