package release

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// met is what two schemas have in common: the values that the tool takes as it is, and that calls
// of the release may have.
type met struct {
	schema envs.Args // of the release, without values that the tool does not take

	wider, narrower bool  // the release takes other values, or not all of the old ones
	lost, fresh     []any // values of an enumeration that are gone, and new ones
}

// meet returns what two schemas have in common; ok is false if that is nothing.
func meet(old, now envs.Args) (m met, ok bool) {
	if reflect.DeepEqual(bare(old), bare(now)) {
		return met{schema: now}, true
	}

	was, is := kindsOf(old), kindsOf(now)
	shared := was & is

	switch {
	case shared&^null == 0:
		return m, false
	case is&^was != 0:
		return widened(old, now, was&^is != 0)
	}

	m = met{schema: now, narrower: was != is}
	return m, m.enumeration(old, now) && m.items(old, now) && m.members(old, now)
}

// widened returns what a schema has in common with one that takes other types, too: what the tool
// takes, as far as the release takes it.
func widened(old, now envs.Args, narrower bool) (met, bool) {
	m := met{schema: annotated(old, now), wider: true, narrower: narrower}
	if saysTypes(now) {
		return m, true
	}

	m.narrower = true
	m.schema = with(m.schema, "allOf", slices.Concat(old.List("allOf"), []any{bare(now)}))

	was, is := valuesOf(old), valuesOf(now)
	if was == nil || is == nil {
		return m, true
	}

	m.lost = slices.DeleteFunc(slices.Clone(was), among(is))
	return m, len(m.lost) < len(was)
}

