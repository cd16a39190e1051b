package simserver

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sashabaranov/go-openai"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/envs/wire"
)

// tool is a function that a request offers: its name, and all of it as templates write it.
type tool struct{ name, text string }

// UnmarshalJSON reads a tool, and refuses what OpenAI's servers refuse.
func (t *tool) UnmarshalJSON(data []byte) error {
	object, err := wire.Object(string(data))
	if err != nil {
		return err
	}

	kind, _ := object.Text("type")
	t.name, _ = object.Object("function").Text("name")
	t.text = pytext.JSON(object)

	if kind != "function" || !action.CanCall(t.name) {
		return errors.New("tools must be functions, with names of up to 64 letters, digits, _ and -")
	}
	return nil
}

// toolUse is what a chat says about its tools.
type toolUse struct {
	tools  []tool
	choice string // auto, none, required or named
	name   string // of the tool that must be called, if one is named
	single bool   // one call is enough
}

func (u *toolUse) lists(name string) bool {
	return slices.ContainsFunc(u.tools, func(t tool) bool { return t.name == name })
}

// toolPrompt returns the prompt of a chat, with or without tools.
func (x *exchange) toolPrompt(q *openAIRequest) (*input, *refusal) {
	u, bad := q.toolUse()
	if bad == nil {
		bad = cmp.Or(u.parserMissing(&x.s.o), checkCalls(q.Messages))
	}

	if bad != nil {
		return nil, bad
	}

	if u != nil && x.s.o.wrong(IgnoresTools) {
		u = &toolUse{choice: "none"}

		for i := range q.Messages { // the template has no place for them
			q.Messages[i].Calls, q.Messages[i].CallID = nil, ""
		}
	}
	return x.s.chatPrompt(q.Messages, u), nil
}

// toolUse reads what a chat says about tools, and refuses mistakes in vLLM's words; nil is nothing.
func (q *openAIRequest) toolUse() (*toolUse, *refusal) {
	u := &toolUse{
		tools:  q.Tools,
		choice: "auto",
		single: q.ParallelToolCalls != nil && !*q.ParallelToolCalls,
	}

	var named struct {
		Type     string
		Function struct{ Name string }
	}

	chosen := len(q.ToolChoice) > 0 && string(q.ToolChoice) != "null"
	text, param := "", "tool_choice"

	// A choice needs tools, except "none", which chooses nothing.
	switch {
	case q.Tools != nil && len(q.Tools) == 0:
		text = "`tools` must not be an empty array. Either provide at least one tool or omit the field " +
			"entirely."
		param = "tools"
	case !chosen:
	case string(q.ToolChoice) == `"none"`:
		u.choice = "none"
	case q.Tools == nil:
		text = "When using `tool_choice`, `tools` must be set."
	case json.Unmarshal(q.ToolChoice, &u.choice) == nil:
		if u.choice != "auto" && u.choice != "required" {
			text = "Invalid value for `tool_choice`: " + u.choice +
				`! Only named tools, "none", "auto" or "required" are supported.`
		}
	case json.Unmarshal(q.ToolChoice, &named) != nil || named.Type != "function" ||
		!u.lists(named.Function.Name):
		text = "The tool specified in `tool_choice` does not match any of the specified `tools`"
	default:
		u.choice, u.name = "named", named.Function.Name
	}

	// Without tools the chat is an ordinary one, whatever else it says about calls.
	switch {
	case text != "":
		return nil, &refusal{text, param}
	case q.Tools == nil:
		return nil, nil
	}

	return u, nil
}

// parserMissing refuses tools if the server was started without a parser for calls.
func (u *toolUse) parserMissing(o *Options) *refusal {
	const missing = "--tool-call-parser to be set"

	switch {
	case u == nil || u.choice == "none" || !o.wrong(ToolsRefused):
		return nil
	case u.choice == "auto":
		return &refusal{`"auto" tool choice requires --enable-auto-tool-choice and ` + missing, ""}
	}

	return &refusal{fmt.Sprintf("tool_choice=%q requires %s", u.choice, missing), ""}
}

