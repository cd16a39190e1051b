package chat

import (
	"cmp"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
)

// What Qwen's templates, and LLaMA-Factory's for them, write around the tools behind the system
// text.
const (
	qwenToolsBefore = "\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n" +
		"You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
	qwenToolsAfter = "\n</tools>\n\nFor each function call, return a json object with function name and arguments " +
		"within <tool_call></tool_call> XML tags:\n<tool_call>\n" +
		`{"name": <function-name>, "arguments": <args-json-object>}` + "\n</tool_call>"
)

// ShowsTools reports whether the template has a place for tools.
func (t Template) ShowsTools() bool { return t.tools != slot{} }

// RenderTools is [Template.Render] for the conversation of [ToolMessages], with the tools behind
// the system text.
func (t Template) RenderTools(system string, functions []envs.Args, h envs.History, clean *Sanitizer) string {
	all := ToolMessages(t.WithTools(system, functions), h, clean)
	pieces := append(make([]string, 0, 1+len(all)), t.bos)

	var results []string // of tools, which follow each other in one message

	for i, m := range all {
		switch {
		case m.Role != ToolRole:
			pieces = append(pieces, t.message(m))
		case i+1 < len(all) && all[i+1].Role == ToolRole:
			results = append(results, m.Content)
		default:
			pieces = append(pieces, t.Observation(action.JoinResults(append(results, m.Content))))
			results = nil
		}
	}

	return strings.Join(pieces, "")
}

// WithTools returns a system text with tools behind it, in a bare list if the template has no place
// for them.
func (t Template) WithTools(system string, functions []envs.Args) string {
	list := make([]string, len(functions))
	for i, f := range functions {
		list[i] = "\n" + pytext.JSON(f)
	}
	return cmp.Or(system, t.defaultSystem) + t.tools.around(strings.Join(list, ""))
}

// message returns a message as it is rendered.
func (t Template) message(m Message) string {
	switch m.Role {
	case SystemRole:
		return t.System(m.Content)
	case UserRole:
		return t.User(m.Content)
	}

	parts := []string{m.Content}
	if m.Content == "" {
		parts = nil
	}

	for _, c := range m.Calls {
		object := `{"name": ` + pytext.JSON(c.Name) + `, "` + t.arguments + `": ` + c.Arguments + "}"
		parts = append(parts, t.call.around(object))
	}
	return t.reply.around(strings.Join(parts, "\n"))
}
