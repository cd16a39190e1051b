// Package demonstrations holds the solved tasks that prompts show, one file for each dataset. They were written by the
// scripted policy on training questions of the demo's synthetic corpora, in the prompt version (p_c): no demonstration
// shows an API that has changed. A test in cmd/toolevo replays every one and checks its answer; with -update it writes
// them again.
package demonstrations

import (
	"embed"
	"io/fs"
)

//go:embed *.yaml
var files embed.FS

// FS returns the files, DATASET.yaml.
func FS() fs.FS { return files }
