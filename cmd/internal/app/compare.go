package app

import (
	"context"
	"errors"
	"slices"
	"strings"

	"toolevo/envs/console"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/engines"
	"toolevo/finetune"
	"toolevo/finetune/tabulate"
)

// Compared is a comparison of evaluations.
type Compared struct {
	Runs []ComparedRun `json:"runs"` // in the order given
	*finetune.Report
}

// ComparedRun is one of the evaluations that are compared.
type ComparedRun struct {
	Dir     string `json:"dir"`      // its run directory
	RunID   string `json:"run_id"`   // as run.json has it
	TaskSet string `json:"task_set"` // SHA-256 of its questions and their right answers
	// how a call was answered that the deployed version rejects: deprecation, invocation, generic
	// or none
	Feedback string `json:"feedback"`
}

// Compare compares evaluations.
func (h *Host) Compare(ctx context.Context, dirs []string) (c Compared, err error) {
	all, err := h.openEvaluations(ctx, dirs)
	if err != nil {
		return c, err
	}
	defer all.close()

	return h.compare(ctx, all)
}

// compare puts opened evaluations into one report.
func (h *Host) compare(ctx context.Context, opened evaluations) (result Compared, err error) {
	var (
		all      = opened.named(ctx)
		stamps   []sandbox.Stamp
		warnings []string
	)

	for _, e := range opened {
		stamps = append(stamps, e.Engines...)
		warnings = append(warnings, e.Warnings()...)
		result.Runs = append(result.Runs, ComparedRun{
			e.Dir, e.Manifest.ID, e.TaskSet, string(e.Config.Environment.Feedback),
		})
	}

	// Evaluations that cannot be compared were chosen wrongly; nothing is broken.
	if result.Report, err = finetune.Compare(all); errors.Is(err, finetune.ErrUnlike) {
		return Compared{}, console.Usage("%w", err)
	} else if err != nil {
		return Compared{}, err
	}

	// Evaluations share engines and warnings: each is said once.
	result.Engines = tabulate.Distinct(engines.InWords(stamps),
		func(words string) string { return words })
	slices.Sort(warnings)
	result.Warnings = slices.Compact(warnings)

	// The feedback decides how hard a version is, so the caption names each that was used.
	feedbacks := tabulate.Distinct(result.Runs, func(run ComparedRun) string { return run.Feedback })
	slices.Sort(feedbacks)
	result.Feedback = strings.Join(feedbacks, ", ")

	if result.TaskSet == "" {
		h.Say("The evaluations do not cover the same questions: pairs are compared on those that " +
			"both sides measured.")
	}
	return result, nil
}
