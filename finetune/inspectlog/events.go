package inspectlog

import (
	"encoding/json"
	"fmt"
	"time"

	"toolevo/mcts/policy/chat"
	"toolevo/trajectories"
)

// moment is what all events have: which one it is, and when. No episode records when it did what,
// so that is the time at which the run began; the order is that of the list.
type moment struct {
	Event        string  `json:"event"`
	UUID         string  `json:"uuid"` // unique within the sample
	Timestamp    string  `json:"timestamp"`
	WorkingStart float64 `json:"working_start"`
}

// modelEvent is a reply of the model.
type modelEvent struct {
	moment
	Model      string     `json:"model"`
	Input      []struct{} `json:"input"`      // empty: InputRefs has it
	InputRefs  [][2]int   `json:"input_refs"` // from which to before which of the pool's messages
	Tools      []struct{} `json:"tools"`      // of the model's API: always empty
	ToolChoice string     `json:"tool_choice"`
	Config     struct{}   `json:"config"`
	Output     output     `json:"output"`
}

// toolEvent is a call of a tool and its result.
type toolEvent struct {
	moment
	ID        string          `json:"id"`
	Function  string          `json:"function"`
	Arguments json.RawMessage `json:"arguments"`
	Result    any             `json:"result"`
	Error     *toolError      `json:"error,omitempty"`
	MessageID string          `json:"message_id"`
}

// limitEvent is what truncated an episode.
type limitEvent struct {
	moment
	Type    string `json:"type"`
	Message string `json:"message"`
	Limit   int    `json:"limit"`
}

// errorEvent is what an episode was lost to.
type errorEvent struct {
	moment
	Error *failure `json:"error"`
}

// scoreEvent is a verdict.
type scoreEvent struct {
	moment
	Score  score  `json:"score"`
	Target string `json:"target"`
	Scorer string `json:"scorer"`
}

// pool holds the messages that events refer to.
type pool struct {
	Messages []message  `json:"messages"`
	Calls    []struct{} `json:"calls"`
}

// transcript fills in the events of a sample: what the model wrote after which messages, each call,
// and how it ended.
func (e *Evaluation) transcript(s *sample, played *trajectories.Episode) {
	// Events refer to the messages before them instead of repeating them, which would make a log
	// grow with the square of its turns.
	s.Events, s.EventsData = []any{}, pool{s.Messages, []struct{}{}}
	began := e.Began.UTC().Format(time.RFC3339)
	next := func(kind string) moment {
		return moment{kind, fmt.Sprintf("event_%d", len(s.Events)+1), began, 0}
	}
	add := func(event any) { s.Events = append(s.Events, event) }

	var calls map[string]toolCall // of the last reply

	for i, m := range s.Messages {
		switch m.Role {
		case chat.AssistantRole:
			add(modelEvent{
				moment: next("model"), Model: s.Output.Model,
				Input: []struct{}{}, InputRefs: [][2]int{{0, i}},
				Tools: []struct{}{}, ToolChoice: "none",
				Output: output{Model: s.Output.Model, Choices: []choice{{m, "stop"}}},
			})

			calls = map[string]toolCall{}
			for _, c := range m.ToolCalls {
				calls[c.ID] = c
			}
		case toolRole:
			add(toolEvent{
				moment: next("tool"), ID: m.ToolCallID, Function: m.Function,
				Arguments: calls[m.ToolCallID].Arguments, Result: m.Content,
				Error: m.Error, MessageID: m.ID,
			})
		}
	}

	// inspect_ai knows the limit "context" for samples, but not for events.
	if l := s.Limit; l != nil && l.Type != "context" {
		add(limitEvent{next("sample_limit"), l.Type, l.Reason, l.Limit})
	}

	// A lost episode ends with its error: it was never scored.
	if s.Error != nil {
		add(errorEvent{next("error"), s.Error})
		return
	}

	for _, scorer := range []string{officialScorer, strictScorer} {
		add(scoreEvent{next("score"), s.Scores[scorer], played.Gold, scorer})
	}
}
