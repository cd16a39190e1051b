package ollama

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/ollama/ollama/api"

	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/server"
)

// publish makes a model of a checkpoint in an Ollama, which may be on another machine: the weights
// are sent to it. It gets a template that renders conversations as the checkpoint was trained on
// them, observations included.
func publish(ctx context.Context, c server.Checkpoint, e server.Endpoint) error {
	b, err := New(Options{Endpoint: e, Window: 1}) // which no request here has
	if err != nil {
		return err
	}
	defer b.Close()

	client := api.NewClient(b.base, b.link.Client())

	files, err := modelFiles(c.Folder)
	if err != nil {
		return err
	}

	request := &api.CreateRequest{Model: c.Name, Files: map[string]string{}}

	// The model refers to files by their digests, so they have to be there before it is made.
	for _, path := range files {
		digest, err := send(ctx, client, path)
		if err != nil {
			return fmt.Errorf("send %s to %s: %w", path, b.Address(), err)
		}

		request.Files[filepath.Base(path)] = digest
	}

	// Ollama chooses its own for a template that is not known here.
	if t, err := chat.ParseTemplate(c.Template); err == nil {
		request.Template = ollamaTemplate(t)
		request.Parameters = map[string]any{"stop": t.Stops()}
	}

	if err := client.Create(ctx, request, func(api.ProgressResponse) error { return nil }); err != nil {
		return fmt.Errorf("the Ollama at %s makes no model of %s: %w", b.Address(), c.Folder, err)
	}
	return nil
}

// modelFiles lists the files of a checkpoint that Ollama converts: a GGUF file, or weights in
// safetensors with their configuration and tokenizer.
func modelFiles(folder string) ([]string, error) {
	gguf, err := filepath.Glob(filepath.Join(folder, "*.gguf"))
	if len(gguf) > 0 {
		return gguf, err
	}

	weights, globErr := filepath.Glob(filepath.Join(folder, "*.safetensors"))
	described, descErr := filepath.Glob(filepath.Join(folder, "*.json"))

	if err := errors.Join(err, globErr, descErr); err != nil {
		return nil, err
	}

	if len(weights) == 0 {
		return nil, fmt.Errorf("%s holds neither safetensors nor GGUF", folder)
	}

	described = slices.DeleteFunc(described, func(path string) bool { return !ollamaReads(filepath.Base(path)) })
	return append(weights, described...), nil
}

// ollamaReads reports whether Ollama takes something from a file beside weights.
func ollamaReads(name string) bool {
	return slices.Contains([]string{
		"config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json",
		"added_tokens.json", "model.safetensors.index.json", "adapter_config.json", "vocab.json",
	}, name)
}

// send sends a file, and returns what the server calls it.
func send(ctx context.Context, client *api.Client, path string) (digest string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()

	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}

	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}

	digest = "sha256:" + hex.EncodeToString(sum.Sum(nil))
	return digest, client.CreateBlob(ctx, digest, f)
}

// ollamaTemplate writes a chat template in Ollama's language. An observation is a message of the
// role tool. The token that a text begins with is left to the tokenizer there.
func ollamaTemplate(t chat.Template) string {
	const content = "{{ .Content }}"
	return "{{ if not .System }}" + t.System("") + "{{ end }}{{ range .Messages }}" +
		`{{ if eq .Role "system" }}` + t.System(content) +
		`{{ else if eq .Role "user" }}` + t.User(content) +
		`{{ else if eq .Role "tool" }}` + t.Observation(content) +
		`{{ else }}` + t.Reply(content) + "{{ end }}{{ end }}"
}
