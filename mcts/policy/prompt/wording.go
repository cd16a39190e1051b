package prompt

import (
	"strconv"
	"strings"

	"toolevo/envs/action"
)

// What stands before the question that is asked (ToolEvo, appendix D.2). How the turns are marked is the
// codec's.
const (
	TurnHeading    = "Now it is your turn." // ends the demonstrations
	QuestionMarker = "Question:"
)

const opening = "You answer questions by using tools, one call at a time. The tools are:"

// guidelines say what appendix D.2 says, in our own words.
func guidelines(step string) []string {
	return []string{
		"Work step by step. Each step is " + step + "; the Observation that follows is the tool's answer.",
		"Name the tool exactly as it is listed, and give all its parameters.",
		"When a step needs exact arithmetic, write Python code and run it.",
		"When a tool turns out to be deprecated and you have called its replacement successfully for the first " +
			"time, call UpdateTool to describe the new tool.",
		"When you know the answer, call Finish[answer].",
		"Write in this format:",
	}
}

// step is how a codec's actions are announced: in a guideline, in the template, and where it says what repeats. A
// system text may hold no control token of any model, so the tags of function calls are left to the demonstrations.
type step struct{ guideline, template, parts string }

var steps = map[action.Codec]step{
	action.ReAct{}: {
		guideline: "a Thought, an Action and an Action Input",
		template: `Thought: what you conclude and what to do next
Action: the name of one tool
Action Input: the parameters of the tool, as a JSON object`,
		parts: "Thought, Action, Action Input",
	},
	action.FunctionCall{}: {
		guideline: "a thought and one function call, which is a JSON object",
		template: `what you conclude and what to do next

{"name": "the name of one tool", "arguments": {"the name of a parameter": "its value"}}`,
		parts: "Thought, function call",
	},
}

func (s step) format() string {
	return "Question: the question to answer\n\n" + s.template + "\n\nObservation: the answer of the tool\n\n(" +
		s.parts + " and Observation repeat as often as needed.)"
}

const (
	guidelinesHeading = "Follow these guidelines:"
	examplesHeading   = "Here are some examples:"
)

// appendNumbered appends lines as "(first) line", one each.
func appendNumbered(b *strings.Builder, first int, lines []string) {
	for i, line := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}

		b.WriteByte('(')
		b.WriteString(strconv.Itoa(first + i))
		b.WriteString(") ")
		b.WriteString(line)
	}
}
