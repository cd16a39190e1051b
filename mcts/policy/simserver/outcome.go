package simserver

import (
	"embed"
	"regexp"
	"strings"

	"toolevo/envs"
	"toolevo/envs/wire"
	"toolevo/envs/yamltext"
)

//go:embed wordings.yaml
var files embed.FS

// wordings are what observations begin with, and what that means.
var wordings = yamltext.Once[map[string]envs.Outcome](files, "wordings.yaml")

// lastLine matches a last line that says a Python program raised something, or that an output was
// cut.
var lastLine = regexp.MustCompile(
	`^(?:[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Iteration|Warning)(?::.*)?|\[The output was cut after .*\])$`)

// outcomeOf recognises the kind of an observation by its words.
func outcomeOf(observation string) envs.Outcome {
	text := strings.TrimSpace(wire.ReadAnswer(observation))
	if rest, ok := strings.CutPrefix(text, "Error: "); ok && strings.Contains(rest, " is deprecated") {
		return envs.Deprecated
	}

	for beginning, outcome := range wordings() {
		if strings.HasPrefix(text, beginning) {
			return outcome
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
