package main

import (
	"context"
	"fmt"

	"toolevo/envs/console"
	"toolevo/finetune"
	"toolevo/finetune/stored"
)

// checkedEvaluation is the result of the check of an evaluation.
type checkedEvaluation struct {
	finetune.Verification
	checkedRun
}

// checkEvaluation plays every episode again from the log, compares what is stored and what the files
// hold with that, and the report with what the episodes add up to.
func (a *app) checkEvaluation(ctx context.Context, b *bench, v *stored.Run, workers int, asJSON bool) error {
	e := v.Evaluation(v.Questions)
	if err := b.openEnvironments(e); err != nil {
		return err
	}

	done := a.starting(console.ProgressAuto).Step("Playing every episode again")
	verification, err := finetune.Verify(ctx, e.Jobs,
		finetune.Options{Store: v.Store, Workers: workers, Retry: b.retry()})

	done()

	if err != nil {
		return console.GaveUp(err)
	}

	result := checkedEvaluation{verification, checkedRunOf(v)}

	lost, err := e.Lost()
	if err == nil {
		result.Rows, err = e.CheckFiles(ctx, lost)
	}

	switch {
	case err != nil && isOpen(v): // whoever goes on with it writes them
		a.Say("The evaluation is unfinished: its files are not those of its log yet. Continue with: %s",
			continuation(v))
	case err != nil:
		result.Problems = append(result.Problems, err.Error())
	default:
		result.Complete = len(result.Problems) == 0 && result.Missing == 0
	}

	a.sayGivenUp("episodes", result.GivenUp, continuation(v))

	if n := len(lost) - len(result.GivenUp); n > 0 {
		a.Say("%d questions were lost to failures that say nothing of the model; --resume tries them again.", n)
	}

	if ctx.Err() != nil {
		return ctx.Err()
	}

	head := fmt.Sprintf("%d episodes played again from %d logged calls, %d rows compared", result.Episodes,
		result.Calls, result.Rows)

	return a.printChecked(asJSON, v.Dir, result, head, result.Problems, result.checkedRun)
}

// isOpen reports whether trees or episodes of a run may be missing.
func isOpen(v *stored.Run) bool {
	ended := v.Manifest.Finished
	return ended == nil || ended.Extended
}

// continuation returns the command that goes on with a run.
func continuation(v *stored.Run) string { return "toolevo " + stored.Continuation(v.Run) }
