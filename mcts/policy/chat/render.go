package chat

import (
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts/policy/prompt"
)

// QuestionText returns the text of the message that asks the question, and whether the sanitizer
// changed it.
func QuestionText(question string, clean *Sanitizer) (text string, broken bool) {
	return cleanText(prompt.QuestionText(question), clean)
}

// ObservationText returns the text of an observation's message, and whether the sanitizer changed
// it.
func ObservationText(observation string, clean *Sanitizer) (text string, broken bool) {
	return cleanText(observation, clean)
}

// ReplyText returns the text of the message that the model wrote.
func ReplyText(action string) string {
	// What is sent and what is stored can only be UTF-8.
	return strings.TrimSpace(strings.ToValidUTF8(action, "\uFFFD"))
}

func cleanText(text string, clean *Sanitizer) (cleaned string, broken bool) {
	text = ReplyText(text)
	cleaned = clean.Clean(text)
	return cleaned, cleaned != text
}

// Render returns the conversation of a history up to where the model's next reply begins, for a
// server that completes raw text: all of it, as the model was trained on it; see [Template.Sent].
// The sanitizer is that of the export the model was trained on, or one without extra tokens.
func (t Template) Render(system string, h envs.History, clean *Sanitizer) string {
	question, _ := QuestionText(h.Task().Question, clean)
	turns := h.Turns()

	pieces := append(make([]string, 0, 3+2*len(turns)), t.bos, t.System(system), t.User(question))
	for _, turn := range turns {
		observation, _ := ObservationText(turn.Observation, clean)
		pieces = append(pieces, t.Reply(ReplyText(string(turn.Action))), t.Observation(observation))
	}

	return strings.Join(pieces, "")
}

// The roles of messages. Observations have no role of their own: the templates that servers apply
// differ in what they make of it, and many render nothing at all.
const (
	SystemRole    = "system"
	UserRole      = "user"
	AssistantRole = "assistant"
	ToolRole      = "tool" // only with native calls: all templates with tools render it
)

// Message is one message for a server that applies the model's chat template itself.
type Message struct {
	Role    string // SystemRole, UserRole or AssistantRole; ToolRole with native calls
	Content string

	Calls  []Call `json:",omitempty"` // of the assistant; nil if it calls nothing
	CallID string `json:",omitempty"` // of a tool: the call that it answers
}

// Call is a native tool call of a message.
type Call struct {
	ID string // see [action.CallID]
	action.ToolCall
}

// Messages returns the conversation of a history for a server that applies the model's chat
// template itself: the system text, if any, then user and assistant in turn, the last one user's.
// An observation is a user message that begins with action.ObservationMarker, as the format in the
// system text announces it. The texts are those of [Template.Render].
//
// It is for instruct models as they come. A checkpoint trained on an export has seen its
// observations in another form, so it wants [Template.Render].
func Messages(system string, h envs.History, clean *Sanitizer) []Message {
	return conversation(system, h, clean, func(_ int, written, observation string) []Message {
		return plainTurn(written, observation, clean)
	})
}

// plainTurn returns the messages of a turn without a native call.
func plainTurn(written, observation string, clean *Sanitizer) []Message {
	observation, _ = ObservationText(observation, clean)
	return []Message{
		{Role: AssistantRole, Content: written}, {Role: UserRole, Content: prompt.ObservationText(observation)},
	}
}

// ToolMessages is [Messages] for a server that is sent tools. Calls are those of the message, and
// the result of each is a tool's message; a turn without a playable call is written as text.
func ToolMessages(system string, h envs.History, clean *Sanitizer) []Message {
	return conversation(system, h, clean, func(number int, written, observation string) []Message {
		m := action.Tools{}.Message(written)
		if len(m.Calls) == 0 {
			return plainTurn(m.Content, observation, clean)
		}

		messages := []Message{{Role: AssistantRole, Content: m.Content}}

		for i, result := range action.SplitResults(observation, len(m.Calls)) {
			id := action.CallID(number, i+1)
			result, _ = ObservationText(result, clean)
			messages[0].Calls = append(messages[0].Calls, Call{id, m.Calls[i]})
			messages = append(messages, Message{Role: ToolRole, Content: result, CallID: id})
		}

		return messages
	})
}

// conversation returns the messages of a history whose turns are counted from 1.
func conversation(
	system string, h envs.History, clean *Sanitizer,
	turnMessages func(number int, written, observation string) []Message,
) []Message {
	turns := h.Turns()

	messages := make([]Message, 0, 2+2*len(turns))
	if system != "" {
		messages = append(messages, Message{Role: SystemRole, Content: system})
	}

	question, _ := QuestionText(h.Task().Question, clean)
	messages = append(messages, Message{Role: UserRole, Content: question})

	for i, turn := range turns {
		messages = append(messages,
			turnMessages(i+1, ReplyText(string(turn.Action)), turn.Observation)...)
	}
	return messages
}
