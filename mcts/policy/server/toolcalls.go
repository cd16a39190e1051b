package server

import (
	"encoding/json"

	"toolevo/envs/names"
)

// ToolCalls say how a server is asked for native calls.
type ToolCalls struct {
	Choice   string `yaml:"choice"`   // of tool_choice
	Parallel string `yaml:"parallel"` // of parallel_tool_calls: ParallelUnset, "true" or "false"
}

// ParallelUnset sends no parallel_tool_calls.
const ParallelUnset = "unset"

// Validate returns the first setting that makes no sense, and why.
func (t ToolCalls) Validate() (setting string, err error) {
	if _, err = names.Parse("tool choice", t.Choice, []string{"auto", "required", "none"}); err != nil {
		return "choice", err
	}

	_, err = names.Parse("value", t.Parallel, []string{ParallelUnset, "true", "false"})

	return "parallel", err
}

// TemplateArguments are arguments of the chat template that a server applies, by name, such as enable_thinking: false.
type TemplateArguments map[string]string

// Values are the arguments as they are sent: truth values and numbers as such, anything else as text.
func (a TemplateArguments) Values() map[string]any {
	values := make(map[string]any, len(a))

	for name, text := range a {
		values[name] = text

		var plain any
		if json.Unmarshal([]byte(text), &plain) == nil {
			switch plain.(type) {
			case bool, float64:
				values[name] = json.RawMessage(text)
			}
		}
	}

	return values
}
