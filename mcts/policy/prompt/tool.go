package prompt

import (
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// List returns the tools that a task is shown, in their order: its own before those of its suite.
// What cannot be read of its own is left out.
func (p Prompt) List(t envs.Task) []*toolapi.API {
	tools, ok := p.ByDataset[t.Labels[envs.LabelDataset]]
	if !ok {
		tools = p.Tools
	}

	own, _ := toolapi.ParseFunctions(t.Tools)

	// A program is the whole answer: it ends by itself, and nobody can learn in between.
	return slices.DeleteFunc(slices.Concat(own, tools), func(a *toolapi.API) bool {
		return (p.NoUpdateTool || p.codes()) && a.Tool == envs.UpdateTool || p.codes() && a.Tool == envs.FinishTool
	})
}

// Functions are the tools of [Prompt.List] as OpenAI's chat API describes functions.
func (p Prompt) Functions(t envs.Task) []envs.Args {
	var all []envs.Args
	for _, a := range p.List(t) {
		all = append(all, a.Function())
	}

	return all
}

// toolText is how a tool list shows a tool: its signature and what it does and, but for the layout Paper, a line for
// each parameter that has a document, and below it one for each member of an object.
func (p Prompt) toolText(a *toolapi.API) string {
	text := a.Signature() + ", " + strings.Join(strings.Fields(a.Description), " ")
	if p.Layout == Paper {
		return text
	}

	for _, parameter := range a.Parameters {
		if parameter.Schema != nil || parameter.Optional {
			text += parameterText(parameter, "\n    ")
		}
	}

	return text
}

// parameterText says in a line what a parameter takes: "unit (string, optional): one of "kelvin", "celsius"".
// The lines of members follow.
func parameterText(p toolapi.Parameter, indent string) string {
	facts := []string{typeText(p.Schema)}

	if p.Optional {
		facts = append(facts, "optional")
	}

	if usual, ok := p.Schema.Get("default"); ok {
		facts = append(facts, "default "+pytext.JSON(usual))
	}

	text := indent + p.Name + " (" + strings.Join(facts, ", ") + ")"
	if said := strings.Join(strings.Fields(p.Description()), " "); said != "" {
		text += ": " + said
	}

	object := p.Schema
	if items := object.Object("items"); items != nil {
		object = items
	}

	required, members := object.List("required"), object.Object("properties")
	for _, name := range members.Names() {
		text += parameterText(toolapi.Parameter{
			Name: name, Optional: !slices.Contains(required, any(name)), Schema: members.Object(name),
		}, indent+"    ")
	}

	return text
}

// typeText names the values of a JSON Schema: those it enumerates, or its types, an array with that of its items.
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
