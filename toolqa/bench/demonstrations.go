package bench

import (
	"embed"
	"io/fs"
)

//go:embed demonstrations/*.yaml
var demonstrations embed.FS

// Demonstrations implements [suite.Demonstrator]: the solved tasks that prompts show, DATASET.yaml for each dataset.
// They were written by the scripted policy on training questions of the demo's synthetic corpora, in the prompt version
// (p_c): no demonstration shows an API that has changed. A test in cmd/toolevo replays every one and checks its answer;
// with -update it writes them again.
func (ToolQA) Demonstrations() fs.FS {
	pools, err := fs.Sub(demonstrations, "demonstrations")
	if err != nil {
		panic(err) // the name is valid
	}

	return pools
}
