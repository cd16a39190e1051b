package export

import (
	_ "embed"
	"slices"
	"sync"

	"toolevo/trajectories/internal/pq"
)

// record is a sample as files hold it: the columns that a layout names are filled, others empty.
type record struct {
	System, Tools    string
	Conversations    []Message
	Chosen, Rejected Message
	Good             bool

	Messages, Prompt, Completion []chatMessage
	Better, Worse                []chatMessage

	Nodes []chatNode

	PromptTokenIDs, CompletionTokenIDs []int
	CompletionLogProbs                 []float64
}

// chats returns all messages of the record.
func (r *record) chats() [][]chatMessage {
	all := [][]chatMessage{r.Messages, r.Prompt, r.Completion, r.Better, r.Worse}
	for _, n := range r.Nodes {
		all = append(all, n.Messages)
	}
	return all
}

// quoteArguments turns the arguments of calls into strings of JSON.
func (r *record) quoteArguments() {
	for _, all := range r.chats() {
		for _, m := range all {
			for i := range m.ToolCalls {
				m.ToolCalls[i].Function.Arguments.quote()
			}
		}
	}
}

// hasToolCalls reports whether any message of the record has tool calls.
func (r *record) hasToolCalls() bool {
	for _, all := range r.chats() {
		if slices.ContainsFunc(all, func(m chatMessage) bool { return len(m.ToolCalls) > 0 }) {
			return true
		}
	}

	return false
}

// hasWeights reports whether any message of the record has a weight.
func (r *record) hasWeights() bool {
	return slices.ContainsFunc(r.Messages, func(m chatMessage) bool { return m.Weight != nil })
}

// layout says how files hold the samples of a format.
type layout struct {
	table   string // of columns.yaml
	columns []pq.Column
	write   func(*Sample) record
	read    func(*record) (Sample, error) // the inverse of write

	// The names of parts of messages for dataset_info.json, if they are those of OpenAI's chat API.
	// All are given or none: giving any of them resets the others to nothing.
	tags map[string]string
}

// columnsYAML describes the columns of all layouts.
//
//go:embed columns.yaml
var columnsYAML []byte

var tables = sync.OnceValue(func() map[string][]pq.Column { return pq.Tables(columnsYAML) })

// objects reports whether a file has columns of JSON, which the library datasets loads as objects
// if the card says so.
func (l *layout) objects() bool {
	return slices.ContainsFunc(l.columns, func(c pq.Column) bool { return c.JSON })
}

// toolsColumn holds the tools that a model was given beside its messages.
const toolsColumn = "tools"

// idsColumns hold the ids of tokens and their log-probabilities.
var idsColumns = []string{"prompt_token_ids", "completion_token_ids", "completion_logprobs"}

// HasTokenIDs reports whether samples of a format for a trainer can have the ids of tokens.
func HasTokenIDs(f Format, t Trainer) bool {
	return slices.ContainsFunc(tables()[f.form().layouts[t].table],
		func(c pq.Column) bool { return c.Name == idsColumns[0] })
}

// layout returns how the files hold the samples.
func (m *Manifest) layout() layout {
	l := m.Format.form().layouts[m.Trainer]
	l.columns = pq.Bind[record](tables(), tables()[l.table])

	l.columns = pq.Without(l.columns, func(name string) bool {
		return !m.Tools && name == toolsColumn || !m.TokenIDs && slices.Contains(idsColumns, name)
	})
	return l
}

// shape says what the samples of a format consist of, and how the files of each trainer hold that.
type shape struct {
	whole  bool // a sample is a whole trajectory
	tree   bool // a sample is a search tree
	pairs  bool // a sample has a chosen and a rejected reply
	labels bool // a sample says whether its reply is wanted
	chat   bool // LLaMA-Factory, too, reads observations as messages of the user

	layouts map[Trainer]layout
}

// The shapes of samples.
var (
	wholeTrajectory = shape{whole: true, layouts: map[Trainer]layout{
		LlamaFactory: sharegpt("llamafactory-whole"), TRL: messages("trl-whole"),
	}}
	chatMessages = shape{whole: true, chat: true, layouts: map[Trainer]layout{
		LlamaFactory: tagged("openai-whole"), TRL: messages("trl-whole"),
	}}
	oneReply = shape{layouts: map[Trainer]layout{
		LlamaFactory: sharegpt("llamafactory-steps"), TRL: completions("trl-steps"),
	}}
	judgedReply = shape{labels: true, layouts: map[Trainer]layout{
		LlamaFactory: sharegpt("llamafactory-judged"), TRL: completions("trl-judged"),
	}}
	replyPair = shape{pairs: true, layouts: map[Trainer]layout{
		LlamaFactory: sharegpt("llamafactory-pairs"),
		TRL:          {table: "trl-pairs", write: toPair, read: fromPair},
	}}
)

// searchTree is the shape of trees. No trainer's own command reads it, so it is the same for all.
var searchTree = shape{tree: true, chat: true, layouts: map[Trainer]layout{
	LlamaFactory: {table: "tree", write: toTree, read: fromTree},
	TRL:          {table: "tree", write: toTree, read: fromTree},
}}

// sharegpt returns the layout that LLaMA-Factory reads.
func sharegpt(table string) layout {
	return layout{
		table: table,
		write: func(s *Sample) record {
			return record{
				System: s.System, Tools: s.Tools, Conversations: listCalls(s.forLlamaFactory()...),
				Chosen: listCalls(s.Chosen)[0], Rejected: listCalls(s.Rejected)[0], Good: s.Good,
			}
		},
		read: func(r *record) (Sample, error) {
			s := Sample{
				System: r.System, Tools: r.Tools, Conversations: unlistCalls(r.Conversations...),
				Chosen: unlistCalls(r.Chosen)[0], Rejected: unlistCalls(r.Rejected)[0], Good: r.Good,
			}
			s.fromLlamaFactory()

			return s, nil
		},
	}
}
