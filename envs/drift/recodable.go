package drift

import (
	"slices"

	"toolevo/envs"
	"toolevo/envs/toolapi"
)

// Keywords of schemas by which a parameter may refuse a value that is written in another way.
var (
	refusing = []string{"pattern", "enum", "const", "multipleOf", "exclusiveMinimum",
		"exclusiveMaximum"}
	unscaled = append(slices.Clip(refusing), "maximum") // of a parameter that a change leaves alone
)

// isRecodable reports whether calls can have a field in another way: no parameter that is recoded
// with it, at any depth, has a schema that may refuse that. is tells which parameters are changed.
func isRecodable(s *toolapi.Spec, f field, is func(toolapi.Parameter) bool) bool {
	refuses := false

	eachRecoded(s, f, is, func(in toolapi.Parameter, schema any) {
		keywords := unscaled
		if is(in) {
			keywords = refusing
		}

		refuses = refuses || mentions(schema, keywords)
	})

	return !refuses
}

// unchanged leaves the schema of a recoded parameter as it is.
func unchanged(p toolapi.Parameter) toolapi.Parameter { return p }

// eachRecoded calls see with the schema of everything in calls that is recoded with a field, at any
// depth, and with the parameter that it is in. is tells which parameters are changed.
func eachRecoded(s *toolapi.Spec, f field, is func(toolapi.Parameter) bool,
	see func(in toolapi.Parameter, schema any)) {
	tried := *s
	where, tools := recoded(&tried, f, is, unchanged)

	// Every argument of these names is recoded, in every call of these tools.
	for _, a := range s.APIs {
		if !slices.Contains(tools, a.ToolName()) {
			continue
		}

		for _, p := range a.Parameters.All {
			one := func(name string, schema any) {
				if slices.Contains(where.Fields, name) {
					see(p, schema)
				}
			}

			one(p.Name, p.Schema)
			eachMember(p, one)
		}
	}
}

// eachMember calls see with the name and the schema of each member of objects in a parameter, at
// any depth.
func eachMember(p toolapi.Parameter, see func(name string, schema any)) {
	envs.Map(p.Schema, func(part any) (any, bool) {
		object, _ := part.(envs.Args)
		for _, m := range object.Object("properties") {
			see(m.Name, m.Value)
		}
		return part, false
	})
}

// mentions reports whether a schema has one of some keywords, at any depth.
func mentions(schema any, keywords []string) (found bool) {
	envs.Map(schema, func(part any) (any, bool) {
		object, _ := part.(envs.Args)
		for _, k := range object.Names() {
			found = found || slices.Contains(keywords, k)
		}
		return part, found
	})
	return found
}

// isWhole reports whether calls have an integer where a field is recoded: in the smaller unit, one
// could mean a fraction, which the tool refuses.
func isWhole(s *toolapi.Spec, f field, is func(toolapi.Parameter) bool) (found bool) {
	eachRecoded(s, f, is, func(_ toolapi.Parameter, schema any) {
		envs.Map(schema, func(part any) (any, bool) {
			object, _ := part.(envs.Args)
			kind, _ := object.Get("type")
			kinds, _ := kind.([]any)
			found = found || kind == "integer" || slices.Contains(kinds, any("integer"))
			return part, found
		})
	})
	return found
}

// isAnswered reports whether a field is one of answers alone: no object in calls of the same tools
// has it, whose schema would refuse what becomes of it.
func isAnswered(s *toolapi.Spec, f field) bool {
	asked := false

	for _, a := range s.APIs {
		if slices.Contains(f.tools, a.ToolName()) {
			asked = asked || hasMember(a, func(name string) bool { return name == f.name })
		}
	}

	return !asked
}

// hasMember reports whether an object in calls of an API has a member of some name.
func hasMember(a toolapi.APISpec, is func(name string) bool) (found bool) {
	for _, p := range a.Parameters.All {
		eachMember(p, func(name string, _ any) { found = found || is(name) })
	}
	return found
}
