package openai

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

// loadAdapter has a vLLM load an adapter beside its base model, replacing one of the same name. The
// server reads the folder itself.
func loadAdapter(ctx context.Context, c server.Checkpoint, e server.Endpoint) error {
	// The server has a working directory of its own, and may read the folder later, when a link may
	// lead elsewhere.
	folder, err := filepath.EvalSymlinks(c.Folder)
	if err != nil {
		return err
	}

	if folder, err = filepath.Abs(folder); err != nil {
		return err
	}

	b, err := New(Options{Endpoint: e})
	if err != nil {
		return err
	}
	defer b.Close()

	err = b.do(ctx, wire.Call{
		URL:  b.base.JoinPath("load_lora_adapter"),
		Body: map[string]any{"lora_name": c.Name, "lora_path": folder, "load_inplace": true},
		Read: func(body io.Reader) error {
			_, err := io.Copy(io.Discard, body)
			return err
		},
	})

	// A 404 names no cause: the server has the endpoint only if it was started for it.
	if fault := server.FaultOf(err); fault != nil && fault.Status != 0 {
		return fmt.Errorf("no adapter is loaded: %w. It has to be a vLLM that was started with "+
			"--enable-lora, and with VLLM_ALLOW_RUNTIME_LORA_UPDATING=True in its environment", err)
	}
	return err
}
