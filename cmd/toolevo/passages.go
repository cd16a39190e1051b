package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/server"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/retrieve"
)

// openPassages opens the indexes of the datasets that have passages; the vectors of an embedding model, when they are
// needed.
func (b *bench) openPassages(ctx context.Context) error {
	for _, c := range b.corpora {
		if c.DocumentCount() == 0 {
			continue
		}

		if b.config.Retrieval.Model != "" {
			b.passages[c.Dataset()] = &dense{bench: b, corpus: c, opening: make(chan struct{}, 1)}
			continue
		}

		index, err := retrieve.Open(ctx, c, nil)
		if err != nil {
			return err
		}

		b.passages[c.Dataset()] = index
	}

	return nil
}

func (b *bench) closePassages() error {
	var err error

	for _, p := range b.passages {
		if c, ok := p.(io.Closer); ok {
			err = errors.Join(err, c.Close())
		}
	}

	return err
}

// retriever is a retrieval tool over the passages of a dataset. memory, which may be nil, keeps what a model found.
func (b *bench) retriever(name string, ds toolqa.Dataset, memory envs.Memory) *retrieve.Tool {
	p := b.passages[ds]
	if p == nil {
		return retrieve.NewTool(name, nil, nil)
	}

	return retrieve.NewTool(name, b.corpus(ds), p).WithMemory(memory)
}

// preparePassages looks at the server of the embedding model before a run starts, and has the vectors made of the
// passages that its questions are about.
func (b *bench) preparePassages(ctx context.Context) error {
	if b.config.Retrieval.Model == "" {
		return nil
	}

	if err := b.probeEmbedder(ctx); err != nil {
		return err
	}

	for _, c := range b.corpora {
		d, ok := b.passages[c.Dataset()].(*dense)
		if !ok || !slices.ContainsFunc(b.questions, func(q toolqa.Question) bool { return q.Dataset == c.Dataset() }) {
			continue
		}

		if _, err := d.open(ctx); err != nil {
			return console.GaveUp(err)
		}
	}

	return nil
}

// probeEmbedder asks the embedding model for one vector. A server that takes its time has at least taken the question.
func (b *bench) probeEmbedder(ctx context.Context) error {
	e, err := b.embedder(server.Retry{Attempts: 1, Patience: -1})
	if err != nil {
		return err
	}
	defer e.Close()

	probing, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()

	_, err = e.Embed(probing, []string{"Hello"})
	if err == nil || ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return ctx.Err()
	}

	var fault *server.Fault
	if errors.As(err, &fault) {
		err = fault // how often it was tried, or waited for, is of no use
	}

	return console.GaveUp(fmt.Errorf("retrieval.model %s: %w: start its server, or name another with --set "+
		"retrieval.server=URL (the key is taken from OPENAI_API_KEY)", e.Model(), err))
}

// embedder returns the embedding model of the configuration.
func (b *bench) embedder(retry server.Retry) (*openai.Embedder, error) {
	s, c := b.serving, b.config.Retrieval

	url := c.Server
	if url == "" {
		url = b.embeddingServer()
	}

	return openai.NewEmbedder(openai.Options{
		BaseURL: url,
		APIKey:  s.key(kindOpenAI),
		Model:   c.Model,
		Timeout: s.timeout,
	}, retry)
}

// embeddingServer is the server where nobody says which: the first one of policies openai:MODEL. Where --server names
// those of Ollama, it is not a place to show OpenAI's key.
func (b *bench) embeddingServer() string {
	s := *b.serving
	if slices.ContainsFunc(b.config.Policy, func(name string) bool { return strings.HasPrefix(name, kindOllama+":") }) {
		s.servers = ""
	}

	return s.urls(kindOpenAI)[0]
}

// dense is the ranking of a corpus's passages by the embedding model, opened at first need: what a run remembers needs
// neither vectors nor a server. It implements [retrieve.Searcher].
type dense struct {
	bench    *bench
	corpus   *corpus.Corpus
	opening  chan struct{}    // holds a token while somebody opens it, or looks whether it is
	embedder *openai.Embedder // nil until it is opened
	opened   *retrieve.Dense  // the same
}

// Model returns the name of the embedding model.
func (d *dense) Model() string { return d.bench.config.Retrieval.Model }

// Search implements [retrieve.Searcher].
func (d *dense) Search(ctx context.Context, query string, k int) ([]int, error) {
	opened, err := d.open(ctx)
	if err != nil {
		return nil, err
	}

	return opened.Search(ctx, query, k)
}

// open reads the vectors, or has them made. One caller does, and the others wait.
func (d *dense) open(ctx context.Context) (*retrieve.Dense, error) {
	select {
	case d.opening <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}

	defer func() { <-d.opening }()

	if d.opened != nil {
		return d.opened, nil
	}

	e, err := d.bench.embedder(d.bench.serving.retry())
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

	d.embedder, d.opened = e, opened

	return opened, nil
}

// watch says that vectors are made, and how far it is, from the first of them on.
func (d *dense) watch() (progress func(done, total int), stop func()) {
	if d.bench.serving.watch == nil {
		return nil, func() {}
	}

	now, end := &console.Steps{}, func() {}
	var set func(done, total int) // nil until there is something to say
	progress = func(done, total int) {
		if set == nil {
			set = now.Step(fmt.Sprintf("embed %d passages of %s with %s (once)", total, d.corpus.Dataset(), d.Model()))
			end = d.bench.serving.watch(now.Read)
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

var (
	_ retrieve.Searcher = (*dense)(nil)
	_ retrieve.Embedder = (*openai.Embedder)(nil)
)
