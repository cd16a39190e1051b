package export

import (
	"errors"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/prompt"
)

// The words between which LLaMA-Factory looks for a native call; the text before them accompanies
// it. Most chat templates write the same.
const callBegin, callEnd = "<tool_call>\n", "\n</tool_call>"

// callsText returns the value of a message with calls and the text beside them: in tags, or before
// native calls, of which there may be several.
func callsText(beside string, native bool, calls ...envs.Call) string {
	codec := action.FunctionCall{}
	if !native {
		return codec.Format(beside, calls[0])
	}

	var lines []string
	if beside != "" {
		lines = append(lines, beside)
	}

	for _, c := range calls {
		lines = append(lines, callBegin+codec.Format("", c)+callEnd)
	}
	return strings.Join(lines, "\n")
}

// readCalls is the inverse of callsText.
func readCalls(value string) (beside string, native bool, calls []envs.Call, err error) {
	codec := action.FunctionCall{}

	text, native := strings.CutSuffix(value, callEnd)
	if !native {
		c, err := codec.Parse(value)
		return codec.Thought(value), false, []envs.Call{c}, err
	}

	beside, objects, _ := strings.Cut(text, callBegin)

	for object := range strings.SplitSeq(objects, betweenCalls) {
		c, wrong := codec.Parse(object)
		calls, err = append(calls, c), errors.Join(err, wrong)
	}
	return strings.TrimSuffix(beside, "\n"), true, calls, err
}

// What separates several calls of a message: each between its own words, or all in one list.
const (
	betweenCalls  = callEnd + "\n" + callBegin
	betweenListed = ", "
)

// listCalls returns messages in the form that LLaMA-Factory reads: several calls of one message are
// a list between the words.
func listCalls(all ...Message) []Message {
	all = slices.Clone(all)

	for i, m := range all {
		if m.From == FunctionCall && strings.Contains(m.Value, betweenCalls) {
			beside, objects, _ := strings.Cut(strings.TrimSuffix(m.Value, callEnd), callBegin)
			all[i].Value = beside + callBegin + "[" + strings.ReplaceAll(objects, betweenCalls, betweenListed) + "]" +
				callEnd
		}
	}

	return all
}

// unlistCalls is the inverse of listCalls.
func unlistCalls(all ...Message) []Message {
	all = slices.Clone(all)

	for i, m := range all {
		beside, list, found := strings.Cut(strings.TrimSuffix(m.Value, "]"+callEnd), callBegin+"[")
		if !found || m.From != FunctionCall {
			continue
		}

		decoded, _ := pytext.Decode("[" + list + "]")
		calls, _ := decoded.([]any)
		objects := make([]string, len(calls))

		for j, c := range calls {
			objects[j] = pytext.JSON(c)
		}

		all[i].Value = beside + callBegin + strings.Join(objects, betweenCalls) + callEnd
	}
	return all
}

// untagged returns a reply without the tags of its reasoning and the words around its call, which
// in plain text are control tokens.
func (m Message) untagged() string {
	value := m.Value
	if text, native := strings.CutSuffix(value, callEnd); native && m.From == FunctionCall {
		value = strings.Replace(strings.ReplaceAll(text, betweenCalls, "\n"), callBegin, "", 1)
	}

	reasoning, content := action.Part(value)
	if content == value {
		return value
	}
	return strings.TrimSpace(reasoning + "\n" + content)
}

// forLlamaFactory returns the messages with the roles that LLaMA-Factory reads: under native tools,
// what follows a reply without a call is a message of the user, as it is for servers.
func (s *Sample) forLlamaFactory() []Message {
	all := s.allMessages()
	for i, m := range all {
		if s.Tools != "" && m.From == Observation && i > 0 && all[i-1].From == GPT {
			all[i] = Message{From: Human, Value: prompt.ObservationText(m.Value)}
		}
	}

	return all
}

// fromLlamaFactory is the inverse of forLlamaFactory.
func (s *Sample) fromLlamaFactory() {
	for i := 2; i < len(s.Conversations); i += 2 {
		m := &s.Conversations[i]
		if text, found := strings.CutPrefix(m.Value, prompt.ObservationText("")); found && m.From == Human {
			*m = Message{From: Observation, Value: text}
		}
	}
}

// system returns the system text as a template shows it, with the tools.
func (s *Sample) system(t chat.Template) string {
	decoded, _ := pytext.Decode(s.Tools) // anything but a list has no tools
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
