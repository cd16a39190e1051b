package app

import (
	"context"

	"toolevo/finetune/stored"
)

// Plan is what a run would be, and of a collection what it would take.
type Plan struct {
	Kind       string            `json:"kind"`               // "collect" or "eval"
	Questions  int               `json:"questions"`          // that would be asked
	ConfigHash string            `json:"config_hash"`        // of the settings that change a result
	Inputs     map[string]string `json:"inputs"`             // what the questions use: hashes and makers, by name
	Config     string            `json:"config"`             // the configuration as YAML, with the origin of each value
	Engine     string            `json:"engine"`             // what would run model-written programs, in words
	Estimate   *Projection       `json:"estimate,omitempty"` // of a collection: what it would take
	Estimated  bool              `json:"-"`                  // an estimate was wanted; there may be none
}

// PlanCollection says what a collection would be, and what it would take.
func PlanCollection(ctx context.Context, job CollectJob, e EstimateOptions) (Plan, error) {
	job.as(stored.Collection, stored.Collection, nil)

	return job.plan(ctx, OnePolicy(stored.Collection), &e)
}

// PlanEvaluation says what an evaluation would be.
func PlanEvaluation(ctx context.Context, job EvaluateJob) (Plan, error) {
	least, err := parseThresholds(job.FailUnder)
	if err != nil {
		return Plan{}, err
	}

	job.as("eval", stored.Evaluated, EvaluateDefaults())

	return job.plan(ctx, func(b *Bench) error { return least.check(b.Deployed) }, nil)
}

// plan says what a run would be, and by the options of an estimate, which may be nil, what it would take.
func (j *RunJob) plan(ctx context.Context, check func(*Bench) error, e *EstimateOptions) (p Plan, err error) {
	if e != nil {
		if err := e.check(); err != nil {
			return p, err
		}
	}

	j.dryRun = true

	b, err := j.open(ctx, check)
	if err != nil {
		return p, err
	}
	defer b.Close()

	prepare := j.startEngine
	if e != nil && e.Probe > 0 {
		prepare = j.prepare // the model is asked, and its programs run
	}

	if err := prepare(ctx, b); err != nil {
		return p, err
	}

	p = Plan{
		Kind:       j.kind,
		Questions:  len(b.Questions),
		ConfigHash: b.Config.Hash(),
		Inputs:     b.Lineage,
		Config:     b.Config.Annotated(),
		Engine:     b.Stamp.String(),
	}

	if e != nil {
		defer j.Step("Growing trees of some questions, for the estimate")()

		p.Estimated = true
		p.Estimate, err = e.estimate(ctx, b)
	}

	return p, err
}
