// Package improve embeds descriptions of improvement runs: example.yaml has every key. Package finetune/improve reads
// them.
package improve

import (
	"embed"
	"io/fs"
)

//go:embed *.yaml
var files embed.FS

// FS returns the YAML files, at the root of a read-only file system.
func FS() fs.FS { return files }
