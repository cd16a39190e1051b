package bench

import (
	_ "embed"
	"slices"
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
	spec, err := toolapi.Parse(toolapi.File{Path: base + ".yaml", Text: baseText})
	if err != nil {
		return nil, err
	}

	var tools []toolapi.APISpec
	for _, d := range domains.All() {
		tools = append(tools, d.APIs()...)
	}

	spec.APIs = slices.Concat(tools, spec.APIs)

	c, err := toolapi.NewCatalog(spec)
	if err != nil {
		return nil, err
	}

	return drift.Standard(c, base), nil
})
