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

// wording is what a model is told about the tools, by how its actions are written. A system text may hold no control
// token of any model, so the tags of function calls are left to the demonstrations.
type wording struct {
	opening    string
	guidelines []string
	format     string
}

var wordings = map[action.Codec]wording{
	action.ReAct{}: turnByTurn("a Thought, an Action and an Action Input",
		`Thought: what you conclude and what to do next
Action: the name of one tool
Action Input: the parameters of the tool, as a JSON object`,
		"Thought, Action, Action Input"),

	action.FunctionCall{}: turnByTurn("a thought and one function call, which is a JSON object",
		`what you conclude and what to do next

{"name": "the name of one tool", "arguments": {"the name of a parameter": "its value"}}`,
		"Thought, function call"),

	action.Python{}: {
		opening: "You do tasks by writing a Python program, which calls the APIs of a service. The APIs are:",
		guidelines: []string{
			"Write one program that does the whole task. It is run once, and you cannot change it after you have " +
				"seen what it does.",
			"Call the APIs as the task shows, and give all parameters that are not optional.",
			"The libraries and variables that the task names are loaded already. Use the variables by their names: " +
				"their values change from one run to another.",
			"Assign what the task asks for to the variable RESULT, whichever way the program takes.",
			"Write in this format:",
		},
		format: `Question: the task to do

how the program does it, in a sentence

` + "```python\nthe program\n```" + `

(Of several such blocks the last one is run.)`,
	},
}

// turnByTurn says what appendix D.2 says, in our own words: what a step is, its template, and what of it repeats.
func turnByTurn(step, template, parts string) wording {
	return wording{
		opening: "You answer questions by using tools, one call at a time. The tools are:",
		guidelines: []string{
			"Work step by step. Each step is " + step + "; the Observation that follows is the tool's answer.",
			naming,
			"When a tool turns out to be deprecated and you have called its replacement successfully for the first " +
				"time, call UpdateTool to describe the new tool.",
			"When you know the answer, call Finish[answer].",
			"Write in this format:",
		},
		format: "Question: the question to answer\n\n" + template + "\n\nObservation: the answer of the tool\n\n(" +
			parts + " and Observation repeat as often as needed.)",
	}
}

// naming is how a tool is called. The guidelines of the tools themselves follow it.
const (
	naming = "Name the tool exactly as it is listed, without the brackets, and give all parameters that are not " +
		"optional."
	paperNaming = "Name the tool exactly as it is listed, without the brackets, and give all its parameters."
)

const (
	guidelinesHeading = "Follow these guidelines:"
	examplesHeading   = "Here are some examples:"
)

// appendNumbered appends a line of a list: "(n) text".
func appendNumbered(b *strings.Builder, n int, text string) {
	b.WriteByte('(')
	b.WriteString(strconv.Itoa(n))
	b.WriteString(") ")
	b.WriteString(text)
	b.WriteByte('\n')
}
