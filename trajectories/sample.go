package trajectories

import (
	"toolevo/envs/action"
	"toolevo/mcts/policy/chat"
	"toolevo/trajectories/internal/pq"
)

// The roles of a sample's messages. Human and observation are read, gpt and function_call are trained. A function call
// holds JSON, which LLaMA-Factory writes as the model's template has it.
const (
	Human        = "human"
	GPT          = "gpt"
	FunctionCall = "function_call"
	Observation  = "observation"
)

// Sample is one trajectory as LLaMA-Factory reads it (sharegpt): the loss falls on the messages of the model and on
// nothing else.
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
	pq.Text("system", "guidelines and tools of the prompt version",
		func(s *Sample) *string { return &s.System }).Repeating(),
	pq.List("conversations", "the messages", func(s *Sample) *[]Message { return &s.Conversations },
		[]pq.Column[Message]{
			pq.Text("from", "who says it", func(m *Message) *string { return &m.From }).Repeating(),
			pq.Text("value", "what is said", func(m *Message) *string { return &m.Value }),
		}),
}

// NewSample returns the sample of a row: the question, then the model's texts and the observations in turn,
// each as the chat package has it when the model is evaluated. The last observation, the verdict on the
// answer, is left out. Control tokens and slots in the question and the observations are broken by the
// sanitizer; broken counts the messages it changed. The model's texts are trimmed, and else as they were
// generated, but for the calls of the codec of function calls: these are rewritten.
func NewSample(system string, row *Row, codec action.Codec, clean *chat.Sanitizer) (sample Sample, broken int) {
	sample.System = system
	sample.Conversations = make([]Message, 0, 2*len(row.Turns))
	read := func(from, text string, changed bool) {
		sample.Conversations = append(sample.Conversations, Message{From: from, Value: text})

		if changed {
			broken++
		}
	}
	question, changed := chat.QuestionText(row.Question, clean)
	read(Human, question, changed)

	for i, t := range row.Turns {
		sample.Conversations = append(sample.Conversations, replyOf(t.Action, codec))
		if i < len(row.Turns)-1 {
			observation, changed := chat.ObservationText(t.Observation, clean)
			read(Observation, observation, changed)
		}
	}

	return sample, broken
}

// replyOf returns the message of an action. Text without a call stays text.
func replyOf(text string, codec action.Codec) Message {
	text = chat.ReplyText(text)
	if codec == (action.FunctionCall{}) {
		if call, err := codec.Parse(text); err == nil {
			return Message{From: FunctionCall, Value: codec.Format(codec.Thought(text), call)}
		}
	}

	return Message{From: GPT, Value: text}
}
