package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/mcts"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/prompt"
)

// toolRole is the role that answers a tool call in OpenAI's chat API.
const toolRole = "tool"

// chatMessage is a message of OpenAI's chat API, as [chat.Messages] sends it: an observation is a
// user's message, or a tool's where it answers a tool call.
type chatMessage struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`   // of an assistant; at most one
	ToolCallID string     `json:"tool_call_id,omitempty"` // of a tool: which call it answers
	Weight     *int       `json:"weight,omitempty"`       // 0 where an assistant's message is not to be trained
}

// toolCall is a call of a tool in OpenAI's chat API.
type toolCall struct {
	ID       string         `json:"id"`
	Type     string         `json:"type"` // "function"
	Function calledFunction `json:"function"`
}

// calledFunction is the function of a call and its arguments.
type calledFunction struct {
	Name      string    `json:"name"`
	Arguments arguments `json:"arguments"`
}

// arguments is the text of a JSON object, or that text as a JSON string. In a message it is written
// as that value: most templates encode what they are given, a string a second time.
type arguments string

// quote turns an object into a string. Messages may share calls, so what is a string stays one.
func (a *arguments) quote() {
	if strings.HasPrefix(string(*a), "{") {
		*a = arguments(pytext.AppendJSON(nil, string(*a)))
	}
}

// object returns the text of the object.
func (a arguments) object() (string, error) {
	if strings.HasPrefix(string(a), "{") {
		return string(a), nil
	}

	var text string
	err := json.Unmarshal([]byte(a), &text)
	return text, err
}

// MarshalJSON returns the value.
func (a arguments) MarshalJSON() ([]byte, error) { return []byte(a), nil }

// UnmarshalJSON keeps the value as written, numbers included.
func (a *arguments) UnmarshalJSON(text []byte) error {
	*a = arguments(text)
	return nil
}

// messages is the layout of OpenAI's chat API for a whole trajectory.
func messages(table string) layout {
	return layout{
		table: table,
		write: func(s *Sample) record {
			return record{Messages: toChat(s.System, s.Conversations), Tools: s.Tools}
		},
		read: func(r *record) (Sample, error) {
			s := Sample{Tools: r.Tools}
			return s, s.readChat(r.Messages)
		},
	}
}

// tagged is the same for LLaMA-Factory, whose formatting openai would add a line to system texts.
func tagged(table string) layout {
	l := messages(table)
	l.tags = map[string]string{
		"role_tag": "role", "content_tag": "content", "user_tag": chat.UserRole, "assistant_tag": chat.AssistantRole,
		"observation_tag": toolRole, "function_tag": FunctionCall, "system_tag": chat.SystemRole,
	}

	return l
}

// completions is the layout of OpenAI's chat API, with the columns that TRL knows, for what is read
// and one reply.
func completions(table string) layout {
	return layout{
		table: table,
		write: func(s *Sample) record {
			all := toChat(s.System, s.Conversations)
			last := len(all) - 1
			return record{
				Prompt: all[:last], Completion: all[last:], Tools: s.Tools, Good: s.Good,
				PromptTokenIDs: s.IDs.Prompt, CompletionTokenIDs: s.IDs.Sampled, CompletionLogProbs: s.IDs.LogProbs,
			}
		},
		read: func(r *record) (Sample, error) {
			s := Sample{Tools: r.Tools, Good: r.Good, IDs: mcts.TokenIDs{
				Prompt: r.PromptTokenIDs, Sampled: r.CompletionTokenIDs, LogProbs: r.CompletionLogProbs,
			}}
			return s, s.readChat(append(r.Prompt, r.Completion...))
		},
	}
}

func toPair(s *Sample) record {
	all := append(s.Conversations[:len(s.Conversations):len(s.Conversations)], s.Chosen)
	better := toChat(s.System, all)
	all[len(all)-1] = s.Rejected
	worse := toChat(s.System, all)
	last := len(better) - 1

	return record{Prompt: better[:last], Better: better[last:], Worse: worse[last:], Tools: s.Tools}
}

func fromPair(r *record) (s Sample, err error) {
	s.Tools = r.Tools
	other := s

	if err := errors.Join(s.readChat(append(r.Prompt[:len(r.Prompt):len(r.Prompt)], r.Better...)),
		other.readChat(append(r.Prompt, r.Worse...))); err != nil {
		return s, err
	}

	if len(r.Better) != 1 || len(r.Worse) != 1 {
		return s, fmt.Errorf("%d chosen and %d rejected messages, want one each", len(r.Better), len(r.Worse))
	}

	last := len(s.Conversations) - 1
	s.Chosen, s.Rejected = s.Conversations[last], other.Conversations[last]
	s.Conversations = s.Conversations[:last]
	return s, nil
}

// toChat returns a conversation as messages of OpenAI's chat API.
func toChat(system string, conversation []Message) []chatMessage {
	all := make([]chatMessage, 0, len(conversation)+1)
	if system != "" {
		all = append(all, chatMessage{Role: chat.SystemRole, Content: system})
	}

	// The last calls, which an observation answers by their IDs. After a reply without calls it is
	// a message of the user, as it is for servers.
	var calls []toolCall

	for i, m := range conversation {
		switch {
		case m.From == FunctionCall:
			said := callMessage(i/2+1, m.Value)
			all, calls = append(all, said), said.ToolCalls
		case m.From == GPT:
			calls = nil
			all = append(all, chatMessage{Role: chat.AssistantRole, Content: m.Value})
		case m.From == Observation && calls != nil:
			for j, result := range action.SplitResults(m.Value, len(calls)) {
				all = append(all, chatMessage{Role: toolRole, Content: result, ToolCallID: calls[j].ID})
			}
		case m.From == Observation:
			all = append(all, chatMessage{Role: chat.UserRole, Content: prompt.ObservationText(m.Value)})
		default:
			all = append(all, chatMessage{Role: chat.UserRole, Content: m.Value})
		}

		// Only replies are untrained, and each is one message.
		if m.Untrained {
			all[len(all)-1].Weight = new(int)
		}
	}
	return all
}

// callMessage returns the message of a turn's function calls, which [replyOf] wrote. Turns count
// from 1.
func callMessage(turn int, value string) chatMessage {
	beside, _, calls, _ := readCalls(value)
	m := chatMessage{Role: chat.AssistantRole, Content: beside}

	for i, c := range calls {
		m.ToolCalls = append(m.ToolCalls, toolCall{
			action.CallID(turn, i+1), "function",
			calledFunction{c.Name, arguments(pytext.AppendJSON(nil, c.Args))},
		})
	}

	return m
}

// readChat is the inverse of toChat. It keeps roles that it does not know, for the linter to find.
func (s *Sample) readChat(all []chatMessage) error {
	if len(all) > 0 && all[0].Role == chat.SystemRole {
		s.System, all = all[0].Content, all[1:]
	}

	for i, m := range all {
		read := Message{From: m.Role, Value: m.Content}

		switch {
		case m.Role == chat.AssistantRole && len(m.ToolCalls) > 0:
			calls, err := m.calls()
			if err != nil {
				return fmt.Errorf("message %d: %w", i, err)
			}

			read = Message{From: FunctionCall, Value: callsText(m.Content, s.Tools != "", calls...)}
		case m.Role == chat.AssistantRole:
			read.From = GPT
		case m.Role == chat.UserRole && i == 0:
			read.From = Human
		// The results of several calls are messages of their own, and one observation.
		case m.Role == toolRole && i > 0 && all[i-1].Role == toolRole:
			last := &s.Conversations[len(s.Conversations)-1]
			last.Value = action.JoinResults([]string{last.Value, m.Content})

			continue
		case m.Role == toolRole:
			read.From = Observation
		// A user who says anything else has no place in a sample, and the marker would be lost.
		case m.Role == chat.UserRole:
			text, found := strings.CutPrefix(m.Content, action.ObservationMarker+" ")
			if !found {
				return fmt.Errorf("message %d of the user does not begin with %q", i, action.ObservationMarker)
			}

			read = Message{From: Observation, Value: text}
		}

		read.Untrained = m.Weight != nil
		s.Conversations = append(s.Conversations, read)
	}
	return nil
}

// calls returns the calls of a message.
func (m *chatMessage) calls() ([]envs.Call, error) {
	all := make([]envs.Call, len(m.ToolCalls))

	for i, c := range m.ToolCalls {
		object, err := c.Function.Arguments.object()
		arguments, _, decodeErr := pytext.DecodeObject(object)

		if err := errors.Join(err, decodeErr); err != nil {
			return nil, fmt.Errorf("arguments of %s: %w", c.Function.Name, err)
		}

		all[i] = envs.Call{Name: c.Function.Name, Args: arguments}
	}
	return all, nil
}
