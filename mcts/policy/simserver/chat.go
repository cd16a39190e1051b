package simserver

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/sashabaranov/go-openai"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts/policy/prompt"
)

// message is one message of a chat.
type message struct {
	Role    string            `json:"role"`
	Content messageText       `json:"content"`
	Calls   []openai.ToolCall `json:"tool_calls"`   // of an assistant
	CallID  string            `json:"tool_call_id"` // of the call that a tool answers
}

// messageText is the text of a message, which clients send as a string or as a list of text parts.
type messageText string

// UnmarshalJSON reads either form.
func (m *messageText) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '[' {
		return json.Unmarshal(data, (*string)(m))
	}

	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}

	for _, p := range parts {
		if p.Type != "text" {
			return errors.New("content parts must be of type text")
		}

		*m += messageText(p.Text)
	}
	return nil
}

// chat reads the messages of a chat. A question begins the task, so those of demonstrations are
// forgotten at the next one; whatever answers the assistant is an observation. A message may hold a
// whole prompt with turns in it. Each of several calls in a message is an action.
func (r reader) chat(messages []message) envs.History {
	var h envs.History

	var behind []string // calls of a message that wait for their answers

	written, acted := "", false

	for _, m := range messages {
		text := strings.TrimSpace(string(m.Content))
		switch {
		case m.Role == "system", m.CallID != "" && !acted && len(behind) == 0:
		// The first call of its message has its answer, so this one is the next call's.
		case m.CallID != "" && !acted:
			h, behind = r.appendTurn(h, behind[0], observationIn(text)), behind[1:]
		case m.Role == "assistant":
			if acted { // its observation never came
				h = r.appendTurn(h, written, "")
			}

			written, acted, behind = r.written(m), true, r.behind(m)
		// Without an action that it could answer, a message is a question however it begins.
		case m.CallID == "" && (asks(text) || !acted):
			h, acted = r.prompt(text), false
		default:
			h, acted = r.appendTurn(h, written, observationIn(text)), false
		}
	}

	if acted {
		h = r.appendTurn(h, written, "")
	}
	return h
}

// asks reports whether the text of a message asks a question.
func asks(text string) bool {
	return strings.HasPrefix(text, prompt.QuestionMarker) || strings.Contains(text, blank+prompt.QuestionMarker)
}

// observationIn removes what chats put around an observation.
func observationIn(text string) string {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "<tool_response>"); ok {
		text = strings.TrimSpace(strings.TrimSuffix(inner, "</tool_response>"))
	}
	return strings.TrimSpace(strings.TrimPrefix(text, action.ObservationMarker))
}

// A chatTemplate says how a template marks messages: open, role, close, text, end.
type chatTemplate struct{ open, close, end string }

var (
	llama3 = chatTemplate{"<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"}
	chatML = chatTemplate{"<|im_start|>", "\n", "<|im_end|>"}
)

// read splits a rendered prompt into its messages; ok is false when it has none. The empty message
// of an assistant that is about to write is left out.
func (t chatTemplate) read(text string) (messages []message, ok bool) {
	_, rest, ok := strings.Cut(text, t.open)
	for found := ok; found; {
		var part string
		part, rest, found = strings.Cut(rest, t.open)
		role, content, _ := strings.Cut(part, t.close)

		content, _, ended := strings.Cut(content, t.end)
		if content = strings.TrimSpace(content); ended || content != "" {
			messages = append(messages, message{Role: strings.TrimSpace(role), Content: messageText(content)})
		}
	}

	return messages, ok
}

// renderChat renders messages as the simulated model's own chat template does.
func renderChat(messages []message) string {
	var b strings.Builder
	for _, m := range messages {
		m = m.rendered()
		b.WriteString(chatML.open + m.Role + chatML.close + string(m.Content) + chatML.end + "\n")
	}

	b.WriteString(chatML.open + "assistant" + chatML.close)
	return b.String()
}

// dropObservations leaves out what a template without a place for observations does not render:
// messages of other roles, and what answers an assistant without asking anything.
func dropObservations(messages []message) []message {
	var kept []message

	for i, m := range messages {
		known := m.Role == "system" || m.Role == "user" || m.Role == "assistant"

		answers := i > 0 && messages[i-1].Role == "assistant" && m.Role != "assistant" && !asks(string(m.Content))
		if known && !answers {
			kept = append(kept, m)
		}
	}

	return kept
}

// text reads a raw prompt: one of a chat template, or plain text. chat says which.
func (r reader) text(text string) (h envs.History, chat bool) {
	for _, t := range [...]chatTemplate{llama3, chatML} {
		if messages, ok := t.read(text); ok {
			return r.chat(messages), true
		}
	}

	return r.prompt(text), false
}
