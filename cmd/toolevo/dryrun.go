package main

import (
	"context"
	"fmt"

	"toolevo/envs/display"
)

// dryRun prints what a run would be and, of a collection, what it would take.
func (a *app) dryRun(ctx context.Context, kind string, f *runFlags, b *bench) error {
	prepare := f.startEngine
	if f.estimate != nil && f.estimate.probe > 0 {
		prepare = f.prepare // the model is asked, and its programs run
	}

	if err := prepare(ctx, b); err != nil {
		return err
	}

	document := dryRunDocument{
		Kind:       kind,
		Questions:  len(b.questions),
		ConfigHash: b.Config.Hash(),
		Inputs:     b.lineage,
		Config:     b.Config.Annotated(),
		Engine:     b.stamp.String(),
	}

	if f.estimate != nil {
		done := f.starting.Step("Growing trees of some questions, for the estimate")
		p, err := f.estimate.estimate(ctx, b)

		done()

		if err != nil {
			return err
		}

		document.Estimate = p
	}

	return a.Show(*f.asJSON, document, func() {
		fmt.Fprintf(a.Out, "# %s: %d questions, configuration %s\n", kind, len(b.questions), document.ConfigHash)
		fmt.Fprintf(a.Out, "# programs run in %s\n", b.stamp)

		if f.estimate != nil {
			for _, line := range document.Estimate.lines(len(b.questions)) {
				fmt.Fprintf(a.Out, "# %s\n", display.Line(line, 0))
			}
		}

		fmt.Fprint(a.Out, document.Config)
	})
}

// dryRunDocument is what --dry-run --json prints.
type dryRunDocument struct {
	Kind       string            `json:"kind"`               // "collect" or "eval"
	Questions  int               `json:"questions"`          // that would be asked
	ConfigHash string            `json:"config_hash"`        // of the settings that change a result
	Inputs     map[string]string `json:"inputs"`             // what the questions use: hashes and makers, by name
	Config     string            `json:"config"`             // the configuration as YAML, with the origin of each value
	Engine     string            `json:"engine"`             // what would run model-written programs, in words
	Estimate   *projection       `json:"estimate,omitempty"` // of a collection: what it would take
}
