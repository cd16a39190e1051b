package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"toolevo/mcts/policy/server"
)

// Model is one of the models that a server has.
type Model struct {
	ID          string `json:"id"`
	OwnedBy     string `json:"owned_by"`      // "vllm" for vLLM, "library" for Ollama
	Root        string `json:"root"`          // vLLM: the folder or repository it was loaded from
	Parent      string `json:"parent"`        // vLLM: the base model of an adapter
	MaxModelLen int    `json:"max_model_len"` // vLLM: tokens of the context window; 0 when the server does not tell
}

// Models lists the models that the server has.
func (b *Backend) Models(ctx context.Context) ([]Model, error) {
	a, err := b.get(ctx, b.base.String()+"/models")
	if err != nil {
		return nil, err
	}
	var list struct {
		Data []Model `json:"data"`
	}
	if err := json.Unmarshal(a.Body, &list); err != nil {
		return nil, b.link.Fault(server.Transient, a.Status, "", fmt.Errorf("the list of models: %w", err))
	}
	return list.Data, nil
}

// Version is the version of vLLM, "" on a server without /version.
func (b *Backend) Version(ctx context.Context) (string, error) {
	a, err := b.get(ctx, b.root.String()+"/version")
	if absent(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var v struct {
		Version string `json:"version"`
	}
	if json.Unmarshal(a.Body, &v) != nil {
		return "", nil // a page for people
	}
	return v.Version, nil
}

// Health returns nil when the server can answer. A server without /health is asked for its models.
func (b *Backend) Health(ctx context.Context) error {
	_, err := b.get(ctx, b.root.String()+"/health")
	if absent(err) {
		_, err = b.Models(ctx)
	}
	return err
}

// Metrics reads the server's /metrics. A server without them gives the zero Metrics, in which nothing is known.
func (b *Backend) Metrics(ctx context.Context) (Metrics, error) {
	a, err := b.get(ctx, b.root.String()+"/metrics")
	if absent(err) {
		return Metrics{}, nil
	}
	if err != nil {
		return Metrics{}, err
	}
	m, err := ParseMetrics(a.Body)
	if err != nil {
		return Metrics{}, b.link.Fault(server.Transient, a.Status, "", err)
	}
	return m, nil
}

// absent reports whether the server answered that it has no such document.
func absent(err error) bool {
	var f *server.Fault
	return errors.As(err, &f) && (f.Status == http.StatusNotFound || f.Status == http.StatusMethodNotAllowed ||
		f.Status == http.StatusNotImplemented)
}
