package app

import (
	"context"
	"errors"
	"maps"
	"slices"

	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/envs/suite"
	"toolevo/finetune"
	"toolevo/finetune/stored"
	"toolevo/trajectories"
)

// RescoreJob judges the answers of an evaluation by another matcher.
type RescoreJob struct {
	Host
	Run     string // the evaluation
	Matcher string // one of its suite, or "exact", which takes the gold answer alone, byte for byte
}

// Rescored are the accuracies of an evaluation by another matcher.
type Rescored struct {
	RunID   string `json:"run_id"`  // as run.json has it
	Matcher string `json:"matcher"` // "official", "strict" or "exact"
	*finetune.Rescored
}

// Rescore judges the answers of an evaluation.
func Rescore(ctx context.Context, job RescoreJob) (r Rescored, err error) {
	e, err := stored.OpenReading(ctx, job.Say, job.Run)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()

	by, err := verdictOf(e.Config.Suite, job.Matcher)
	if err != nil {
		return r, err
	}

	rescored, err := finetune.Rescore(e.Jobs, e.Episodes(ctx, e.Missing), by)
	if err != nil {
		return r, err
	}
	return Rescored{e.Manifest.ID, job.Matcher, rescored}, nil
}

// verdictOf returns a matcher of a benchmark, or the one that all have.
func verdictOf(benchmark, name string) (v finetune.Verdict, err error) {
	b, err := suite.Lookup(benchmark)
	if err != nil {
		return v, err
	}

	matchers := map[string]func(gold, answer string) bool{}
	if m, ok := b.(suite.Matcher); ok {
		matchers = m.Matchers()
	}

	matchers["exact"] = func(gold, answer string) bool { return gold == answer }

	match, ok := matchers[name]
	if !ok {
		return v, console.Usage("‹matcher›: %w", names.Unknown("matcher", name, slices.Sorted(maps.Keys(matchers))))
	}

	v.Match = match

	switch name {
	case "official":
		v.Kept = func(e *trajectories.Episode) bool { return e.Official }
	case "strict":
		v.Kept = func(e *trajectories.Episode) bool { return e.Strict }
	}

	return v, nil
}
