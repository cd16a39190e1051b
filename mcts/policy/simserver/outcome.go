package simserver

import (
	"regexp"
	"strings"

	"toolevo/envs"
	"toolevo/envs/response"
)

// The published wordings that begin an observation, by what they mean. A server cannot tell a refusal of the arguments
// from a failure of the tool where both are put in the same words; the scripted policy does not tell them apart.
var wordings = [...]struct {
	prefix  string
	outcome envs.Outcome
}{
	{"Your action is filtered due to some error in content.", envs.Malformed},
	{argumentError, envs.InvocationError},
	{"Invalid Action. Valid Actions are ", envs.InvalidAction},
	{"There is something wrong with ", envs.InvocationError},
	{"expected string or bytes-like object", envs.InvocationError},
	{"Tool update failed.", envs.InvocationError},
	{"Please first load the relevant database using `", envs.ToolError},
	{"The database you want to query in not in the list.", envs.ToolError},
	{"The value you are querying does not exist.", envs.ToolError},
	{"The filtering query ", envs.ToolError},
	{"The SQL command ran longer than ", envs.ToolError},
	{"You should print the variable you want to obtain the python result.", envs.ToolError},
	{"There is no information that can be matched in the database.", envs.ToolError},
	{"The graph you want to query in not in the list.", envs.ToolError},
	{"We don't have the graph data named ", envs.ToolError},
	{"The node does not exist in the graph.", envs.ToolError},
	{"There is no edge between the two nodes.", envs.ToolError},
	{"Answer is CORRECT", envs.Correct},
	{"Answer is INCORRECT", envs.Incorrect},
}

const argumentError = "argument error: "

// A last line that says a Python program raised something, or that an output was cut.
var lastLine = regexp.MustCompile(
	`^(?:[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Iteration|Warning)(?::.*)?|\[The output was cut after .*\])$`)

// outcomeOf tells from its words what kind of observation it is.
func outcomeOf(observation string) envs.Outcome {
	text := strings.TrimSpace(response.Read(observation))
	if rest, ok := strings.CutPrefix(text, "Error: "); ok && strings.Contains(rest, " is deprecated") {
		return envs.Deprecated
	}

	for _, w := range wordings {
		if strings.HasPrefix(text, w.prefix) {
			return w.outcome
		}
	}

	if lastLine.MatchString(text[strings.LastIndexByte(text, '\n')+1:]) {
		return envs.ToolError
	}

	return envs.OK
}

// appendTurn appends a turn read back from a prompt, and the tool description it taught, if any.
func (r reader) appendTurn(h envs.History, written, observation string) envs.History {
	written, observation = strings.TrimSpace(written), strings.TrimSpace(observation)

	turn := envs.Turn{Action: envs.Action(written), Observation: observation, Outcome: outcomeOf(observation)}
	if call, err := r.codec.Parse(written); err == nil && turn.Outcome != envs.Malformed {
		turn.Call = call
	}

	h = h.Append(turn)
	if turn.Call.Name == envs.UpdateTool && turn.Outcome == envs.OK {
		if description, ok := turn.Call.Args.Text("newtool_desc"); ok {
			h = h.Learn(strings.TrimSpace(description))
		}
	}

	return h
}
