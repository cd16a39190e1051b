package prompt

import (
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/toolapi"
)

// List returns the tools that a task is shown, in their order: its own before those of its suite.
// Its own are left out if they cannot be read.
func (p Prompt) List(t envs.Task) []*toolapi.API {
	tools, ok := p.ByDataset[t.Labels[envs.LabelDataset]]
	if !ok {
		tools = p.Tools
	}

	own, _ := toolapi.ParseFunctions(t.Tools)

	return toolapi.Shown(slices.DeleteFunc(slices.Concat(own, tools), func(a *toolapi.API) bool {
		return (p.NoUpdateTool || p.codes()) && a.Tool == envs.UpdateTool ||
			p.codes() && a.Tool == envs.FinishTool
	}))
}

// announced returns the tools of a task in the version that a history announces, or nil.
func (p Prompt) announced(h envs.History) []*toolapi.API {
	version := h.Announced()
	if version == "" || p.Announced == nil {
		return nil
	}

	var list []*toolapi.API
	for _, a := range p.List(h.Task()) {
		list = append(list, p.Announced(version, a)...)
	}
	return toolapi.Shown(list)
}

// Functions are the tools that an agent is sent after a history, as OpenAI's chat API describes
// functions: those of [Prompt.List], or what has become of them.
func (p Prompt) Functions(h envs.History) []envs.Args {
	list := p.List(h.Task())
	if announced := p.announced(h); announced != nil {
		list = announced
	}

	own := h.Task().Tools != "" // and so texts from outside, to be cleaned
	all := make([]envs.Args, 0, len(list))

	for _, a := range list {
		all = append(all, p.function(a, own))
	}

	if !p.Learns {
		return all
	}

	// A later description of a name replaces an earlier one.
	for _, text := range h.Learned() {
		// A model may describe anything; a server would refuse the whole list for one such name.
		a, ok := toolapi.ParseDescription(text)
		if !ok || !action.CanCall(a.Name) {
			continue
		}

		i := slices.IndexFunc(list, func(b *toolapi.API) bool { return a.Name == b.Name })
		if i < 0 {
			i, list, all = len(list), append(list, a), append(all, nil)
		}

		all[i] = p.function(a, true)
	}
	return all
}

// function describes a tool, cleaned if its texts are from outside.
func (p Prompt) function(a *toolapi.API, clean bool) envs.Args {
	if !clean {
		return a.Function()
	}
	return cleanedIn(a.Function(), p.cleaned).(envs.Args)
}

// cleanedIn returns a value with every text in it cleaned.
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

// toolText returns a tool as a tool list shows it: its signature and what it does and, except in
// the layout Paper, a line for each parameter that has a document, and below it one for each member
// of an object.
func (p Prompt) toolText(a *toolapi.API) string {
	text := a.Signature() + ", " + strings.Join(strings.Fields(a.Description), " ")
	if p.Layout == Paper {
		return text
	}
	return text + a.ParameterLines("\n    ")
}
