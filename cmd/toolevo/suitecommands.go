package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/kept"
	"toolevo/envs/sandbox"
	"toolevo/envs/suite"
	"toolevo/finetune/rundir"
	"toolevo/mcts/account"
	"toolevo/mcts/policy/serving"
	"toolevo/mcts/store"
)

// textsFile is the file in a command's output folder that keeps what models wrote for it.
const textsFile = "texts.jsonl"

// configured gives a suite's command what its settings choose. It implements [suite.Models].
type configured struct {
	app      *app
	cmd      *cobra.Command
	settings *settings
	servers  *serving.Servers

	models  *serving.Models // nil until one is wanted
	texts   *kept.Texts     // nil keeps nothing
	prompts kept.Prompts
	closers []func() error
}

// configureSuite gives a suite's command its settings. It is a [cmdline.Configure].
func (a *app) configureSuite(cmd *cobra.Command,
	c *suite.Configured) func(*suite.Call) func(error) error {
	w := &configured{app: a, cmd: cmd, servers: a.serving()}
	flags := c.Flags

	if c.Models {
		w.servers, flags = a.servingFlags(cmd), append(slices.Clip(flags), "prices")
		a.limitFlags(cmd)
	}

	w.settings = a.addSettings(cmd, c.Defaults, flags...)
	w.settings.addOwn(cmd, c.Own)
	return func(call *suite.Call) func(error) error {
		call.Models, call.Choose, call.Engine = w.open, w.choose, w.engine
		return func(err error) error {
			err = w.stopped(cmd.Context(), err)
			for _, c := range w.closers {
				err = errors.Join(err, c())
			}
			return err
		}
	}
}

// demonstrating lets a command that adds tasks to a data folder also make the demonstrations that
// prompts show of them. Tasks are worth having without any, so that a failure is only said.
func (a *app) demonstrating(suiteName string, c suite.Command) suite.Command {
	if !c.Demonstrates {
		return c
	}

	i := slices.IndexFunc(c.Options, func(o suite.Option) bool { return o.Name == "data" })
	data, run := c.Options[i].Value.(*string), c.Run

	c.Run = func(ctx context.Context, call *suite.Call) error {
		if err := run(ctx, call); err != nil || call.NoExamples {
			return err
		}

		host := a.host(console.ProgressNone)
		if err := host.Demonstrate(ctx, suiteName, *data); err != nil && ctx.Err() == nil {
			call.Say("Prompts have no demonstrations to show: %v", err)
		}
		return ctx.Err()
	}
	return c
}

// resolve reads the settings.
func (w *configured) resolve() (*configs.Resolved, error) {
	if err := w.servers.Check(); err != nil {
		return nil, err
	}

	w.app.warnExposed(w.servers)
	return w.settings.resolve(w.cmd.Flags())
}

// choose implements Choose of [suite.Call].
func (w *configured) choose(data string) (chosen suite.Chosen, err error) {
	c, err := w.resolve()
	if err != nil {
		return chosen, err
	}

	b, err := toolevo.NewBench(data, c, w.servers, nil)
	if err != nil {
		return chosen, err
	}

	w.closers = append(w.closers, b.Close)
	chosen.Benchmark, chosen.Deployed = b.Benchmark, b.Deployed.All().Versions
	chosen.Choice, err = b.Choice(data)
	return chosen, err
}

// engine implements Engine of [suite.Call].
func (w *configured) engine(ctx context.Context) (sandbox.Engine, error) {
	c, err := w.settings.resolve(w.cmd.Flags())
	if err != nil {
		return nil, err
	}

	host := w.app.host(console.ProgressNone)

	engine, err := host.OpenEngine(ctx, c.Python.Options(1))
	if err == nil {
		w.closers = append(w.closers, engine.Close)
	}
	return engine, err
}

// open implements Models of [suite.Call]. Without a folder, texts are not kept.
func (w *configured) open(folder string) (suite.Models, error) {
	c, err := w.resolve()
	if err != nil {
		return nil, err
	}

	if w.prompts, err = toolevo.ReadPrompts(c); err != nil {
		return nil, err
	}

	prices, err := account.ParsePrices(c.Server.Prices)
	if err != nil {
		return nil, err
	}

	w.servers.Account = w.servers.Account.Open(prices)
	w.models = serving.New(c, nil, nil, w.servers)

	// A cost limit without prices is refused before there is a folder.
	if err := w.servers.Account.Ready(); err != nil || folder == "" {
		return w, console.AsUsage(err)
	}

	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}

	// Two commands that write to one folder would each keep half of the texts.
	release, err := store.Lock(filepath.Join(folder, ".lock"))
	if err != nil {
		return nil, err
	}

	w.closers = append(w.closers, release)

	if w.texts, err = kept.Open(filepath.Join(folder, textsFile)); err != nil {
		return nil, err
	}

	w.closers = append(w.closers, w.texts.Close, rundir.KeepAccount(folder, w.servers.Account))
	return w, w.cmd.Context().Err()
}

// Policies implements [suite.Models].
func (w *configured) Policies() []string { return w.models.Config.Policy }

// Prompts implements [suite.Models].
func (w *configured) Prompts() kept.Prompts { return w.prompts }

// Texts implements [suite.Models].
func (w *configured) Texts() *kept.Texts { return w.texts }

// Writer implements [suite.Models].
func (w *configured) Writer(name string, o suite.WriterOptions) (kept.Writer, error) {
	writer, err := w.models.Writer(name, o)
	if err != nil {
		return nil, err
	}

	w.closers = append(w.closers, writer.Close)

	if w.texts == nil {
		return writer, nil
	}
	return w.texts.Writer(fmt.Sprintf("%s %g %d", name, o.Temperature, o.MaxTokens), writer), nil
}

// Embedder implements [suite.Models].
func (w *configured) Embedder(name string) (suite.Embedder, error) {
	e, err := w.models.Embedder(name, "", true)
	if err == nil {
		w.closers = append(w.closers, func() error { e.Close(); return nil })
	}
	return e, err
}

// stopped words the error of work that models did not finish.
func (w *configured) stopped(ctx context.Context, err error) error {
	var fault *envs.StageError

	switch {
	case err == nil || w.models == nil:
		return err
	case ctx.Err() != nil && w.texts != nil:
		return console.Interrupted("%s: the same command goes on where it stopped", w.app.ending.why())
	case ctx.Err() != nil:
		return console.Interrupted("%s: nothing was kept; with --out the same command would go on",
			w.app.ending.why())
	case errors.As(err, &fault):
		return console.GaveUp(err)
	}

	return err
}
