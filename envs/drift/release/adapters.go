package release

import (
	"maps"

	"toolevo/envs/toolapi"
)

// interimNames gives each old slot a name that no object has, and no member except the one that
// gets its value: adapters name members as calls do.
func (p *parts) interimNames() []string {
	const nobody = -1

	owner := map[string]int{}
	claim := func(name string, i int) {
		if other, ok := owner[name]; ok && other != i {
			// A name that two values claim belongs to neither.
			i = nobody
		}

		owner[name] = i
	}

	// Calls of one of the two have a member by its own name, so nothing else may have it.
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
		// No call has an interim name, so any free one will do.
		for other, ok := owner[names[i]]; ok && other != i; other, ok = owner[names[i]] {
			names[i] += "_"
		}

		owner[names[i]] = nobody
	}
	return names
}

// adapters returns those that lead from calls of the version to calls of the tool.
func (p *parts) adapters() []toolapi.AdapterSpec {
	all := renaming(p.fixed, p.names)

	// Adapters run in this order. An object is opened before its members can be renamed.
	for _, n := range p.nests {
		all = append(all, toolapi.AdapterSpec{
			Nested: &toolapi.Nested{Parameter: n.name, Members: n.members},
		})
		all = renaming(append(all, n.fixed...), n.names)
	}

	// Values are adapted while all are parameters, before some of them become members again.
	all = append(all, p.adapted...)
	// The tool's own names come last, since until then a parameter and a member may clash.
	last := toolapi.Rename{}

	for i, s := range p.was {
		switch inside := (toolapi.Rename{}); {
		case s.within == "" && p.isMatched(i):
			last[p.interim[i]] = s.Name
		case s.within == "":
			// The tool takes an object, whose members are parameters by now.
			var members []string

			for k, m := range p.was {
				if m.within == s.Name && p.isMatched(k) {
					inside[p.interim[k]] = m.Name
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
