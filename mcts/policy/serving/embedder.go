package serving

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"toolevo/envs/suite"
	"toolevo/mcts/policy/server"
)

// Embedder opens an embedding model at a server, or, with an empty url, at that of the policies.
func (m *Models) Embedder(model, url string, target bool) (suite.Embedder, error) {
	retry := server.Retry{Attempts: 1, Patience: -1}
	if target {
		retry = m.Servers.retry()
	}

	k := embedding()
	if k == nil {
		return nil, errors.New("no kind of servers has embedding models")
	}

	endpoint, err := m.endpoint(k, model)
	if err != nil {
		return nil, err
	}

	if endpoint.URL = url; url == "" {
		if endpoint.URL, err = m.embeddingServer(k); err != nil {
			return nil, err
		}
	}

	e, err := k.Embed(endpoint, retry)
	if err != nil || target {
		return e, err
	}
	return embedder{e}, nil
}

// embedder is an embedding model whose errors do not mention retries and waits.
type embedder struct{ server.Embedder }

// Embed implements [suite.Embedder].
func (e embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := e.Embedder.Embed(ctx, texts)

	if fault := server.FaultOf(err); fault != nil {
		err = fault
	}
	return vectors, err
}

// embedding returns the kind of servers that have embedding models, or nil.
func embedding() *Kind {
	all := server.Kinds()

	i := slices.IndexFunc(all, func(k *Kind) bool { return k.Embed != nil })
	if i < 0 {
		return nil
	}
	return all[i]
}

// embeddingServer is the server where nobody says which: the first one of policies of the kind.
// Where --server names those of another kind, it is not a place to show this one's key.
func (m *Models) embeddingServer(k *Kind) (string, error) {
	addresses := m.Servers.Addresses
	if slices.ContainsFunc(m.Config.Policy, func(name string) bool {
		kind, _, _ := strings.Cut(name, ":")
		other := server.FindKind(kind)
		return other != nil && other != k
	}) {
		addresses = ""
	}

	urls, err := listed(cmp.Or(addresses, Running(k.Name, m.Servers.variable)))
	if err != nil {
		return "", err
	}
	return urls[0], nil
}
