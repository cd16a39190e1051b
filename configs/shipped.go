package configs

import "io/fs"

// Recipes returns the training recipes that ship with toolevo, one YAML file each, and the
// DeepSpeed configuration that those for several GPUs name. A recipe holds the trainer's arguments
// for a model on a kind of machine, the format of the exports that it trains, and how many samples
// make an update. Package finetune/training reads them.
func Recipes() fs.FS { return folder("finetune") }

// Servers returns how checkpoints are served for their evaluation, one YAML file per server: vllm
// starts a server on this machine, ollama registers them in a running Ollama, vllm-lora loads
// adapters into a running vLLM. Package finetune/host reads them.
func Servers() fs.FS { return folder("servers") }

// Improvements returns descriptions of improvement runs: example.yaml has every key. Package
// finetune/improve reads them.
func Improvements() fs.FS { return folder("improve") }

func folder(name string) fs.FS {
	sub, err := fs.Sub(files, name)
	if err != nil {
		panic(err) // no name here is invalid
	}
	return sub
}
