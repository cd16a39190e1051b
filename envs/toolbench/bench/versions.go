package bench

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/toolapi"
	"toolevo/envs/toolbench"
)

//go:embed p_c.yaml
var baseText string

// The versions.
const (
	base        = "p_c"
	inDomain    = drift.InDomain
	outOfDomain = drift.OutOfDomain // has no identifier of inDomain
)

// part returns the catalog of some versions and of those that they deprecate, with the functions of
// some tools only. A version may be named twice.
func part(c *toolapi.Catalog, tools []string, names ...string) (*toolapi.Catalog, error) {
	var files []*toolapi.Spec

	seen := map[string]bool{}

	for len(names) > 0 {
		name := names[0]
		names = names[1:]

		if seen[name] {
			continue
		}

		seen[name] = true

		whole, err := c.Spec(name)
		if err != nil {
			return nil, err
		}

		files = append(files, whole.Part(func(tool string) bool {
			// Every version has to expose the system tools.
			return envs.IsSystem(tool) || slices.Contains(tools, tool)
		}))
		// A deprecation notice compares a call with the version that it comes from.
		names = append(slices.Clone(whole.Deprecates), names...)
	}
	return toolapi.NewCatalog(files...)
}

// documented returns the functions of a version. A made version has no descriptions of its own
// where it takes the published ones.
func (o *opened) documented(file *toolapi.Spec) []toolapi.APISpec {
	about := map[string]string{}
	published, _ := o.choice.Versions.Spec(base) // every catalog has it

	for _, a := range published.APIs {
		about[a.Name] = a.Description
	}

	all := slices.Clone(file.APIs)
	for i, a := range all {
		all[i].Description = cmp.Or(a.Description, about[a.ToolName()])
	}
	return all
}

// functionsOf returns the functions of all documents, in their order.
func functionsOf(c *toolbench.Collection) ([]toolapi.APISpec, map[toolbench.Key]string, error) {
	named, err := c.Functions()
	if err != nil {
		return nil, nil, fmt.Errorf("name the functions: %w", err)
	}

	all := make([]toolapi.APISpec, len(c.Documents))
	for i := range c.Documents {
		all[i] = c.Documents[i].Spec(named[c.Documents[i].Key])
	}
	return all, named, nil
}
