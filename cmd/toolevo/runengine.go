package main

import (
	"context"
	"fmt"

	"toolevo/configs"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/engines"
)

// chooseEngine says which engine to open. A run that mixes engines goes on under its own configuration, which
// then does not choose the engine.
func (f *runFlags) chooseEngine(c *configs.Resolved, resumed []configs.Layer) (engines.Options, error) {
	o := c.Python.Options(*f.pythonServers)
	if !*f.resume {
		return o, nil
	}

	if !*f.mixEngines {
		return resumedEngine(o, *f.out), nil
	}

	own, err := configs.Load(resumed...)
	if err != nil {
		return o, err
	}

	here := c.Values()
	c.Python.Choice = own.Python.Choice
	there := c.Values()

	for _, key := range configs.Keys() {
		if here[key] != there[key] {
			f.overrides = append(f.overrides, key+"="+here[key])
		}
	}

	return o, nil
}

// startEngine opens the engine of a run.
func (f *runFlags) startEngine(ctx context.Context, b *bench) error {
	if !b.runsPrograms() {
		return nil
	}

	if err := b.start(f.openEngine(ctx)); err != nil {
		return err
	}

	return f.settings.app.fitModules(b)
}

// openEngine opens an engine. If that fails for a run to resume, the error says that another engine may continue it.
func (f *runFlags) openEngine(ctx context.Context) (sandbox.Engine, error) {
	e, err := f.settings.app.openEngine(ctx, f.engine)
	if err != nil && *f.resume && !*f.mixEngines {
		return nil, fmt.Errorf("%w\n%s was started with this engine. --mix-engines lets another one continue it: each "+
			"trajectory then names its own", err, *f.out)
	}

	return e, err
}
