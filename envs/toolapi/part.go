package toolapi

import (
	"slices"

	"toolevo/envs/silent"
)

// Part returns a version of some tools only. Nothing in it names another one, for which it would be
// refused.
func (s *Spec) Part(has func(tool string) bool) *Spec {
	lacks := func(tool string) bool { return !has(tool) }
	some := func(tools []string) []string { return slices.DeleteFunc(slices.Clone(tools), lacks) }

	part := *s
	part.APIs = slices.DeleteFunc(slices.Clone(s.APIs),
		func(a APISpec) bool { return lacks(a.ToolName()) })
	part.Silent, part.Faults, part.Removed = nil, nil, nil

	for _, c := range s.Silent {
		if c.Tools = some(c.Tools); len(c.Tools) > 0 {
			part.Silent = append(part.Silent, c)
		}
	}

	for _, f := range s.Faults {
		all := f.Tools == nil // a fault that names no tool may meet any
		if f.Tools = some(f.Tools); all || len(f.Tools) > 0 {
			part.Faults = append(part.Faults, f)
		}
	}

	for _, r := range s.Removed {
		if lacks(r.Tool) {
			continue
		}

		// Without the other tool, nothing has what a removed one answered.
		if lacks(r.Source) {
			r = silent.Removed{Tool: r.Tool}
		}

		part.Removed = append(part.Removed, r)
	}
	return &part
}
