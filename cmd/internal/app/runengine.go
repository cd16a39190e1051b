package app

import (
	"context"
	"fmt"

	"toolevo/configs"
	"toolevo/envs/sandbox"
)

// chooseEngine says which engine to open. A run that mixes engines continues under its own
// configuration, which then does not choose the engine.
func (j *RunJob) chooseEngine(c *configs.Resolved, resumed []configs.Layer) error {
	j.engine = c.Python.Options(j.PythonServers)

	switch {
	case !j.Resume:
		return nil
	case !j.MixEngines:
		j.engine = resumedEngine(j.engine, j.Out)
		return nil
	}

	own, err := configs.Load(resumed...)
	if err != nil {
		return err
	}

	here := c.Values()
	c.Python.Choice = own.Python.Choice
	there := c.Values()

	for _, key := range configs.Keys() {
		if here[key] != there[key] {
			j.overrides = append(j.overrides, key+"="+here[key])
		}
	}

	return nil
}

// startEngine opens the engine of a run.
func (j *RunJob) startEngine(ctx context.Context, b *Bench) error {
	if !b.RunsPrograms() {
		return nil
	}

	if err := b.Start(j.openEngine(ctx)); err != nil {
		return err
	}
	return j.FitModules(b)
}

// openEngine opens an engine. If that fails for a resumed run, the error says that another engine
// may continue it, where there is an option for it.
func (j *RunJob) openEngine(ctx context.Context) (sandbox.Engine, error) {
	e, err := j.OpenEngine(ctx, j.engine)
	if err != nil && j.Resume && !j.MixEngines && !j.oneEngine {
		return nil, fmt.Errorf("%w\n%s was started with this engine. ‹mix-engines› lets another "+
			"one continue it: each trajectory then names its own", err, j.Out)
	}

	return e, err
}
