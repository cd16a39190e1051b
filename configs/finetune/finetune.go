// Package finetune embeds the training recipes toolevo ships, one YAML file each, and the DeepSpeed configuration that
// those for several GPUs name. A recipe holds LLaMA-Factory's arguments for a model on a kind of machine, the format of
// the exports that it trains, and how many samples make an update. Package finetune/training reads them.
package finetune

import (
	"embed"
	"io/fs"
)

//go:embed *.yaml *.json
var files embed.FS

// FS returns the files, at the root of a read-only file system.
func FS() fs.FS { return files }
