package simserver

import (
	"encoding/json"
	"time"

	"toolevo/envs"
	"toolevo/envs/action"
)

// ReadText reads a raw prompt.
func ReadText(codec action.Codec, text string) envs.History {
	h, _ := reader{codec}.text(text)
	return h
}

// ReadChat reads a chat of roles and contents in alternation.
func ReadChat(codec action.Codec, pairs ...string) envs.History {
	return reader{codec}.chat(chatOf(pairs))
}

// ReadMessages reads the messages of a chat in JSON; rendered is how they look between tools, one a
// line.
func ReadMessages(codec action.Codec, messages, tools string) (h envs.History, rendered string, err error) {
	var list []message
	if err := json.Unmarshal([]byte(messages), &list); err != nil {
		return h, "", err
	}

	u := &toolUse{}
	if err := json.Unmarshal([]byte(tools), &u.tools); err != nil {
		return h, "", err
	}
	return reader{codec}.chat(list), renderChat(u.shown(list)), nil
}

// RenderChat renders such a chat by the server's own template.
func RenderChat(pairs ...string) string { return renderChat(chatOf(pairs)) }

func chatOf(pairs []string) []message {
	var m []message
	for i := 0; i+1 < len(pairs); i += 2 {
		m = append(m, message{Role: pairs[i], Content: messageText(pairs[i+1])})
	}
	return m
}

// Occupied is the share of the time from First to Now that the slots were in use, on average.
func (s Stats) Occupied() float64 {
	if s.First.IsZero() || !s.Now.After(s.First) {
		return 0
	}

	var busy time.Duration
	for _, b := range s.Busy {
		busy += b
	}
	return float64(busy) / float64(s.Now.Sub(s.First)) / float64(len(s.Busy))
}

// SlotStates tells how many tokens of prompts each slot holds or, while it runs, held before, and
// which slots are in use.
func (s *Server) SlotStates() (held []int, running []bool) {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()

	held, running = make([]int, s.o.Slots), make([]bool, s.o.Slots)
	for i := range held {
		held[i] = len(s.engine.prompts.held[i])
	}

	for q := range s.engine.running {
		running[q.slot] = true
	}
	return held, running
}
