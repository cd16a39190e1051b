package export

import (
	_ "embed"
	"slices"
	"sync"

	"toolevo/trajectories/internal/pq"
)

// record is a sample as a file has it: the columns that a layout names, the others empty.
type record struct {
	System           string
	Conversations    []Message
	Chosen, Rejected Message
	Good             bool

	Messages, Prompt, Completion []chatMessage
	Better, Worse                []chatMessage
}

// chats are the messages of the record.
func (r *record) chats() [][]chatMessage {
	return [][]chatMessage{r.Messages, r.Prompt, r.Completion, r.Better, r.Worse}
}

// quoteArguments makes the arguments of calls texts of JSON, where they are objects.
func (r *record) quoteArguments() {
	for _, all := range r.chats() {
		for _, m := range all {
			for i := range m.ToolCalls {
				m.ToolCalls[i].Function.Arguments.quote()
			}
		}
	}
}

// hasToolCalls reports whether a message of the record has one.
func (r *record) hasToolCalls() bool {
	for _, all := range r.chats() {
		if slices.ContainsFunc(all, func(m chatMessage) bool { return len(m.ToolCalls) > 0 }) {
			return true
		}
	}

	return false
}

// hasWeights reports whether a message of the record has one.
func (r *record) hasWeights() bool {
	return slices.ContainsFunc(r.Messages, func(m chatMessage) bool { return m.Weight != nil })
}

// layout is how the samples of a format stand in the files.
type layout struct {
	columns []pq.Column
	write   func(*Sample) record
	read    func(*record) (Sample, error) // the inverse of write
}

// columnsYAML describes the columns of all layouts.
//
//go:embed columns.yaml
var columnsYAML []byte

var tables = sync.OnceValue(func() map[string][]pq.Column { return pq.Tables(columnsYAML) })

// objects reports whether a file has columns of JSON, which datasets loads as objects where the card says so.
func (l *layout) objects() bool {
	return slices.ContainsFunc(l.columns, func(c pq.Column) bool { return c.JSON })
}

// layoutOf returns the layout of a format for a trainer.
func layoutOf(f Format, t Trainer) layout {
	owner := string(t)
	if f == OpenAI && t != TRL { // whose layout is its own
		owner, t = string(OpenAI), TRL
	}

	kind := "steps"

	switch {
	case forms[f].whole:
		kind = "whole"
	case forms[f].pairs:
		kind = "pairs"
	case f == KTO:
		kind = "judged"
	}

	l := layouts[t](f)
	l.columns = pq.Bind[record](tables(), tables()[owner+"-"+kind])

	return l
}

var layouts = map[Trainer]func(Format) layout{LlamaFactory: sharegpt, TRL: messages}

// sharegpt is the layout that LLaMA-Factory reads.
func sharegpt(Format) layout {
	return layout{
		write: func(s *Sample) record {
			return record{
				System: s.System, Conversations: s.Conversations, Chosen: s.Chosen, Rejected: s.Rejected, Good: s.Good,
			}
		},
		read: func(r *record) (Sample, error) {
			return Sample{
				System: r.System, Conversations: r.Conversations, Chosen: r.Chosen, Rejected: r.Rejected, Good: r.Good,
			}, nil
		},
	}
}
