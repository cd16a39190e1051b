package openai

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"

	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

// Model is one of the models that a server has. OwnedBy is "vllm" for vLLM, "library" for Ollama.
// For vLLM Root is the folder or repository it was loaded from, and Parent the base model of an
// adapter.
type Model struct {
	ID          string `json:"id"`
	OwnedBy     string `json:"owned_by"`
	Root        string `json:"root"`
	Parent      string `json:"parent"`
	MaxModelLen int    `json:"max_model_len"` // vLLM: tokens of the context window; 0 when not told
}

// mostModels bounds the list of models.
const mostModels = 1 << 17

// Models lists the models that the server has.
func (b *Backend) Models(ctx context.Context) ([]Model, error) {
	list := wire.List[Model]{Most: mostModels}
	err := b.get(ctx, b.base.JoinPath("models"), func(body io.Reader) error {
		if err := wire.NewDocument(body).Object(map[string]any{"data": &list}); err != nil {
			return fmt.Errorf("the list of models: %w", err)
		}
		return nil
	})

	models := list.All
	for i := range models {
		m := &models[i]
		for _, text := range []*string{&m.ID, &m.Root, &m.Parent, &m.OwnedBy} {
			*text = wire.Shorten(*text)
		}
	}

	return models, err
}

// Serves reports whether a reply under a name is of the backend's model. Besides those of
// [server.Names] these are the others that the server lists for the same weights, and for an
// adapter those of the base model, which some versions of vLLM write.
func (b *Backend) Serves(ctx context.Context, name string) (bool, error) {
	if b.names.Has(name) {
		return true, nil
	}

	models, err := b.Models(ctx)
	if fault := server.FaultOf(err); fault != nil && fault.Kind != server.Transient {
		return false, nil // it lists none
	}

	if err != nil {
		return false, err
	}
	return sameModel(models, b.opts.Model, name), nil
}

// List implements server.Client.
func (b *Backend) List(ctx context.Context) (server.Listing, error) {
	models, err := b.Models(ctx)
	l := server.Listing{MayServe: b.mayServe(models)}

	for _, m := range models {
		l.Names = append(l.Names, m.ID)
		if m.ID != b.opts.Model && m.ID != b.opts.Model+":latest" {
			continue
		}

		if l.Listed, l.Window = true, m.MaxModelLen; m.OwnedBy == "library" {
			l.Misplaced = "model-is-ollama"
		}
	}
	return l, err
}

// mayServe reports whether a server may serve the backend's model, by its list of models. If
// replies may have other names, a list that lacks the model proves nothing.
func (b *Backend) mayServe(list []Model) bool {
	return len(b.opts.Names) > 0 ||
		slices.ContainsFunc(list, func(m Model) bool { return server.IsVariant(b.opts.Model, m.ID) })
}

// sameModel reports whether a list of models has a name for the model asked for.
func sameModel(models []Model, asked, name string) bool {
	i := slices.IndexFunc(models, func(m Model) bool { return m.ID == asked })
	if i < 0 {
		return false
	}

	model := models[i]
	if name == model.Root || name == model.Parent {
		return true
	}

	if model.Parent != "" && sameModel(withoutAdapters(models), model.Parent, name) {
		return true
	}
	return slices.ContainsFunc(models,
		func(m Model) bool { return m.ID == name && m.Root != "" && m.Root == model.Root })
}

// withoutAdapters leaves the base models of a list.
func withoutAdapters(models []Model) []Model {
	return slices.DeleteFunc(slices.Clone(models), func(m Model) bool { return m.Parent != "" })
}

// Version returns the version of vLLM, or "" for a server without /version.
func (b *Backend) Version(ctx context.Context) (string, error) {
	var v struct {
		Version string `json:"version"`
	}

	err := b.get(ctx, b.root.JoinPath("version"), func(body io.Reader) error {
		if wire.NewDocument(body).Decode(&v) != nil {
			v.Version = "" // a page for people
		}
		return nil
	})
	if absent(err) {
		return "", nil
	}

	return wire.Shorten(v.Version), err
}

// Slots implements server.Slotted: what llama.cpp's /props says. Other servers have no such
// document.
func (b *Backend) Slots(ctx context.Context) (int, error) {
	slots := 0

	err := b.get(ctx, b.root.JoinPath("props"), func(body io.Reader) error {
		if wire.NewDocument(body).Object(map[string]any{"total_slots": &slots}) != nil {
			slots = 0 // a page for people
		}
		return nil
	})
	if absent(err) {
		return 0, nil
	}

	return slots, err
}

// Gauges implements server.Observer: what vLLM's /metrics says of its load. A server without it has
// no gauges.
func (b *Backend) Gauges(ctx context.Context) (server.Gauges, bool) {
	g, ok, err := b.metrics(ctx)
	return g, ok && err == nil
}

// metrics reads the server's /metrics.
func (b *Backend) metrics(ctx context.Context) (g server.Gauges, ok bool, err error) {
	err = b.get(ctx, b.root.JoinPath("metrics"), func(body io.Reader) error {
		text, err := io.ReadAll(body)
		if err == nil {
			g, ok, err = parseMetrics(text)
		}
		return err
	})
	if absent(err) {
		return g, false, nil
	}

	return g, ok, err
}

// absent reports whether the server answered that it has no such document.
func absent(err error) bool {
	return server.Answered(err, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusNotImplemented)
}
