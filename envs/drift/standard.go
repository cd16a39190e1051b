package drift

import (
	"slices"

	"toolevo/envs/toolapi"
)

// The versions that a benchmark without published ones has beside its base. The second shares no
// new identifier with the first, so that it measures what was not trained on.
const (
	InDomain    = "p_s_in"
	OutOfDomain = "p_s_ood"

	seedInDomain    = 1
	seedOutOfDomain = 2
)

// StandardOf returns the catalog of tools, with what the file of the base says beside them, and the
// versions of [Standard].
func StandardOf(base, file string, tools []toolapi.APISpec) (*toolapi.Catalog, error) {
	spec, err := toolapi.Parse(toolapi.File{Path: base + ".yaml", Text: file})
	if err != nil {
		return nil, err
	}

	spec.APIs = slices.Concat(tools, spec.APIs)

	c, err := toolapi.NewCatalog(spec)
	if err != nil {
		return nil, err
	}
	return Standard(c, base), nil
}

// Standard returns a catalog with [InDomain] and [OutOfDomain] beside the base of c. They are made
// on demand, always the same.
func Standard(c *toolapi.Catalog, base string) *toolapi.Catalog {
	with := func(from *toolapi.Catalog, name, about string, seed uint64, heldOut ...string) *toolapi.Catalog {
		return from.Promise(name, func() (*toolapi.Spec, error) {
			m, err := NewMaker(from, base, heldOut, seed)
			if err != nil {
				return nil, err
			}

			spec, _ := m.Version(0)
			spec.Version, spec.About = name, about
			return spec, nil
		})
	}

	c = with(c, InDomain, "functions, parameters and types have changed", seedInDomain)
	return with(c, OutOfDomain, "the same, with names that "+InDomain+" does not have", seedOutOfDomain, InDomain)
}
