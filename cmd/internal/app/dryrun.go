package app

import "context"

// Plan is what a run would be, and of a collection what it would take. It goes to the Plan of a
// [RunJob].
type Plan struct {
	Kind       string            `json:"kind"`               // "collect" or "eval"
	Questions  int               `json:"questions"`          // that would be asked
	ConfigHash string            `json:"config_hash"`        // of the settings that change a result
	Inputs     map[string]string `json:"inputs"`             // what the questions use: hashes and makers, by name
	Config     string            `json:"config"`             // the configuration as YAML, with the origin of each value
	Engine     string            `json:"engine"`             // what would run model-written programs, in words
	Estimate   *Projection       `json:"estimate,omitempty"` // of a collection: what it would cost
	Estimated  bool              `json:"-"`                  // an estimate was wanted; there may be none
}

// plan says what a run would be, and what it would take by the options of an estimate, which may be
// nil.
func (j *RunJob) plan(ctx context.Context, b *Bench, e *EstimateOptions) (err error) {
	prepare := j.startEngine
	if e != nil && e.Probe > 0 {
		prepare = j.prepare // the model is asked, and its programs run
	}

	if err := prepare(ctx, b); err != nil {
		return err
	}

	*j.Plan = Plan{
		Kind:       j.kind,
		Questions:  len(b.Questions),
		ConfigHash: b.Config.Hash(),
		Inputs:     b.Lineage,
		Config:     b.Config.Annotated(),
		Engine:     b.Stamp.String(),
		Estimated:  e != nil,
	}

	if e != nil {
		defer j.Step("Growing trees of some questions, for the estimate")()

		j.Plan.Estimate, err = e.estimate(ctx, b)
	}
	return err
}
