package bench

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"sync"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/names"
	"toolevo/envs/toolapi"
	"toolevo/envs/toolbench"
)

//go:embed p_c.yaml
var baseText string

// The versions. The second keeps clear of the identifiers of the first, so that it measures what was not trained on.
const (
	base       = "p_c"
	inDomain   = "p_s_in"
	outOfIt    = "p_s_ood"
	seedOfIn   = 1
	seedOfOOD  = 2
	aboutMade  = "functions, parameters and types have changed"
	aboutClear = "the same, with names that p_s_in does not have"
)

// versions are the files of all versions over some functions, each made when it is wanted.
type versions struct {
	names []string
	files map[string]func() (*toolapi.Spec, error)
}

// newVersions returns the versions of the functions.
func newVersions(functions []toolapi.APISpec) *versions {
	v := &versions{names: []string{base, inDomain, outOfIt}, files: map[string]func() (*toolapi.Spec, error){}}

	v.files[base] = sync.OnceValues(func() (*toolapi.Spec, error) {
		spec, err := toolapi.Parse(toolapi.File{Path: base + ".yaml", Text: baseText})
		if err != nil {
			return nil, err
		}

		spec.APIs = slices.Concat(functions, spec.APIs)

		return spec, nil
	})
	v.files[inDomain] = sync.OnceValues(func() (*toolapi.Spec, error) {
		return v.drifted(inDomain, aboutMade, seedOfIn)
	})
	v.files[outOfIt] = sync.OnceValues(func() (*toolapi.Spec, error) {
		return v.drifted(outOfIt, aboutClear, seedOfOOD, inDomain)
	})

	return v
}

// drifted makes a version of the base that has no identifier of some others.
func (v *versions) drifted(name, about string, seed uint64, heldOut ...string) (*toolapi.Spec, error) {
	c, err := v.catalog(append([]string{base}, heldOut...)...)
	if err != nil {
		return nil, err
	}

	m, err := drift.NewMaker(c, base, heldOut, seed)
	if err != nil {
		return nil, err
	}

	spec, _ := m.Version(0)
	spec.Version, spec.About = name, about

	return spec, nil
}

// file returns the file of a version; the error of an unknown name lists the valid ones.
func (v *versions) file(name string) (*toolapi.Spec, error) {
	read, ok := v.files[name]
	if !ok {
		return nil, names.Unknown("API version of ToolBench", name, v.names)
	}

	return read()
}

// catalog returns the catalog of some versions.
func (v *versions) catalog(names ...string) (*toolapi.Catalog, error) {
	var files []*toolapi.Spec

	for _, name := range names {
		f, err := v.file(name)
		if err != nil {
			return nil, err
		}

		files = append(files, f)
	}

	return toolapi.NewCatalog(files...)
}

// part returns the catalog of some versions, with the functions of some tools only. A version may be named twice.
func (v *versions) part(tools []string, names ...string) (*toolapi.Catalog, error) {
	slices.Sort(names)

	var files []*toolapi.Spec

	for _, name := range slices.Compact(names) {
		whole, err := v.file(name)
		if err != nil {
			return nil, err
		}

		part := *whole
		part.APIs = slices.DeleteFunc(slices.Clone(whole.APIs), func(a toolapi.APISpec) bool {
			tool := toolOf(a)
			return tool != envs.FinishTool && tool != envs.UpdateTool && !slices.Contains(tools, tool)
		})

		files = append(files, &part)
	}

	return toolapi.NewCatalog(files...)
}

// toolOf returns the tool that an API of a file exposes.
func toolOf(a toolapi.APISpec) string { return cmp.Or(a.Tool, a.Name) }

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
