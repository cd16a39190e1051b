package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/kept"
	"toolevo/envs/suite"
	"toolevo/finetune/fidelity"
	"toolevo/mcts/policy/serving"
	"toolevo/mcts/store"
)

// textsFile keeps what models wrote for a command, in its output folder.
const textsFile = "texts.jsonl"

// writers are the flags of a command that asks models for texts, and the models.
type writers struct {
	app      *app
	settings *settings
	servers  *serving.Servers
	seed     *uint64
	workers  *int
	progress *string

	models  *serving.Models
	texts   *kept.Texts // nil keeps nothing
	closers []func() error
}

// addWriters adds the flags of a command that asks models for texts, and those of some settings.
func (a *app) addWriters(cmd *cobra.Command, settings ...string) *writers {
	return &writers{
		app: a, settings: a.addSettings(cmd, nil, settings...), servers: a.servingFlags(cmd),
		seed:     cmd.Flags().Uint64("seed", 1, "`N` is the seed of all that is drawn or written"),
		workers:  cmd.Flags().Int("workers", 16, "`N` texts are asked for at the same time"),
		progress: console.ProgressFlag(cmd),
	}
}

// open reads the configuration. folder, unless it is "", keeps what models write, for the same command to go on with.
func (w *writers) open(cmd *cobra.Command, folder string) error {
	if *w.workers < 1 {
		return console.Usage("--workers %d: want at least 1", *w.workers)
	}

	if err := w.servers.Check(); err != nil {
		return err
	}

	c, err := w.settings.resolve(cmd.Flags())
	if err != nil {
		return err
	}

	w.app.warnExposed(w.servers)
	w.models = serving.New(c, nil, nil, w.servers)

	if folder == "" {
		return nil
	}

	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}

	release, err := store.Lock(filepath.Join(folder, ".lock"))
	if err != nil {
		return err
	}

	w.closers = append(w.closers, release)

	if w.texts, err = kept.Open(filepath.Join(folder, textsFile)); err != nil {
		return err
	}

	w.closers = append(w.closers, w.texts.Close)

	return nil
}

// writer opens a model.
func (w *writers) writer(name string, o suite.WriterOptions) (kept.Writer, error) {
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

// embedding opens an embedding model.
func (w *writers) embedding(name string) (fidelity.Embedder, error) {
	e, err := w.models.Embedder(name, "", true)
	if err != nil {
		return nil, err
	}

	w.closers = append(w.closers, func() error { e.Close(); return nil })

	return e, nil
}

// shut closes everything that was opened.
func (w *writers) shut() (err error) {
	for _, c := range w.closers {
		err = errors.Join(err, c())
	}

	return err
}

// stopped is the error of work that models did not finish.
func (w *writers) stopped(ctx context.Context, err error) error {
	var fault *envs.StageError

	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && w.texts != nil:
		return console.Interrupted("interrupted: the same command goes on where it stopped")
	case ctx.Err() != nil:
		return console.Interrupted("interrupted: nothing was kept; with --out the same command would go on")
	case errors.As(err, &fault):
		return console.GaveUp(err)
	}

	return err
}

// follow shows how far a step is, until stop is called.
func (w *writers) follow(what string) (set func(done, total int), stop func()) {
	steps := &console.Steps{}
	set = steps.Step(what)

	return set, w.app.Report(*w.progress, func() console.Status {
		s := steps.Read()
		s.Text = fmt.Sprintf("%s: %d/%d", what, s.Done, s.Total)
		s.Total = cmp.Or(s.Total, 1)

		return s
	})
}