// checkCalls refuses answers without calls, and calls without answers, as OpenAI's servers do.
func checkCalls(messages []message) *refusal {
	var open []string

	for i, m := range messages {
		j := slices.Index(open, m.CallID)

		switch {
		case m.CallID == "":
			for _, c := range m.Calls {
				open = append(open, c.ID)
			}
		case j < 0:
			return &refusal{"messages with role 'tool' must be a response to a preceding message with " +
				"'tool_calls'.", "messages"}
		default:
			open = slices.Delete(open, j, j+1)
		}

		if last := i == len(messages)-1; len(open) > 0 && (last || messages[i+1].CallID == "") {
			return &refusal{"An assistant message with 'tool_calls' must be followed by tool messages " +
				"responding to each 'tool_call_id'. These did not have response messages: " +
				strings.Join(open, ", "), "messages"}
		}
	}

	return nil
}

// The tags that Hermes and Qwen know.
const (
	callTag      = "<tool_call>\n"
	callEnd      = "\n</tool_call>"
	responseTag  = "<tool_response>\n"
	responseEnd  = "\n</tool_response>"
	toolsTag     = "<tools>\n"
	toolsEndTag  = "\n</tools>"
	toolsTitle   = "# Tools\n\nYou may call "
	toolsHeading = toolsTitle + "these functions:\n" + toolsTag
	toolsEnd     = toolsEndTag + "\n\nWrite each call as a JSON object in tags:\n" +
		callTag + `{"name": <function-name>, "arguments": <args-json-object>}` + callEnd
)

// shown returns the messages with the tools at the end of the system message.
func (u *toolUse) shown(messages []message) []message {
	if u == nil || len(u.tools) == 0 {
		return messages
	}

	var lines []string
	for _, t := range u.tools {
		lines = append(lines, t.text)
	}

	text := toolsHeading + strings.Join(lines, "\n") + toolsEnd
	if len(messages) > 0 && messages[0].Role == "system" {
		text = string(messages[0].Content) + blank + text
		messages = messages[1:]
	}

	return slices.Concat([]message{{Role: "system", Content: messageText(text)}}, messages)
}

// rendered returns a message with its calls in the content. Arguments that are not an object become
// {}, as vLLM's do.
func (m message) rendered() message {
	if m.CallID != "" {
		return message{Role: "user", Content: responseTag + m.Content + responseEnd}
	}

	for _, c := range m.Calls {
		if m.Content != "" {
			m.Content += "\n"
		}

		m.Content += messageText(called(c.Function))
	}
	return m
}

// called returns a call as the model writes it.
func called(f openai.FunctionCall) string {
	return callTag + action.FunctionCall{}.Format("", callOf(f)) + callEnd
}

// callOf reads a call in a message.
func callOf(f openai.FunctionCall) envs.Call {
	args, _ := wire.Object(f.Arguments) // none if they cannot be read
	return envs.Call{Name: f.Name, Args: args}
}

// written returns the text of the action in an assistant's message.
func (r reader) written(m message) string {
	text := strings.TrimSpace(string(m.Content))
	if len(m.Calls) == 0 { // of a prompt that was rendered, perhaps
		text, m.Calls = parseCalls(text, false)
	}

	if len(m.Calls) == 0 {
		return text
	}

	reasoning, content := action.Part(strings.TrimSpace(text))
	return action.Join(reasoning, r.codec.Format(content, callOf(m.Calls[0].Function)))
}

// behind returns the calls of a message behind the first, each as an action.
func (r reader) behind(m message) (all []string) {
	for _, c := range m.Calls[min(1, len(m.Calls)):] {
		all = append(all, r.codec.Format("", callOf(c.Function)))
	}
	return all
}
