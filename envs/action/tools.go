package action

import (
	"fmt"
	"regexp"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// Tools is the [Codec] of native tool calls: servers are sent a list of tools, and answer with a [Message]. With
// FinishText a message that calls nothing is the answer, as it is for ordinary agents; otherwise it is malformed.
type Tools struct{ FinishText bool }

// Message is what a model says in a turn when it is given tools: text, calls, or both.
type Message struct {
	Content string
	Calls   []ToolCall
}

// ToolCall is a call as a model wrote it.
type ToolCall struct {
	Name      string
	Arguments string // the text of a JSON object, unless the model wrote something else
}

// The members of a message, and of its calls.
const (
	memberContent   = "content"
	memberCalls     = "calls"
	memberName      = "name"
	memberArguments = "arguments"
)

// Text returns the message as the text of an action: one JSON object with the calls' arguments as
// objects, where they are such. Servers write numbers, texts and the order of members in their own
// ways, and all of it is kept but for the space between. A message that says nothing is "".
func (m Message) Text() string {
	if m.Content == "" && len(m.Calls) == 0 {
		return ""
	}

	calls := make([]any, len(m.Calls))

	for i, c := range m.Calls {
		var arguments any = c.Arguments
		if object, rest, err := pytext.DecodeObject(c.Arguments); err == nil && strings.TrimSpace(rest) == "" {
			arguments = object
		}

		calls[i] = envs.Object(memberName, c.Name, memberArguments, arguments)
	}

	return messageText(m.Content, calls)
}

func messageText(content string, calls []any) string {
	var members envs.Args
	if content != "" || len(calls) == 0 {
		members = append(members, envs.Arg{Name: memberContent, Value: content})
	}

	if len(calls) > 0 {
		members = append(members, envs.Arg{Name: memberCalls, Value: calls})
	}

	// No tag in a text ends the reasoning that stands before it.
	return strings.ReplaceAll(pytext.JSON(members), thinkEndTag, `\u003c`+thinkEndTag[1:])
}

// Unread returns the message with its calls as content, as they stand in a JSON text: nothing in it is a call.
func (m Message) Unread() Message {
	said := make([]string, 0, 1+len(m.Calls))
	if m.Content != "" {
		said = append(said, m.Content)
	}

	for _, c := range m.Calls {
		arguments := c.Arguments
		if _, err := pytext.Decode(arguments); err != nil {
			arguments = pytext.JSON(arguments)
		}

		said = append(said, fmt.Sprintf(`{"name": %s, "arguments": %s}`, pytext.JSON(c.Name), arguments))
	}

	return Message{Content: strings.Join(said, "\n")}
}

// parts are what an action's text consists of; ok is false of text that is no message.
func (Tools) parts(text string) (reasoning, content string, calls []any, ok bool) {
	reasoning, object := Part(text)

	members, rest, err := pytext.DecodeObject(object)
	if err != nil || strings.TrimSpace(rest) != "" {
		return reasoning, object, nil, false
	}

	content, hasContent := members.Text(memberContent)
	list, hasCalls := members.Get(memberCalls)
	calls, _ = list.([]any)

	if !hasContent && !hasCalls {
		return reasoning, object, nil, false
	}

	return reasoning, content, calls, true
}

// Message returns the message of an action as later prompts have it: with its call where it is one
// that can be played, and else as content alone. Reasoning stands in its tags before the content.
func (t Tools) Message(text string) Message {
	reasoning, content, calls, _ := t.parts(text)

	m := Message{Content: content}
	for _, c := range calls {
		m.Calls = append(m.Calls, toolCall(c))
	}

	if len(m.Calls) > 0 {
		if _, err := readCall(calls[0]); err == nil {
			m.Calls = m.Calls[:1]
		} else {
			m = m.Unread()
		}
	}

	m.Content = FunctionCall{}.Think(reasoning, m.Content)

	return m
}

// toolCall is the call that a member of a message holds.
func toolCall(member any) (c ToolCall) {
	members, _ := member.(envs.Args)
	c.Name, _ = members.Text(memberName)

	switch arguments, _ := members.Get(memberArguments); arguments := arguments.(type) {
	case string:
		c.Arguments = arguments
	default:
		c.Arguments = pytext.JSON(arguments)
	}

	return c
}

// protocolName is what chat APIs take as the name of a function.
var protocolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// CanCall reports whether tools of a name can be called natively.
func CanCall(name string) bool { return protocolName.MatchString(name) }

// readCall returns a call that can be played.
func readCall(member any) (c envs.Call, err error) {
	members, _ := member.(envs.Args)
	name, _ := members.Text(memberName)
	arguments, _ := members.Get(memberArguments)

	args, ok := arguments.(envs.Args)
	if !ok || !CanCall(name) {
		return c, ErrMalformed
	}

	return envs.Call{Name: name, Args: args}, nil
}

// String implements [Codec].
func (Tools) String() string { return "tools" }

// Parse implements [Codec].
func (t Tools) Parse(text string) (envs.Call, error) {
	_, content, calls, _ := t.parts(text)

	switch {
	case len(calls) > 0:
		return readCall(calls[0])
	case t.FinishText && strings.TrimSpace(content) != "":
		return envs.Call{Name: envs.FinishTool, Args: envs.Object("answer", strings.TrimSpace(content))}, nil
	}

	return envs.Call{}, ErrMalformed
}

// Thought implements [Codec].
func (t Tools) Thought(text string) string {
	reasoning, content, calls, ok := t.parts(text)
	if content = strings.TrimSpace(content); content == "" || ok && len(calls) == 0 && t.FinishText {
		return reasoning
	}

	return content
}

// Trim implements [Codec]: what a model calls behind its first call answers what it has not seen.
func (t Tools) Trim(text string) string {
	_, content, calls, ok := t.parts(text)
	if !ok || len(calls) < 2 {
		return text
	}

	if _, err := readCall(calls[0]); err != nil {
		return text
	}

	_, object := Part(text)

	return strings.TrimSuffix(text, object) + messageText(content, calls[:1])
}

// Format implements [Codec].
func (Tools) Format(thought string, c envs.Call) string {
	return messageText(thought, []any{envs.Object(memberName, c.Name, memberArguments, c.Args)})
}

// Stop implements [Codec]. A server ends the turn.
func (Tools) Stop() []string { return nil }

// CallID is the id of a call in prompts and samples, by its turn and its place in that, from 1. Servers give random
// ones, which tell nothing. The templates of Mistral want nine letters and digits.
func CallID(turn, place int) string { return fmt.Sprintf("call%03d%02d", turn%1000, place%100) }
