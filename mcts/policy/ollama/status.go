package ollama

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/ollama/ollama/api"

	"toolevo/mcts/policy/server"
)

// Version is the server's version.
func (b *Backend) Version(ctx context.Context) (string, error) {
	var v struct {
		Version string `json:"version"`
	}
	if err := b.ask(ctx, http.MethodGet, "/api/version", nil, &v); err != nil {
		return "", err
	}
	return v.Version, nil
}

// Models lists the models that the server has on its disk, by the names they are asked for with.
func (b *Backend) Models(ctx context.Context) ([]string, error) {
	var list api.ListResponse
	if err := b.ask(ctx, http.MethodGet, "/api/tags", nil, &list); err != nil {
		return nil, err
	}
	names := make([]string, len(list.Models))
	for i, m := range list.Models {
		names[i] = m.Name
	}
	return names, nil
}

// Description is what the server tells of the model.
type Description struct {
	ContextLength int    // tokens of the window the model was trained with, 0 when the server does not tell
	Architecture  string // "llama", "qwen2"
	Parameters    string // options that the model brings along, one a line; all those of sampling are overridden
	Template      string // the model's chat template, of no effect on raw prompts
	RemoteHost    string // where the model runs when it is not on this server
}

// Show describes the model.
func (b *Backend) Show(ctx context.Context) (Description, error) {
	body, err := json.Marshal(api.ShowRequest{Model: b.opts.Model})
	if err != nil {
		return Description{}, b.link.NotSent(err)
	}
	var show api.ShowResponse
	if err := b.ask(ctx, http.MethodPost, "/api/show", body, &show); err != nil {
		return Description{}, err
	}
	d := Description{Parameters: show.Parameters, Template: show.Template, RemoteHost: show.RemoteHost}
	d.Architecture, _ = show.ModelInfo["general.architecture"].(string)
	for key, value := range show.ModelInfo {
		// A number of JSON is a float64 here. A model with a part for images has a second length under that part's name.
		length, ok := value.(float64)
		if ok && strings.HasSuffix(key, ".context_length") && (d.ContextLength == 0 ||
			key == d.Architecture+".context_length") {
			d.ContextLength = int(length)
		}
	}
	return d, nil
}

// Loaded is the window with which the server has the model loaded now: 0 when it is not loaded, or the server is
// too old to tell.
func (b *Backend) Loaded(ctx context.Context) (window int, err error) {
	var list api.ProcessResponse
	if err := b.ask(ctx, http.MethodGet, "/api/ps", nil, &list); err != nil {
		return 0, err
	}
	for _, m := range list.Models {
		if m.Name == b.opts.Model || m.Name == b.opts.Model+":latest" {
			return m.ContextLength, nil
		}
	}
	return 0, nil
}

// ask sends one request and decodes the answer.
func (b *Backend) ask(ctx context.Context, method, path string, body []byte, into any) error {
	a, err := b.do(ctx, method, path, body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(a.Body, into); err != nil {
		return b.link.Fault(server.Transient, a.Status, "", fmt.Errorf("the reply to %s: %w", path, err))
	}
	return nil
}
