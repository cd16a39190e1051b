package trajectories

import (
	"reflect"
	"slices"

	"toolevo/envs"
	"toolevo/envs/action"
)

// Shown is what a model was shown before its question, and how its actions are written.
type Shown struct {
	Suite  string       // the benchmark; "" if another program made the document
	System string       // guidelines and tools of the prompt version, for the dataset
	Tools  []envs.Args  // those tools, as OpenAI's chat API describes functions
	Codec  action.Codec // nil is ReAct

	// ToolsAfter returns the tools that the model was sent beside its messages after a history; nil
	// if these were Tools throughout.
	ToolsAfter func(envs.History) []envs.Args

	// Reasoning says what later prompts showed of the reasoning in a turn; "" is action.Show.
	Reasoning action.Reasoning

	// Origin names what the row was imported from, such as "ATIF document of claude-code 2.0.1"; it
	// is "" for a run of this program.
	Origin string
}

// Changes reports whether the model of a row was sent other tools than Tools before some turn.
func (s Shown) Changes(row *Row) bool {
	isOther := func(h envs.History) bool { return !reflect.DeepEqual(s.ToolsAfter(h), s.Tools) }
	return s.ToolsAfter != nil && slices.ContainsFunc(row.Histories()[:len(row.Turns)], isOther)
}
