package toolapi

import (
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// ParameterLines says what the parameters take, in the form of texts for models: a line for each
// that has a schema or may be left out, and below it one for each member of an object, four spaces
// further in. Each line begins with the indent, which is a line break and spaces.
func (a *API) ParameterLines(indent string) string {
	text := ""

	for _, p := range a.Parameters {
		if p.Schema != nil || p.Optional {
			text += parameterText(p, indent)
		}
	}

	return text
}

// parameterText says in a line what a parameter takes: "unit (string, optional): one of "kelvin",
// "celsius"". The lines of its members follow.
func parameterText(p Parameter, indent string) string {
	facts := []string{typeText(p.Schema)}

	if p.Optional {
		facts = append(facts, "optional")
	}

	if usual, ok := p.Schema.Get("default"); ok {
		facts = append(facts, "default "+pytext.JSON(usual))
	}

	text := indent + p.Name + " (" + strings.Join(facts, ", ") + ")"

	// Descriptions have line breaks, and each parameter has one line.
	if about := strings.Join(strings.Fields(p.Description()), " "); about != "" {
		text += ": " + about
	}

	// A list of objects shows their members, as an object does.
	object := p.Schema
	if items := object.Object("items"); items != nil {
		object = items
	}

	required, members := object.List("required"), object.Object("properties")
	for _, name := range members.Names() {
		text += parameterText(Parameter{
			Name: name, Optional: !slices.Contains(required, any(name)),
			Schema: members.Object(name),
		}, indent+"    ")
	}

	return text
}

// typeText names the values of a JSON Schema: those that it enumerates, or its types. An array has
// the type of its items, too.
func typeText(schema envs.Args) string {
	if values := schema.List("enum"); len(values) > 0 {
		written := make([]string, len(values))
		for i, v := range values {
			written[i] = pytext.JSON(v)
		}
		return "one of " + strings.Join(written, ", ")
	}

	types := schema.List("type")
	if one, ok := schema.Text("type"); ok {
		types = []any{one}
	}

	words := make([]string, len(types))
	for i, v := range types {
		words[i], _ = v.(string)

		if items := schema.Object("items"); items != nil && words[i] == "array" {
			words[i] += " of " + typeText(items)
		}
	}

	if len(words) == 0 {
		return "any value"
	}
	return strings.Join(words, " or ")
}
