package export

import (
	"slices"

	"toolevo/trajectories/internal/pq"
)

// record is a sample as a file has it: the columns that a layout names, the others empty.
type record struct {
	system           string
	conversations    []Message
	chosen, rejected Message
	good             bool

	messages, prompt, completion []ChatMessage
	better, worse                []ChatMessage
}

// hasToolCalls reports whether a message of the record has one.
func (r *record) hasToolCalls() bool {
	for _, all := range [][]ChatMessage{r.messages, r.prompt, r.completion, r.better, r.worse} {
		if slices.ContainsFunc(all, func(m ChatMessage) bool { return len(m.ToolCalls) > 0 }) {
			return true
		}
	}

	return false
}

// layout is how the samples of a format stand in the files.
type layout struct {
	columns []pq.Column[record]
	write   func(*Sample) record
	read    func(*record) (Sample, error) // the inverse of write
}

// layoutOf returns the layout of a format for a trainer.
func layoutOf(f Format, t Trainer) layout {
	if f == OpenAI { // whose layout is its own
		t = TRL
	}

	return layouts[t](f)
}

var layouts = map[Trainer]func(Format) layout{LlamaFactory: sharegpt, TRL: messages}

var (
	systemColumn = pq.Text("system", "guidelines and tools of the prompt version",
		func(r *record) *string { return &r.system }).Repeating()
	conversationsColumn = pq.List("conversations", "the messages",
		func(r *record) *[]Message { return &r.conversations }, messageColumns)
	chosenColumn = pq.Struct("chosen", "the better reply",
		func(r *record) *Message { return &r.chosen }, messageColumns)
	rejectedColumn = pq.Struct("rejected", "the worse reply",
		func(r *record) *Message { return &r.rejected }, messageColumns)
	tagColumn = pq.Bool("kto_tag", "whether the last message is wanted", func(r *record) *bool { return &r.good })
)

var messageColumns = []pq.Column[Message]{
	pq.Text("from", "who says it", func(m *Message) *string { return &m.From }).Repeating(),
	pq.Text("value", "what is said", func(m *Message) *string { return &m.Value }),
}

// sharegpt is the layout that LLaMA-Factory reads.
func sharegpt(f Format) layout {
	l := layout{
		columns: []pq.Column[record]{systemColumn, conversationsColumn},
		write: func(s *Sample) record {
			return record{
				system: s.System, conversations: s.Conversations, chosen: s.Chosen, rejected: s.Rejected, good: s.Good,
			}
		},
		read: func(r *record) (Sample, error) {
			return Sample{
				System: r.system, Conversations: r.conversations, Chosen: r.chosen, Rejected: r.rejected, Good: r.good,
			}, nil
		},
	}

	switch {
	case forms[f].pairs:
		l.columns = append(l.columns, chosenColumn, rejectedColumn)
	case f == KTO:
		l.columns = append(l.columns, tagColumn)
	}

	return l
}
