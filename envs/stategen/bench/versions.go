package bench

import (
	_ "embed"
	"sync"

	"toolevo/envs/drift"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/toolapi"
)

//go:embed p_c.yaml
var baseText string

// base is the version that has the tools as the domains define them.
const base = "p_c"

// versions are those of the tools, made once in a process, and only where a command wants them. Those that are drifted
// are made when they are wanted.
var versions = sync.OnceValues(func() (*toolapi.Catalog, error) {
	var tools []toolapi.APISpec
	for _, d := range domains.All() {
		tools = append(tools, d.APIs()...)
	}

	return drift.StandardOf(base, baseText, tools)
})
