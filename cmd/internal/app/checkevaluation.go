package app

import (
	"context"

	"toolevo/envs/console"
	"toolevo/finetune"
	"toolevo/finetune/stored"
)

// CheckedEpisodes is what the check of an evaluation found.
type CheckedEpisodes struct {
	finetune.Verification
	CheckedRun
}

// checkEpisodes plays every episode again from the log, and compares it with the store and the
// files, and the report with what the episodes add up to.
func (j *CheckJob) checkEpisodes(ctx context.Context, b *Bench, v *stored.Run) (
	*CheckedEpisodes, error) {
	e := v.Evaluation(v.Questions)
	if err := b.openEnvironments(e, e.Run); err != nil {
		return nil, err
	}

	done := j.Step("Playing every episode again")
	verification, err := finetune.Verify(ctx, e.Jobs,
		finetune.Options{Store: v.Store, Workers: j.Workers, Retry: b.Retry()})

	done()

	// An error is a failure to check; what is wrong with the run is in the verification.
	if err != nil {
		return nil, console.GaveUp(err)
	}

	result := &CheckedEpisodes{verification, checkedRun(v)}

	lost, err := e.Lost()
	if err == nil {
		result.Rows, err = e.CheckFiles(ctx, lost)
	}

	// The files of an unfinished evaluation lag behind its log until the run is resumed.
	switch {
	case err != nil && IsOpen(v):
		j.Say("The evaluation is unfinished: its files are not those of its log yet. "+
			"Continue with: %s", Continuation(v))
	case err != nil:
		result.Problems = append(result.Problems, err.Error())
	default:
		result.Complete = len(result.Problems) == 0 && result.Missing == 0
	}

	// The result names the episodes that were given up, so only the others are mentioned.
	if n := len(lost) - len(result.GivenUp); n > 0 {
		j.Say("%d questions were lost to failures that say nothing about the model; ‹resume› "+
			"tries them again.", n)
	}
	return result, ctx.Err()
}
