package bench

import (
	"context"
	"os"

	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/suite"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

// Remote implements [suite.Preparer].
func (o *opened) Remote() bool { return o.settings().isModel() }

// Live implements [suite.Live].
func (o *opened) Live() bool { return o.Remote() }

// Prepare implements [suite.Preparer]: a model that cannot be asked is found before a run begins.
func (o *opened) Prepare(context.Context) error {
	if !o.Remote() {
		return nil
	}
	return o.writer.Open()
}

// openAPIs opens what stands in for the APIs.
func (o *opened) openAPIs(ctx context.Context) error {
	s := o.settings()

	options := virtual.Options{Unsimulated: s.Simulator == nobody}

	// The model is opened by the first call only: many commands make none.
	o.writer = o.choice.Lazy(section+".simulator", s.Simulator, suite.WriterOptions{
		Server: s.Server, Temperature: s.Temperature, MaxTokens: s.Tokens,
	})
	o.toClose = append(o.toClose, o.writer.Close)

	if o.Remote() {
		options.Model = virtual.NewModel(o.writer, s.Simulator, virtual.Mode(s.Mode))
		if err := options.Model.Tell(o.choice.Prompts); err != nil {
			return console.Usage("‹prompts›: %w: envs/toolbench/interop/prompts.py takes it from "+
				"a checkout of StableToolBench, for toolbench.mode=%s", err, s.Mode)
		}

		// Another model, or other words to it, would give other answers.
		o.lineage["simulator"] = options.Model.Identity()
	}

	// Without a simulator, a missing or empty file would make every call fail.
	if s.Simulator == nobody {
		if info, err := os.Stat(s.Cache); err != nil || info.Size() == 0 {
			return console.Usage("toolbench.cache: there are no recorded answers in %s, and "+
				"toolbench.simulator is none: name a file that `toolevo toolbench cache` has made",
				s.Cache)
		}
	}

	if s.Cache != "" {
		var err error
		if options.Cache, err = virtual.OpenCache(ctx, s.Cache); err != nil {
			return err
		}

		o.toClose = append(o.toClose, options.Cache.Close)
	}

	o.apis = virtual.New(options)
	return nil
}

// isPure reports whether an answer follows from the call alone.
func (o *opened) isPure() bool { return !o.Remote() && o.settings().Cache == "" }

// function is an API behind a simulator. It implements [dynamic.Tool].
type function struct {
	document  *toolbench.Document
	simulator toolbench.Simulator
	most      int         // how many characters of an answer are shown; 0 is all
	memory    envs.Memory // of answers that might differ next time; nil if they cannot
	version   string      // that is deployed
}

// Call implements [dynamic.Tool].
func (f function) Call(ctx context.Context, s struct{}, args envs.Args) (struct{}, envs.Result, error) {
	key := "toolbench " + virtual.NewCall(f.version, f.document.Key, args).Key()
	r, err := envs.Remembered(ctx, f.memory, key, func() (envs.Result, error) {
		return f.result(ctx, args)
	})
	return s, r, err
}

// result returns what an agent sees of the answer.
func (f function) result(ctx context.Context, args envs.Args) (envs.Result, error) {
	answer, err := f.simulator.Simulate(ctx, f.document, args)
	if err != nil {
		return envs.Result{}, err
	}

	r := envs.Result{Observation: answer.Text(), Maker: answer.Maker}
	if answer.Error != "" {
		r.Outcome = envs.ToolError
	}

	if runes := []rune(r.Observation); f.most > 0 && len(runes) > f.most {
		r.Observation = string(runes[:f.most]) + "..."
	}
	return r, nil
}
