package release

import (
	"maps"

	"toolevo/envs/toolapi"
)

// underWay gives each slot of before a name that no object has, and no member of one but that whose
// value it gets: adapters name members as calls do.
func (p *parts) underWay() []string {
	const nobody = -1

	owner := map[string]int{}
	claim := func(name string, i int) {
		if other, ok := owner[name]; ok && other != i {
			i = nobody
		}

		owner[name] = i
	}

	// A member's name is used by calls of one of the two, so that nothing else may have it.
	for i, was := range p.was {
		to, ok := p.to[i]
		if !ok {
			continue
		}

		for _, s := range []slot{was, p.is[to.slot]} {
			if s.within != "" {
				claim(s.within, nobody)
				claim(s.Name, i)
			}
		}
	}

	names := make([]string, len(p.was))

	for i, s := range p.was {
		names[i] = s.Name
		for other, ok := owner[names[i]]; ok && other != i; other, ok = owner[names[i]] {
			names[i] += "_"
		}

		owner[names[i]] = nobody
	}
	return names
}

// adapters lead from calls of the version to those of the tool.
func (p *parts) adapters() []toolapi.AdapterSpec {
	all := renaming(p.fixed, p.names)

	for _, n := range p.nests {
		all = append(all, toolapi.AdapterSpec{
			Nested: &toolapi.Nested{Parameter: n.name, Members: n.members},
		})
		all = renaming(append(all, n.fixed...), n.names)
	}

	// Values are adapted once all are parameters, and before some of them are members again.
	all = append(all, p.adapted...)
	last := toolapi.Rename{}

	for i, s := range p.was {
		switch inside := (toolapi.Rename{}); {
		case s.within == "" && p.isMatched(i):
			last[p.under[i]] = s.Name
		case s.within == "":
			var members []string

			for k, m := range p.was {
				if m.within == s.Name && p.isMatched(k) {
					inside[p.under[k]] = m.Name
					members = append(members, m.Name)
				}
			}

			if len(members) > 0 {
				all = append(renaming(all, inside), toolapi.AdapterSpec{
					Unnested: &toolapi.Unnested{Parameter: s.Name, Members: members},
				})
			}
		}
	}

	return renaming(all, last)
}

// renaming appends an adapter for those names that change.
func renaming(all []toolapi.AdapterSpec, names toolapi.Rename) []toolapi.AdapterSpec {
	changed := maps.Clone(names)
	maps.DeleteFunc(changed, func(now, was string) bool { return now == was })

	if len(changed) == 0 {
		return all
	}
	return append(all, toolapi.AdapterSpec{Rename: changed})
}
