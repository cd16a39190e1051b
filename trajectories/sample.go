package trajectories

import (
	"strings"

	"toolevo/trajectories/internal/pq"
)

// The roles of a sample's messages. Human and observation are read, gpt is trained.
const (
	Human       = "human"
	GPT         = "gpt"
	Observation = "observation"
)

// Sample is one trajectory as LLaMA-Factory reads it (sharegpt): the loss falls on the gpt messages and on nothing
// else.
type Sample struct {
	System        string    `json:"system"`
	Conversations []Message `json:"conversations"`
}

// Message is one message of a sample.
type Message struct {
	From  string `json:"from"`
	Value string `json:"value"`
}

var sampleColumns = []pq.Column[Sample]{
	pq.Text("system", "guidelines and tools of the prompt version", func(s *Sample) *string { return &s.System }).Repeating(),
	pq.List("conversations", "the messages", func(s *Sample) *[]Message { return &s.Conversations }, []pq.Column[Message]{
		pq.Text("from", "who says it", func(m *Message) *string { return &m.From }).Repeating(),
		pq.Text("value", "what is said", func(m *Message) *string { return &m.Value }),
	}),
}

// NewSample returns the sample of a row: the question as "Question: …", then the model's texts and the observations in
// turn, all trimmed. The last observation, the verdict on the answer, is left out. Control tokens and slots in the
// question and the observations are broken by the sanitizer; broken counts the messages it changed. The model's texts
// are as they were generated.
func NewSample(system string, row *Row, clean *Sanitizer) (sample Sample, broken int) {
	read := func(from, text string) Message {
		text = strings.TrimSpace(text)
		cleaned := clean.Clean(text)
		if cleaned != text {
			broken++
		}
		return Message{From: from, Value: cleaned}
	}
	sample.System = system
	sample.Conversations = make([]Message, 0, 2*len(row.Turns))
	sample.Conversations = append(sample.Conversations, read(Human, "Question: "+strings.TrimSpace(row.Question)))
	for i, t := range row.Turns {
		sample.Conversations = append(sample.Conversations, Message{From: GPT, Value: strings.TrimSpace(t.Action)})
		if i < len(row.Turns)-1 {
			sample.Conversations = append(sample.Conversations, read(Observation, t.Observation))
		}
	}
	return sample, broken
}