// saysTypes reports whether nothing but its type decides whether a value fits a schema.
func saysTypes(schema envs.Args) bool {
	for _, k := range bare(schema) {
		parts, _ := k.Value.([]any)

		switch k.Name {
		case "type":
		case "anyOf", "oneOf":
			for _, part := range parts {
				if inside, _ := part.(envs.Args); !saysTypes(inside) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// among returns a function that reports whether a value is one of some.
func among(all []any) func(any) bool {
	return func(v any) bool {
		return slices.ContainsFunc(all, func(w any) bool { return reflect.DeepEqual(v, w) })
	}
}

// enumeration keeps the values that both have.
func (m *met) enumeration(old, now envs.Args) bool {
	was, is := valuesOf(old), valuesOf(now)

	switch {
	case was == nil && is == nil:
		return true
	case was == nil:
		m.narrower = true
		return true
	case is == nil:
		// The release takes any value of the type, which the tool does not.
		m.wider = true
		m.schema = now.With("enum", was)
		return true
	}

	m.lost = slices.DeleteFunc(slices.Clone(was), among(is))
	m.fresh = slices.DeleteFunc(slices.Clone(is), among(was))

	// The tool as it is does not know fresh values, so the version must not take them.
	if len(m.fresh) == 0 {
		return true
	}

	shared := slices.DeleteFunc(slices.Clone(is), among(m.fresh))
	m.schema = with(now, "enum", shared)

	// A default that the tool does not know is as much out of place as any such value.
	if usual, given := now.Get("default"); given && !among(shared)(usual) {
		m.schema = m.schema.Without("default")
	}
	return len(shared) > 0
}

// items keeps what the schemas of a list's items have in common.
func (m *met) items(old, now envs.Args) bool {
	was, is := old.Object("items"), now.Object("items")
	if was == nil || is == nil {
		return true
	}

	inside, ok := meet(was, is)
	m.take(inside)
	m.schema = with(m.schema, "items", inside.schema)
	return ok
}

// members keeps what the members of objects have in common. An object that declares none takes any.
func (m *met) members(old, now envs.Args) bool {
	was, is := old.Object("properties"), now.Object("properties")
	if was == nil || is == nil {
		return true
	}

	both := envs.Args{}
	needed := now.List("required")

	for _, member := range is {
		schema, _ := member.Value.(envs.Args)
		before, known := was.Get(member.Name)

		if !known {
			m.wider = true

			// Every call of the release has it, so none could reach the tool.
			if slices.Contains(needed, any(member.Name)) {
				return false
			}

			continue
		}

		object, _ := before.(envs.Args)

		inside, ok := meet(object, schema)
		if !ok {
			return false
		}

		m.take(inside)
		both = append(both, envs.Arg{Name: member.Name, Value: inside.schema})
	}

	// Calls must have what the tool needs, whether or not the release needs it.
	for _, name := range old.List("required") {
		if text, _ := name.(string); !slices.Contains(both.Names(), text) {
			return false
		}

		if !slices.Contains(needed, name) {
			m.wider, needed = true, append(slices.Clip(needed), name)
		}
	}

	m.narrower = m.narrower || len(both) < len(was)
	m.schema = with(m.schema, "properties", both)

	if len(needed) > 0 {
		m.schema = with(m.schema, "required", needed)
	}

	// What the tool has no place for must be refused, not dropped.
	if m.wider {
		m.schema = with(m.schema, "additionalProperties", false)
	}
	return true
}

// take adds what was found about values inside.
func (m *met) take(inside met) {
	m.wider, m.narrower = m.wider || inside.wider, m.narrower || inside.narrower
	m.lost, m.fresh = slices.Concat(m.lost, inside.lost), slices.Concat(m.fresh, inside.fresh)
}

// kinds are types of values.
type kinds int

const (
	null kinds = 1 << iota
	boolean
	integer
	fraction // a number that is not an integer
	text
	list
	object

	anything = 1<<iota - 1
)

var kindNames = map[any]kinds{
	"null": null, "boolean": boolean, "integer": integer, "number": integer | fraction,
	"string": text, "array": list, "object": object,
}

// kindsOf returns the types of the values that a schema takes.
func kindsOf(schema envs.Args) kinds {
	all := kinds(anything)

	if kind, ok := schema.Get("type"); ok {
		names, several := kind.([]any)
		if !several {
			names = []any{kind}
		}

		all = 0
		for _, name := range names {
			all |= kindNames[name]
		}
	}

	// A value has to fit all keywords, so each narrows what the others leave.
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if parts := schema.List(keyword); len(parts) > 0 {
			var of kinds

			for _, part := range parts {
				// A value has to fit only one of these parts.
				inside, _ := part.(envs.Args)
				of |= kindsOf(inside)
			}

			all &= of
		}
	}

	for _, part := range schema.List("allOf") {
		inside, _ := part.(envs.Args)
		all &= kindsOf(inside)
	}

	// Enumerated values have types even if the schema names none.
	if values := valuesOf(schema); values != nil {
		var of kinds
		for _, v := range values {
			of |= kindNames[kindOf(v)]
		}

		all &= of
	}
	return all
}

// kindOf returns the type of a value as JSON Schema calls it.
func kindOf(v any) string {
	switch v := v.(type) {
	case envs.Number:
		if !strings.ContainsAny(string(v), ".eE") {
			return "integer"
		}
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case envs.Args:
		return "object"
	}

	return "number"
}

// valuesOf returns the values that a schema enumerates, nil if it does not.
func valuesOf(schema envs.Args) []any {
	if v, ok := schema.Get("const"); ok {
		return []any{v}
	}
	return schema.List("enum")
}

// notes are keywords that refuse no value.
var notes = []string{"description", "title", "default", "examples"}

// bare returns a schema without keywords that refuse no value, nil if nothing is left.
func bare(schema envs.Args) (rest envs.Args) {
	for _, k := range schema {
		if !slices.Contains(notes, k.Name) {
			rest = append(rest, envs.Arg{Name: k.Name, Value: bareValue(k.Name, k.Value)})
		}
	}

	slices.SortFunc(rest, byName)
	return rest
}

func bareValue(keyword string, v any) any {
	switch v := v.(type) {
	case envs.Args:
		if keyword != "properties" {
			return bare(v)
		}

		members := make(envs.Args, len(v))
		for i, member := range v {
			members[i] = envs.Arg{Name: member.Name, Value: bareValue("", member.Value)}
		}

		slices.SortFunc(members, byName)
		return members
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = bareValue("", v[i])
		}
		return all
	}
	return v
}

// annotated returns a schema with the notes of another one in place of its own.
func annotated(schema, said envs.Args) envs.Args {
	out := schema.Without(notes...)

	for _, k := range said {
		isText := k.Name == "description" || k.Name == "title"
		if isText || k.Name == "default" && fitsKind(schema, k.Value) {
			out = append(out, k)
		}
	}

	return out
}

// fitsKind reports whether a value other than null is of a type that a schema takes.
func fitsKind(schema envs.Args, v any) bool {
	kind := kindNames[kindOf(v)]
	return v != nil && kindsOf(schema)&kind == kind
}

func byName(a, b envs.Arg) int { return strings.Compare(a.Name, b.Name) }

func with(schema envs.Args, name string, v any) envs.Args {
	return schema.Without(name).With(name, v)
}

// shown writes values in one line.
func shown(values []any) string {
	text := ""
	for _, v := range values {
		text += fmt.Sprintf(", %s", pytext.JSON(v))
	}
	return text[min(2, len(text)):]
}
