package drift

import (
	"math/rand/v2"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// typeToString takes a number or a boolean as a text.
func typeToString(a toolapi.APISpec, d *Draws) (Step, bool) {
	i, ok := parameterFor(a, d, func(p toolapi.Parameter) bool {
		return canBeText(p, "number", "integer", "boolean")
	})
	if !ok {
		return Step{}, false
	}

	return asText(a, i)
}

// canBeText reports whether values of a parameter, of one of some types, can be sent as texts.
func canBeText(p toolapi.Parameter, types ...string) bool {
	return slices.Contains(types, typeOf(p)) &&
		saysOnly(p, "type", "description", "title", "default", "examples")
}

// asText takes the i-th parameter as a text.
func asText(a toolapi.APISpec, i int) (Step, bool) {
	p := a.Parameters.All[i]
	kind := typeOf(p)

	schema := envs.Object("type", "string")
	for _, keyword := range p.Schema {
		if keyword.Name == "description" || keyword.Name == "title" {
			schema = append(schema, keyword)
		}
	}

	if was, ok := p.Schema.Get("default"); ok {
		schema = schema.With("default", pytext.JSON(was))
	}

	p.Schema = schema
	adapter := toolapi.AdapterSpec{Spelled: &toolapi.Spelled{Parameter: p.Name, Type: kind}}
	return succeed(a, p.Name, p.Name+" as a text", adapter, changed(a, i, p)...)
}

// swapRequired makes an optional parameter required, or a required one optional.
func swapRequired(a toolapi.APISpec, d *Draws) (Step, bool) {
	i, ok := parameterFor(a, d, func(p toolapi.Parameter) bool {
		spelt := func(s toolapi.AdapterSpec) bool {
			return s.Spelled != nil && s.Spelled.Parameter == p.Name
		}
		return canSwap(a, p) && !has(a, spelt) // whose example shows null or a text
	})
	if !ok {
		return Step{}, false
	}

	return swapped(a, i)
}

// canSwap reports whether a parameter can become required, or optional if it is required.
func canSwap(a toolapi.APISpec, p toolapi.Parameter) bool {
	if p.Optional {
		return typeOf(p) != "" &&
			saysOnly(p, "type", "description", "title", "default", "examples", "enum")
	}

	_, ok := exampleOf(a, p.Name)
	return ok && p.Schema != nil
}

// swapped makes the i-th parameter required if it was optional, and optional if it was required.
func swapped(a toolapi.APISpec, i int) (Step, bool) {
	p := a.Parameters.All[i]
	adapter := toolapi.AdapterSpec{Nullable: &toolapi.Nullable{Parameter: p.Name}}
	to := p.Name + " required"

	if p.Optional { // the example shows how to say nothing
		p.Schema = orNull(p.Schema)
		a.Notice.Example = withoutArgument(a.Notice.Example, p.Name)
	} else {
		value, _ := exampleOf(a, p.Name)
		adapter = toolapi.AdapterSpec{Fallback: &toolapi.Fallback{Parameter: p.Name, Value: value}}
		p.Schema = withKeyword(p.Schema, "default", value)
		to = p.Name + " optional"
	}

	p.Optional = !p.Optional
	return succeed(a, p.Name, to, adapter, changed(a, i, p)...)
}

// flipDefault gives an optional parameter another default: the other boolean, or another value of
// its enumeration.
func flipDefault(a toolapi.APISpec, d *Draws) (Step, bool) {
	i, ok := parameterFor(a, d,
		func(p toolapi.Parameter) bool { return p.Optional && len(otherDefaults(p)) > 0 })
	if !ok {
		return Step{}, false
	}

	return flipped(a, i, pick(d.Rand, otherDefaults(a.Parameters.All[i])))
}

// flipped gives the i-th parameter, which has a default, another one.
func flipped(a toolapi.APISpec, i int, now any) (Step, bool) {
	p := a.Parameters.All[i]
	was, _ := p.Schema.Get("default")
	p.Schema = withKeyword(p.Schema, "default", now)

	adapter := toolapi.AdapterSpec{Flipped: &toolapi.Flipped{Parameter: p.Name, Tool: was,
		Default: now}}
	said := func(v any) string { return p.Name + "=" + pytext.JSON(v) }
	return succeed(a, said(was), said(now), adapter, changed(a, i, p)...)
}

// nestParameters makes an object of parameters that belong together.
func nestParameters(a toolapi.APISpec, d *Draws) (Step, bool) {
	// Keywords may refer to the parameters that would move, and numbered items count those
	// beside them.
	if len(a.Parameters.Keywords) > 0 || has(a, isNumbered) {
		return Step{}, false
	}

	canNest := func(p toolapi.Parameter) bool { return isTyped(a, p) && !isItem(a, p.Name) }

	// A model has chosen members and a name, whatever the words say about them.
	if d.chosen != nil {
		members := d.candidates(slices.DeleteFunc(slices.Clone(a.Parameters.All),
			func(p toolapi.Parameter) bool {
				return !canNest(p)
			}))
		if len(members) < 2 {
			return Step{}, false
		}

		return nested(a, members, d.chosen.as)
	}

	meanings := map[string]meaning{}
	for _, p := range a.Parameters.All {
		meanings[p.Name] = meaningOf(a, p)
	}

	// Parameters may fit several objects: the draw decides which one they go into.
	for _, k := range d.Perm(len(d.words.Objects)) {
		object := d.words.Objects[k]

		members := slices.DeleteFunc(slices.Clone(a.Parameters.All),
			func(p toolapi.Parameter) bool {
				return !canNest(p) || !meanings[p.Name].has(object)
			})
		if len(members) < 2 || len(object.Use) == 0 {
			continue
		}

		name := d.parameterOf(a, "", func(r *rand.Rand) string { return pick(r, object.Use) })
		return nested(a, members, name)
	}
	return Step{}, false
}

// nested puts one parameter, an object, in place of some.
func nested(a toolapi.APISpec, members []toolapi.Parameter, name string) (Step, bool) {
	needed := func(p toolapi.Parameter) bool { return !p.Optional }
	whole := toolapi.Parameters{All: members}
	p := toolapi.Parameter{
		Name:     name,
		Optional: !slices.ContainsFunc(members, needed),
		Schema:   withKeyword(whole.Schema(), "additionalProperties", false),
	}

	names := toolapi.ParameterNames(members)
	adapter := toolapi.AdapterSpec{Nested: &toolapi.Nested{Parameter: p.Name, Members: names}}
	return succeed(a, strings.Join(names, ", "), p.Name, adapter, inPlace(a, p, names)...)
}

// parameterFor draws one of the parameters that an operator is for, none of them an item of a list.
// It draws none if the API's JSON Schema says more than its parameters do, since that may be about
// them, or if its types are for readers only.
func parameterFor(a toolapi.APISpec, d *Draws, is func(p toolapi.Parameter) bool) (i int, ok bool) {
	if len(a.Parameters.Keywords) > 0 || a.Parameters.Loose {
		return 0, false
	}

	var all []int

	for i, p := range a.Parameters.All {
		if d.mayTake(p.Name) && is(p) && !isItem(a, p.Name) {
			all = append(all, i)
		}
	}

	if len(all) == 0 {
		return 0, false
	}
	return pick(d.Rand, all), true
}

// typeOf returns the one type of a parameter, or "".
func typeOf(p toolapi.Parameter) string {
	kind, _ := p.Schema.Text("type")
	return kind
}

// saysOnly reports whether a parameter's schema has only these keywords.
func saysOnly(p toolapi.Parameter, keywords ...string) bool {
	return !slices.ContainsFunc(p.Schema.Names(),
		func(k string) bool { return !slices.Contains(keywords, k) })
}

// withoutArgument returns the example of a call without an argument.
func withoutArgument(example, name string) string {
	args, _, err := pytext.DecodeObject(example)
	if err != nil {
		return example
	}
	return pytext.JSON(args.Without(name))
}

// exampleOf returns the value of a parameter in the example of an API's notice, if it is a scalar.
func exampleOf(a toolapi.APISpec, name string) (any, bool) {
	decoded, err := pytext.Decode(a.Notice.Example)
	args, _ := decoded.(envs.Args)
	value, ok := args.Get(name)

	switch value.(type) {
	case []any, envs.Args:
		return nil, false
	}
	return value, ok && err == nil
}

// otherDefaults returns what else the default of a parameter could be; nothing if it has no
// default.
func otherDefaults(p toolapi.Parameter) []any {
	was, ok := p.Schema.Get("default")
	if !ok {
		return nil
	}

	if on, ok := was.(bool); ok && typeOf(p) == "boolean" {
		return []any{!on}
	}

	if _, isText := was.(string); !isText {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.Schema.List("enum")), func(v any) bool {
		_, isText := v.(string)
		return !isText || v == was
	})
}

// orNull returns a schema that takes null, too.
func orNull(schema envs.Args) envs.Args {
	changed := slices.Clone(schema)

	for i, keyword := range changed {
		switch keyword.Name {
		case "type":
			changed[i].Value = []any{keyword.Value, "null"}
		case "enum":
			values, _ := keyword.Value.([]any)
			changed[i].Value = append(slices.Clone(values), nil)
		}
	}

	return changed.Without("default")
}

// withKeyword returns a schema in which a keyword has a value.
func withKeyword(schema envs.Args, name string, value any) envs.Args {
	return schema.Without(name).With(name, value)
}

// changed returns the parameters of an API with another i-th one.
func changed(a toolapi.APISpec, i int, p toolapi.Parameter) []toolapi.Parameter {
	all := slices.Clone(a.Parameters.All)
	all[i] = p
	return all
}
