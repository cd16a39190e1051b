package app

import (
	"context"

	"toolevo/finetune/facts"
	"toolevo/finetune/failure"
)

// ErrorsJob classifies the errors of evaluations.
type ErrorsJob struct {
	Host
	Runs   []string // the evaluations
	Sample int      // failed episodes that are drawn to read
	Seed   uint64   // of the draw
}

// EvaluationErrors are the errors of evaluations.
type EvaluationErrors struct {
	*facts.Errors
	Sample []failure.Case `json:"sample,omitempty"` // failed episodes to read, with --sample
}

// Errors counts the errors of evaluations.
func Errors(ctx context.Context, job ErrorsJob) (e EvaluationErrors, err error) {
	all, err := job.openEvaluations(ctx, job.Runs)
	if err != nil {
		return e, err
	}
	defer all.close()

	board, err := all.board(ctx)
	if err != nil {
		return e, err
	}

	sample, err := all.failed(ctx, job.Sample, job.Seed)
	if err != nil {
		return e, err
	}
	return EvaluationErrors{board.Errors(), sample}, nil
}
