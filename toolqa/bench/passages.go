package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"toolevo/envs"
	"toolevo/envs/suite"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/retrieve"
)

func (o *opened) retrieval() *retrievalSettings {
	return o.choice.Settings[retrievalSection].(*retrievalSettings)
}

// openPassages opens the indexes of the datasets that have passages. The vectors of an embedding
// model are opened when a search needs them.
func (o *opened) openPassages(ctx context.Context) error {
	for _, c := range o.corpora {
		if c.DocumentCount() == 0 {
			continue
		}

		if o.retrieval().Model != "" {
			o.passages[c.Dataset()] = &dense{suite: o, corpus: c, opening: make(chan struct{}, 1)}
			continue
		}

		index, err := retrieve.Open(ctx, c, nil)
		if err != nil {
			return err
		}

		o.passages[c.Dataset()] = index
	}
	return nil
}

func (o *opened) closePassages() error {
	var err error

	for _, p := range o.passages {
		if c, ok := p.(io.Closer); ok {
			err = errors.Join(err, c.Close())
		}
	}

	return err
}

// retriever returns the retrieval tool over the passages of a dataset. memory, which may be nil,
// keeps what a model found.
func (o *opened) retriever(name string, ds toolqa.Dataset, memory envs.Memory) *retrieve.Tool {
	p := o.passages[ds]
	if p == nil {
		return retrieve.NewTool(name, nil, nil)
	}
	return retrieve.NewTool(name, o.corpus(ds), p).WithMemory(memory)
}

// Remote implements [suite.Preparer].
func (o *opened) Remote() bool { return o.retrieval().Model != "" }

// Prepare checks the server of the embedding model before a run starts, and makes the vectors of
// the passages that its questions are about.
func (o *opened) Prepare(ctx context.Context) error {
	if !o.Remote() {
		return nil
	}

	if err := o.probeEmbedder(ctx); err != nil {
		return err
	}

	for _, c := range o.corpora {
		about := func(t envs.Task) bool { return t.Labels[envs.LabelDataset] == string(c.Dataset()) }

		d, ok := o.passages[c.Dataset()].(*dense)
		if !ok || !slices.ContainsFunc(o.tasks, about) {
			continue
		}

		if _, err := d.open(ctx); err != nil {
			return err
		}
	}
	return nil
}

// probeEmbedder asks the embedding model for one vector. A slow server passes: it has accepted the
// request.
func (o *opened) probeEmbedder(ctx context.Context) error {
	e, err := o.embedder(false)
	if err != nil {
		return err
	}
	defer e.Close()

	probing, cancel := context.WithTimeout(ctx, suite.ProbeTime)
	defer cancel()

	_, err = e.Embed(probing, []string{"Hello"})
	if err == nil || ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return ctx.Err()
	}
	return fmt.Errorf("retrieval.model %s: %w: start its server, or name another as "+
		"retrieval.server (the key is taken from OPENAI_API_KEY)", e.Model(), err)
}

// embedder opens the embedding model of the configuration, with or without retries.
func (o *opened) embedder(retry bool) (suite.Embedder, error) {
	r := o.retrieval()
	return o.choice.Embedder(r.Model, r.Server, retry)
}

// dense is the ranking of a corpus's passages by the embedding model, opened at first need. It
// implements [retrieve.Searcher].
type dense struct {
	suite    *opened
	corpus   *corpus.Corpus
	opening  chan struct{}   // holds a token while a caller opens it, or checks whether it is open
	embedder suite.Embedder  // nil until it is open
	opened   *retrieve.Dense // likewise
}

// Model returns the name of the embedding model.
func (d *dense) Model() string { return d.suite.retrieval().Model }

// Search implements [retrieve.Searcher].
func (d *dense) Search(ctx context.Context, query string, k int) ([]int, error) {
	opened, err := d.open(ctx)
	if err != nil {
		return nil, err
	}
	return opened.Search(ctx, query, k)
}

// open reads the vectors, or makes them. One caller does so while the others wait.
func (d *dense) open(ctx context.Context) (*retrieve.Dense, error) {
	// A channel and not a mutex, so that a caller can give up waiting.
	select {
	case d.opening <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}

	defer func() { <-d.opening }()

	if d.opened != nil {
		return d.opened, nil
	}

	// A failure is not remembered: the next search tries again, and the server may be up by then.
	e, err := d.suite.embedder(true)
	if err != nil {
		return nil, err
	}

	progress, stop := d.watch()
	defer stop()

	opened, err := retrieve.OpenDense(ctx, d.corpus, e, progress)
	if err != nil {
		e.Close()
		return nil, err
	}

	// A few lost passages are no reason to refuse a run, but its reader must know.
	if lost := opened.Lost(); len(lost) > 0 && d.suite.choice.Warn != nil {
		d.suite.choice.Warn("%d passages of %s are never found, because the server of %s fails at them: %v",
			len(lost), d.corpus.Dataset(), d.Model(), lost)
	}

	d.embedder, d.opened = e, opened
	return opened, nil
}

// watch reports how many vectors are made, from the first one on; vectors that are read need no
// report.
func (d *dense) watch() (progress func(done, total int), stop func()) {
	watch, end := d.suite.choice.Watch, func() {}
	if watch == nil {
		return nil, end
	}

	var set func(done, total int) // nil until there is something to say
	progress = func(done, total int) {
		if set == nil {
			what := fmt.Sprintf("embed %d passages of %s with %s (once)", total, d.corpus.Dataset(), d.Model())
			set, end = watch(what)
		}

		set(done, total)
	}
	return progress, func() { end() }
}

// Close closes the connections to the server.
func (d *dense) Close() error {
	if d.embedder != nil {
		d.embedder.Close()
	}
	return nil
}
