package ollama

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

// Version is the server's version.
func (b *Backend) Version(ctx context.Context) (string, error) {
	var v struct {
		Version string `json:"version"`
	}
	if err := b.ask(ctx, "/api/version", nil, &v); err != nil {
		return "", err
	}

	return wire.Shorten(v.Version), nil
}

// model is one model in a list, as far as it is read.
type model struct {
	Name          string    `json:"name"`
	ContextLength int       `json:"context_length"` // of one that is loaded
	ExpiresAt     time.Time `json:"expires_at"`     // of one that is loaded
}

// mostModels bounds a list of models.
const mostModels = 1 << 17

// list reads a list of models.
func (b *Backend) list(ctx context.Context, path string) ([]model, error) {
	list := wire.List[model]{Most: mostModels}

	err := b.do(ctx, path, nil, 0, func(body io.Reader) error {
		if err := wire.NewDocument(body).Object(map[string]any{"models": &list}); err != nil {
			return fmt.Errorf("the reply to %s: %w", path, err)
		}
		return nil
	})

	models := list.All
	for i, m := range models {
		models[i].Name = wire.Shorten(m.Name)
	}
	return models, err
}

// Models lists the models that the server has on its disk, by the names they are asked for with.
func (b *Backend) Models(ctx context.Context) ([]string, error) {
	models, err := b.list(ctx, "/api/tags")

	names := make([]string, len(models))
	for i, m := range models {
		names[i] = m.Name
	}
	return names, err
}

// Serves reports whether a reply under a name is of the backend's model: "llama3" and
// "llama3:latest" are the same, and so are the names of [server.Endpoint].
func (b *Backend) Serves(_ context.Context, name string) (bool, error) {
	return tagged(name) == tagged(b.opts.Model) || slices.Contains(b.opts.Names, name), nil
}

// tagged returns the name of a model with its tag.
func tagged(name string) string {
	if strings.Contains(name[strings.LastIndex(name, "/")+1:], ":") {
		return name
	}
	return name + ":latest"
}

// List implements server.Client.
func (b *Backend) List(ctx context.Context) (server.Listing, error) {
	names, err := b.Models(ctx)
	has := func(name string) bool { return tagged(name) == tagged(b.opts.Model) }
	return server.Listing{Names: names, Listed: slices.ContainsFunc(names, has), Window: b.opts.Window}, err
}

// Describe implements server.Describer.
func (b *Backend) Describe(ctx context.Context, l *server.Listing) error {
	var show api.ShowResponse
	if err := b.ask(ctx, "/api/show", api.ShowRequest{Model: b.opts.Model}, &show); err != nil {
		return err
	}

	count, _ := show.ModelInfo["general.parameter_count"].(float64)
	l.Remote, l.Parameters, l.Bits = show.RemoteHost, int64(count), bitsOf(show.Details.QuantizationLevel)

	architecture, _ := show.ModelInfo["general.architecture"].(string)
	for key, value := range show.ModelInfo {
		// A number of JSON is a float64 here. A model with a part for images has a second length
		// under that part's name.
		length, ok := value.(float64)
		if ok && strings.HasSuffix(key, ".context_length") && (l.Trained == 0 ||
			key == architecture+".context_length") {
			l.Trained = int(length)
		}
	}

	return nil
}

var firstNumber = regexp.MustCompile("[0-9]+")

// bitsOf returns how many bits a parameter has, by llama.cpp's name for the format: Q4_K_M, IQ3_XS,
// F16, MXFP4. The scales that blocks of parameters share are not counted. It is 0 for a name
// without a number.
func bitsOf(quantization string) int {
	n, _ := strconv.Atoi(firstNumber.FindString(quantization))
	return n
}

// Loaded returns the window with which the server has the model loaded now, and until when it stays
// so without a request: zero if it is not loaded, or the server is too old to say.
func (b *Backend) Loaded(ctx context.Context) (window int, expires time.Time, err error) {
	models, err := b.list(ctx, "/api/ps")
	if err != nil {
		return 0, time.Time{}, err
	}

	for _, m := range models {
		if m.Name == b.opts.Model || m.Name == b.opts.Model+":latest" {
			return m.ContextLength, m.ExpiresAt, nil
		}
	}

	return 0, time.Time{}, nil
}

// documentLimit bounds a reply that is one document, in bytes: those hold licences and templates.
const documentLimit = 4 << 20

// ask makes a call whose reply is one document.
func (b *Backend) ask(ctx context.Context, path string, body, into any) error {
	return b.do(ctx, path, body, documentLimit, func(reply io.Reader) error {
		if err := wire.NewDocument(reply).Decode(into); err != nil {
			return fmt.Errorf("the reply to %s: %w", path, err)
		}
		return nil
	})
}
