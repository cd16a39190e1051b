// Package servers embeds how checkpoints are served for their evaluation, one YAML file for each server: vllm starts a
// server on this machine, ollama registers them in an Ollama that runs, vllm-lora loads adapters into a vLLM that runs.
// Package finetune/host reads them.
package servers

import (
	"embed"
	"io/fs"
)

//go:embed *.yaml
var files embed.FS

// FS returns the YAML files, at the root of a read-only file system.
func FS() fs.FS { return files }
