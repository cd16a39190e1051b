package drift

import (
	"math/rand/v2"
	"slices"
	"strings"

	"toolevo/envs/toolapi"
)

// renameAPI gives an API another name.
func renameAPI(a toolapi.APISpec, d *Draws) (Step, bool) {
	m := meaningOfAPI(a)
	return called(a, d.api(a, func(r *rand.Rand) string { return join(r, d.words.wordsOfAPI(r, m)) })), true
}

// renameParameter gives the parameters of an API other names; one in ten keeps its own.
func renameParameter(a toolapi.APISpec, d *Draws) (Step, bool) {
	return rename(a, func(current toolapi.APISpec, p toolapi.Parameter) string {
		if chance(d.Rand, 0.1) {
			return p.Name
		}
		return d.another(a, current, p)
	})
}

// specialCharacters puts underscores into the name of an API, or into those of its parameters.
func specialCharacters(a toolapi.APISpec, d *Draws) (Step, bool) {
	spelt := func(name string) string {
		if other := underscored(d.Rand, name); d.maySpell(other) {
			return other
		}
		return name
	}

	if chance(d.Rand, 0.5) {
		name := spelt(a.Name)
		return called(a, name), name != a.Name
	}
	return rename(a, func(_ toolapi.APISpec, p toolapi.Parameter) string { return spelt(p.Name) })
}

// rename renames the parameters of an API, unless its JSON Schema says more than its parameters do,
// since that may refer to them. Items of a list keep their numbers, and so their names.
func rename(a toolapi.APISpec,
	next func(current toolapi.APISpec, p toolapi.Parameter) string) (Step, bool) {
	if len(a.Parameters.Keywords) > 0 {
		return Step{}, false
	}

	var (
		current  = a
		renaming = toolapi.Rename{}
		from, to []string
	)

	current.Parameters.All = slices.Clone(a.Parameters.All)

	for i, p := range a.Parameters.All {
		// Adapters find the items of a list by their names.
		if isItem(a, p.Name) {
			continue
		}

		// The names given so far are in current, so that no two parameters get the same one.
		name := next(current, p)
		if name == p.Name {
			continue
		}

		renaming[name] = p.Name
		from, to = append(from, p.Name), append(to, name)
		p.Name = name
		current.Parameters.All[i] = p
	}

	if len(renaming) == 0 {
		return Step{}, false
	}
	return succeed(a, strings.Join(from, ", "), strings.Join(to, ", "),
		toolapi.AdapterSpec{Rename: renaming}, current.Parameters.All...)
}

// isItem reports whether a parameter is an item of a list.
func isItem(a toolapi.APISpec, name string) bool {
	return has(a, func(s toolapi.AdapterSpec) bool {
		return isEnumerated(s) && slices.Contains(s.Enumerated.Names(), name) ||
			isNumbered(s) && (s.Numbered.Item == name || s.Numbered.Item+"1" == name)
	})
}
