package drift

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs/toolapi"
	"toolevo/envs/yamltext"
)

// The versions of DynamicToolBench. What its second script makes, the third one changes further;
// the combined one does all at once, and nearly always.
const (
	DTBv2       = "dtb_v2"
	DTBv3       = "dtb_v3"
	DTBCombined = "dtb_combined"
)

// seedPublished is the seed of the published scripts. Their random generator is another one, so
// only statistics can be compared.
const seedPublished = 42

// publishedVersions says how each version is made, with the published chances.
var publishedVersions = []struct {
	name, about string
	operators   []Operator
}{
	{DTBv2, "parameters have other names, by the published 48", []Operator{publishedNames}},
	{DTBv3, "further, texts for integers and booleans, other defaults, and some objects and swaps",
		publishedAll(0.3, 0.2)},
	{DTBCombined, "all that was published, nearly always",
		publishedAll(0.99, 0.99)},
}

// publishedAll returns all operators; places and swap are the chances of the last two.
func publishedAll(places, swap float64) []Operator {
	return []Operator{
		publishedNames, publishedTypes, publishedDefaults, publishedPlaces(places), publishedSwap(swap),
	}
}

// Published returns a catalog with the versions of DynamicToolBench beside the base of c, for tools
// that are described as its documents are. They are made on demand, always the same; what is drawn
// for a tool depends on no other tool. URLs, which the benchmark moves, too, are in no call.
func Published(c *toolapi.Catalog, base string) *toolapi.Catalog {
	whole := c

	for _, p := range publishedVersions {
		whole = whole.Promise(p.name, func() (*toolapi.Spec, error) {
			m, err := NewMaker(c, base, nil, seedPublished)
			if err != nil {
				return nil, err
			}

			spec, _ := m.version(p.name, 0, plan{operators: p.operators})
			spec.About = p.about
			return spec, nil
		})
	}
	return whole
}

// newWords are the new names of parameters, by the old ones.
var newWords = yamltext.Once[map[string]string](files, "published.yaml")

// publishedNames renames parameters whose whole name is one of the 48. A name that the API has
// already gets a number; the published script would have it twice.
var publishedNames = Operator{Name: "published-names", Apply: func(a toolapi.APISpec, _ *Draws) (Step, bool) {
	return rename(a, func(current toolapi.APISpec, p toolapi.Parameter) string {
		if now, ok := newWords()[p.Name]; ok {
			return unused(current, now)
		}
		return p.Name
	})
}}

// unused returns a name, with a number behind it if the API has a parameter of that name.
func unused(a toolapi.APISpec, name string) string {
	free := name
	for i := 2; slices.Contains(toolapi.ParameterNames(a.Parameters.All), free); i++ {
		free = name + strconv.Itoa(i)
	}
	return free
}

// publishedTypes has integers and booleans sent as texts. Numbers never drift.
var publishedTypes = Operator{Name: "published-types", Apply: func(a toolapi.APISpec, _ *Draws) (Step, bool) {
	return wherever(a, func(a toolapi.APISpec, i int) (Step, bool) {
		if !canBeText(a.Parameters.All[i], "integer", "boolean") {
			return Step{}, false
		}
		return asText(a, i)
	})
}}

// opposites are the defaults that flip.
var opposites = map[string]string{"asc": "desc", "desc": "asc", "true": "false", "false": "true"}

// publishedDefaults flips the defaults of optional parameters. The published script also flips what
// documents say of required ones, which changes no call.
var publishedDefaults = Operator{Name: "published-defaults", Apply: func(a toolapi.APISpec, _ *Draws) (Step, bool) {
	return wherever(a, func(a toolapi.APISpec, i int) (Step, bool) {
		p := a.Parameters.All[i]
		was, _ := p.Schema.Get("default")
		now, ok := opposites[strings.ToLower(fmt.Sprint(was))]

		if !ok || !p.Optional || typeOf(p) != "string" {
			return Step{}, false
		}
		return flipped(a, i, now)
	})
}}

// publishedPlaces puts required parameters whose names seem to be about a place into one object,
// with a chance of often. An e-mail address is one of them.
func publishedPlaces(often float64) Operator {
	words := []string{"address", "geo", "coord"}
	isElsewhere := func(p toolapi.Parameter) bool {
		mentioned := func(word string) bool { return strings.Contains(p.Name, word) }
		return p.Optional || !slices.ContainsFunc(words, mentioned)
	}

	return Operator{Name: "published-places", Apply: func(a toolapi.APISpec, d *Draws) (Step, bool) {
		members := slices.DeleteFunc(slices.Clone(a.Parameters.All), isElsewhere)
		if len(members) == 0 || !chance(d.Rand, often) {
			return Step{}, false
		}

		rest := a
		rest.Parameters.All = without(a.Parameters.All, toolapi.ParameterNames(members)...)
		return nested(a, members, unused(rest, "address"))
	}}
}

// publishedSwap makes a required parameter optional and then an optional one required, each with a
// chance of often. The second may undo the first.
func publishedSwap(often float64) Operator {
	return Operator{Name: "published-swap", Apply: func(a toolapi.APISpec, d *Draws) (Step, bool) {
		first, second := -1, -1
		needed := func(p toolapi.Parameter) bool { return !p.Optional && canSwap(a, p) }

		// The published script makes its two moves one after the other, and draws for each of them.
		if i, ok := parameterFor(a, d, needed); ok && chance(d.Rand, often) {
			first = i
		}

		// What the first move made optional counts as optional for the second, as published.
		var all []int

		for i, p := range a.Parameters.All {
			if i == first || p.Optional && canSwap(a, p) {
				all = append(all, i)
			}
		}

		if len(all) > 0 && chance(d.Rand, often) {
			second = pick(d.Rand, all)
		}

		// Either nothing moved, or the second move undid the first.
		if first == second {
			return Step{}, false
		}
		return wherever(a, func(a toolapi.APISpec, i int) (Step, bool) {
			if i != first && i != second {
				return Step{}, false
			}
			return swapped(a, i)
		})
	}}
}

// wherever applies a change to each parameter of an API that it fits.
func wherever(a toolapi.APISpec, change func(a toolapi.APISpec, i int) (Step, bool)) (Step, bool) {
	if len(a.Parameters.Keywords) > 0 || a.Parameters.Loose {
		return Step{}, false
	}

	var from, to []string

	for i := range a.Parameters.All {
		if step, ok := change(a, i); ok {
			a = step.API
			from, to = append(from, step.From), append(to, step.To)
		}
	}

	return Step{API: a, From: strings.Join(from, ", "), To: strings.Join(to, ", ")}, len(from) > 0
}
