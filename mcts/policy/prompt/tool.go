package prompt

import (
	"slices"
	"strings"

	"toolevo/envs"
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
		f := a.Function()
		if t.Tools != "" { // see [Prompt.system]
			f = cleanedIn(f, p.cleaned).(envs.Args)
		}

		all = append(all, f)
	}

	return all
}

// cleanedIn is a value with every text in it cleaned.
func cleanedIn(v any, clean func(string) string) any {
	switch v := v.(type) {
	case string:
		return clean(v)
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = cleanedIn(v[i], clean)
		}

		return all
	case envs.Args:
		all := make(envs.Args, len(v))
		for i, arg := range v {
			all[i] = envs.Arg{Name: arg.Name, Value: cleanedIn(arg.Value, clean)}
		}

		return all
	}

	return v
}

// toolText is how a tool list shows a tool: its signature and what it does and, but for the layout Paper, a line for
// each parameter that has a document, and below it one for each member of an object.
func (p Prompt) toolText(a *toolapi.API) string {
	text := a.Signature() + ", " + strings.Join(strings.Fields(a.Description), " ")
	if p.Layout == Paper {
		return text
	}

	return text + a.ParameterLines("\n    ")
}
