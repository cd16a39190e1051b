package drift

import (
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/silent"
	"toolevo/envs/toolapi"
)

// wildcards are words for all values of an enumeration, which mean the same in every one.
var wildcards = []string{"any", "all", "none", "other", "auto", "default"}

// valuesOf returns the values of an enumeration that a field has, according to the parameters that
// are named after it.
func valuesOf(s *toolapi.Spec, f field) []string {
	var values []string

	for _, a := range s.APIs {
		for _, p := range a.Parameters.All {
			if p.Name != f.name && !strings.HasSuffix(p.Name, "_"+f.name) {
				continue
			}

			for _, v := range p.Schema.List("enum") {
				text, ok := v.(string)
				if ok && !slices.Contains(wildcards, text) && !slices.Contains(values, text) {
					values = append(values, text)
				}
			}
		}
	}

	return values
}

// isListed reports whether a parameter lists its values.
func isListed(p toolapi.Parameter) bool { return p.Schema.List("enum") != nil }

// enumsOf returns the enumerations that the values of a field have to fit, at any depth.
func enumsOf(s *toolapi.Spec, f field) (all [][]any) {
	eachRecoded(s, f, isListed, func(_ toolapi.Parameter, schema any) {
		envs.Map(schema, func(part any) (any, bool) {
			object, _ := part.(envs.Args)
			if one, ok := object.Get("const"); ok {
				all = append(all, []any{one})
			}

			if values := object.List("enum"); values != nil {
				all = append(all, values)
			}
			return part, false
		})
	})

	return all
}

// pairsOf pairs each value with the next one that it can trade places with: every enumeration has
// both or neither.
func pairsOf(values []string, enums [][]any) map[string]string {
	pairs := map[string]string{}

	for len(values) > 0 {
		one := values[0]
		values = values[1:]

		at := slices.IndexFunc(values, func(other string) bool {
			return !slices.ContainsFunc(enums, func(all []any) bool {
				return slices.Contains(all, any(one)) != slices.Contains(all, any(other))
			})
		})
		if at >= 0 {
			pairs[one] = values[at]
			values = slices.Delete(slices.Clone(values), at, at+1)
		}
	}

	return pairs
}

// permuteValues swaps the values of an enumeration, two by two.
func permuteValues(s *toolapi.Spec, d *Draws) (Change, bool) {
	f, ok := drawField(s, d,
		func(f field) bool { return len(pairsOf(valuesOf(s, f), enumsOf(s, f))) > 0 })
	if !ok {
		return Change{}, false
	}

	values := valuesOf(s, f)
	d.Shuffle(len(values), func(i, k int) { values[i], values[k] = values[k], values[i] })

	c := &silent.Swapped{Values: pairsOf(values, enumsOf(s, f))}
	where, tools := recoded(s, f, isListed, unchanged)
	c.Where = where
	return silently(s, tools, silent.Change{Swapped: c}, f.name)
}
