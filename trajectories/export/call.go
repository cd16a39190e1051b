package export

import (
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/prompt"
)

// The words between which LLaMA-Factory looks for a native call: what stands before them is said beside it. Most chat
// templates write the same.
const callBegin, callEnd = "<tool_call>\n", "\n</tool_call>"

// callText is the value of a message with a call and what is said beside it: in tags, or before a native call.
func callText(beside string, c envs.Call, native bool) string {
	codec := action.FunctionCall{}
	if !native {
		return codec.Format(beside, c)
	}

	if beside != "" {
		beside += "\n"
	}

	return beside + callBegin + codec.Format("", c) + callEnd
}

// readCall is the inverse of callText.
func readCall(value string) (beside string, c envs.Call, native bool, err error) {
	codec := action.FunctionCall{}

	text, native := strings.CutSuffix(value, callEnd)
	if !native {
		c, err = codec.Parse(value)
		return codec.Thought(value), c, false, err
	}

	beside, object, _ := strings.Cut(text, callBegin)
	c, err = codec.Parse(object)

	return strings.TrimSuffix(beside, "\n"), c, true, err
}

// untagged returns a reply without the tags of its reasoning and the words of its call, which are control tokens in
// plain text.
func (m Message) untagged() string {
	value := m.Value
	if text, native := strings.CutSuffix(value, callEnd); native && m.From == FunctionCall {
		value = strings.Replace(text, callBegin, "", 1)
	}

	reasoning, content := action.Part(value)
	if content == value {
		return value
	}

	return strings.TrimSpace(reasoning + "\n" + content)
}

// roles are the messages as LLaMA-Factory is to have them: a server with native tools is sent what follows a reply
// without a call as a message of the user.
func (s *Sample) roles() []Message {
	if s.Tools == "" {
		return s.Conversations
	}

	all := slices.Clone(s.Conversations)
	for i := 2; i < len(all); i += 2 {
		if all[i-1].From == GPT {
			all[i] = Message{From: Human, Value: prompt.ObservationText(all[i].Value)}
		}
	}

	return all
}

// readRoles takes the messages of [Sample.roles] back.
func (s *Sample) readRoles() {
	for i := 2; i < len(s.Conversations); i += 2 {
		m := &s.Conversations[i]
		if text, found := strings.CutPrefix(m.Value, prompt.ObservationText("")); found && m.From == Human {
			*m = Message{From: Observation, Value: text}
		}
	}
}

// system is the system text as a template shows it, with the tools.
func (s *Sample) system(t chat.Template) string {
	decoded, _ := pytext.Decode(s.Tools) // what is no list has no tools
	list, _ := decoded.([]any)

	var tools []envs.Args
	for _, tool := range list {
		function, _ := tool.(envs.Args)
		tools = append(tools, function)
	}

	if tools == nil {
		return s.System
	}

	return t.WithTools(s.System, tools)
}
