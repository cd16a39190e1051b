package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"

	"toolevo/mcts/policy/server"
)

// loadAdapter has a vLLM load an adapter beside its base model, replacing one of the same name. The
// server reads the folder itself.
func loadAdapter(ctx context.Context, c server.Checkpoint, address string) error {
	// The server has a working directory of its own, and may read the folder later, when a link may
	// lead elsewhere.
	folder, err := filepath.EvalSymlinks(c.Folder)
	if err != nil {
		return err
	}

	if folder, err = filepath.Abs(folder); err != nil {
		return err
	}

	request := map[string]any{"lora_name": c.Name, "lora_path": folder, "load_inplace": true}

	text, err := json.Marshal(request)
	if err != nil {
		return err
	}

	url := strings.TrimSuffix(address, "/") + "/load_lora_adapter"

	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return err
	}

	r.Header.Set("Content-Type", "application/json")

	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer reply.Body.Close()

	// A 404 names no cause: the server has the endpoint only if it was started for it.
	refusal, err := io.ReadAll(io.LimitReader(reply.Body, refusalShown))
	if err != nil || reply.StatusCode == http.StatusOK {
		return err
	}
	return fmt.Errorf("%s loads no adapter (HTTP %d: %s). It has to be a vLLM that was started with --enable-lora, "+
		"and with VLLM_ALLOW_RUNTIME_LORA_UPDATING=True in its environment", address, reply.StatusCode,
		strings.TrimSpace(string(refusal)))
}

// refusalShown bounds what is shown of a refusal, in bytes.
const refusalShown = 500
