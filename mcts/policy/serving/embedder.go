package serving

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"toolevo/envs/suite"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/server"
)

// Embedder opens an embedding model at a server, "" for the one of the policies.
func (m *Models) Embedder(model, url string, target bool) (suite.Embedder, error) {
	retry := server.Retry{Attempts: 1, Patience: -1}
	if target {
		retry = m.Servers.retry()
	}

	endpoint, err := m.endpoint(OpenAI, model)
	if err != nil {
		return nil, err
	}

	endpoint.URL = cmp.Or(url, m.embeddingServer())

	e, err := openai.NewEmbedder(endpoint, retry)
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
func (m *Models) embeddingServer() string {
	s := *m.Servers
	if slices.ContainsFunc(m.Config.Policy, func(name string) bool { return strings.HasPrefix(name, Ollama+":") }) {
		s.Addresses = ""
	}

	return s.urls(OpenAI)[0]
}
