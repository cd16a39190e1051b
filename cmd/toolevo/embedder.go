package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"toolevo/envs/console"
	"toolevo/envs/suite"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/server"
)

// embedder opens an embedding model at a server, "" for the one of the policies.
func (b *bench) embedder(model, url string, target bool) (suite.Embedder, error) {
	retry := server.Retry{Attempts: 1, Patience: -1}
	if target {
		retry = b.serving.retry()
	}

	e, err := openai.NewEmbedder(openai.Options{
		BaseURL: cmp.Or(url, b.embeddingServer()),
		APIKey:  b.serving.key(kindOpenAI),
		Model:   model,
		Timeout: b.serving.timeout,
	}, retry)
	if err != nil || target {
		return e, err
	}

	return embedder{e}, nil
}

// embedder is an embedding model whose errors do not say how often it was tried, or waited for.
type embedder struct{ *openai.Embedder }

// Embed implements [suite.Embedder].
func (e embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := e.Embedder.Embed(ctx, texts)

	var fault *server.Fault
	if errors.As(err, &fault) {
		err = fault
	}

	return vectors, err
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

// watch shows what the suite prepares while a run works.
func (b *bench) watch(what string) (set func(done, total int), stop func()) {
	if b.serving.watch == nil {
		return func(int, int) {}, func() {}
	}

	now := &console.Steps{}

	return now.Step(what), b.serving.watch(now.Read)
}

// prepareSuite has the suite do what it has to before a run begins.
func (b *bench) prepareSuite(ctx context.Context) error {
	p, ok := b.suite.(suite.Preparer)
	if !ok {
		return nil
	}

	return console.GaveUp(p.Prepare(ctx))
}
