package bench

import (
	_ "embed"
	"sync"

	"toolevo/envs/drift"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/toolapi"
)

//go:embed p_c.yaml
var baseText string

// base is the version that has the tools as the domains define them.
const base = "p_c"

// Catalog returns the API versions of the tools of a set of APIs; see [stategen.Program]. A process
// makes them once, when they are first wanted, and the drifted ones when those are.
func Catalog(apis string) (*toolapi.Catalog, error) {
	if apis == stategen.Paper {
		return paperVersions()
	}
	return ownVersions()
}

var ownVersions, paperVersions = versionsOf(""), versionsOf(stategen.Paper)

func versionsOf(apis string) func() (*toolapi.Catalog, error) {
	return sync.OnceValues(func() (*toolapi.Catalog, error) {
		var tools []toolapi.APISpec
		for _, d := range domains.With(apis) {
			tools = append(tools, d.APIs()...)
		}
		return drift.StandardOf(base, baseText, tools)
	})
}
