package prompt

import (
	"strconv"
	"strings"
)

// What stands before the question that is asked (ToolEvo, appendix D.2). The markers of the turns are those of
// [action.ReAct].
const (
	TurnHeading    = "Now it is your turn." // ends the demonstrations
	QuestionMarker = "Question:"
)

const defaultOpening = "You answer questions by using tools, one call at a time. The tools are:"

// defaultGuidelines say what appendix D.2 says, in our own words.
func defaultGuidelines() []string {
	return []string{
		"Work step by step. Each step is a Thought, an Action and an Action Input; the Observation that follows " +
			"is the tool's answer.",
		"Name the tool exactly as it is listed, and give all its parameters.",
		"When a step needs exact arithmetic, write Python code and run it.",
		"When a tool turns out to be deprecated and you have called its replacement successfully for the first " +
			"time, call UpdateTool to describe the new tool.",
		"When you know the answer, call Finish[answer].",
		"Write in this format:",
	}
}

const defaultFormat = `Question: the question to answer

Thought: what you conclude and what to do next
Action: the name of one tool
Action Input: the parameters of the tool, as a JSON object

Observation: the answer of the tool

(Thought, Action, Action Input and Observation repeat as often as needed.)`

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
