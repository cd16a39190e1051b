package main

import (
	"context"
	"fmt"
)

// dryRun prints what a run would be.
func (a *app) dryRun(ctx context.Context, kind string, f *runFlags, b *bench) error {
	if err := f.startEngine(ctx, b); err != nil {
		return err
	}

	if *f.asJSON {
		return a.PrintJSON(dryRunDocument{
			Kind: kind, Questions: len(b.questions), ConfigHash: b.config.Hash(), Inputs: b.lineage,
			Config: b.config.Annotated(), Engine: b.stamp.String(),
		})
	}

	fmt.Fprintf(a.Out, "# %s: %d questions, configuration %s\n", kind, len(b.questions), b.config.Hash())
	fmt.Fprintf(a.Out, "# programs run in %s\n", b.stamp)
	fmt.Fprint(a.Out, b.config.Annotated())

	return nil
}

// dryRunDocument is what --dry-run --json prints.
type dryRunDocument struct {
	Kind       string            `json:"kind"`        // "collect" or "eval"
	Questions  int               `json:"questions"`   // that would be asked
	ConfigHash string            `json:"config_hash"` // of the settings that change a result
	Inputs     map[string]string `json:"inputs"`      // what the questions use: hashes and makers, by name
	Config     string            `json:"config"`      // the configuration as YAML, with the origin of each value
	Engine     string            `json:"engine"`      // what would run model-written programs, in words
}
