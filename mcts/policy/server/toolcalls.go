package server

import "toolevo/envs/names"

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
