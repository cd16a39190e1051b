package export

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"toolevo/envs/action"
	"toolevo/envs/memo"
	"toolevo/envs/toolapi"
	"toolevo/mcts"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/prompt"
	"toolevo/trajectories"
)

// The roles of a sample's messages. Human and observation are read, gpt and function_call are
// written by the model. A function call holds JSON, which LLaMA-Factory writes as the model's
// template has it.
const (
	Human        = "human"
	GPT          = "gpt"
	FunctionCall = "function_call"
	Observation  = "observation"
)

// Sample is one unit of training data, the same whoever reads it. The format decides what its
// messages are.
type Sample struct {
	System        string    `json:"system"`
	Conversations []Message `json:"conversations"`

	// Tools is the list, in JSON, of OpenAI's functions that the model was given beside its
	// messages.
	Tools string `json:"tools,omitempty"`

	Nodes []Node `json:"nodes,omitempty"` // of a tree: all below the question, parents first

	// In formats with pairs, two replies to the conversation.
	Chosen   Message `json:"chosen,omitzero"`
	Rejected Message `json:"rejected,omitzero"`

	Good bool `json:"good,omitempty"` // in KTO, whether the last reply is good

	// Once says that no prompt showed the reasoning of an earlier reply. Conversations holds it
	// all the same.
	Once bool `json:"-"`

	// Lists are the tools before each reply of a trajectory; nil if they never changed.
	Lists []string `json:"-"`

	IDs mcts.TokenIDs `json:"-"` // of the prompt and the reply of a single step, if asked for
}

// Message is one message of a sample.
type Message struct {
	From  string `json:"from"`
	Value string `json:"value"`

	// whether no model should learn it, though the model of the trajectory wrote it
	Untrained bool `json:"-"`
}

// isReply reports whether the model wrote the message.
func (m Message) isReply() bool { return m.From == GPT || m.From == FunctionCall }

// NewSample returns the sample of a trajectory: the question, then the model's texts and the
// observations in turn, each as package chat sends it when the model is evaluated. The last
// observation, the verdict on the answer, is left out. The sanitizer breaks control tokens and
// slots in the question and the observations; broken counts the messages it changed. The model's
// texts are trimmed, and otherwise left as generated, except that calls of the codecs of function
// calls and of tools are rewritten.
func NewSample(shown trajectories.Shown, row *trajectories.Row, clean *chat.Sanitizer) (s Sample, broken int) {
	s = Sample{System: shown.System, Conversations: make([]Message, 0, 2*len(row.Turns))}
	if action.IsNative(shown.Codec) {
		s.Tools = toolapi.FunctionList(shown.Tools)
	}

	// A question's own tools are described by others, whose texts may hold anything.
	if row.Tools != "" {
		s.System, s.Tools = clean.Clean(s.System), clean.Clean(s.Tools)
	}

	s.followTools(shown, row, clean)

	read := func(from, text string, changed bool) {
		s.Conversations = append(s.Conversations, Message{From: from, Value: text})

		if changed {
			broken++
		}
	}
	question, changed := chat.QuestionText(row.Question, clean)
	read(Human, question, changed)

	// The last observation would tell the model whether its answer was right.
	for i, t := range row.Turns {
		s.Conversations = append(s.Conversations, replyOf(t.Action, shown.Codec))
		if i < len(row.Turns)-1 {
			observation, changed := observationOf(&t, shown.Codec, clean)
			read(Observation, observation, changed)
		}
	}

	return s, broken
}

// followTools keeps the tools that were sent before each reply, if they changed.
func (s *Sample) followTools(shown trajectories.Shown, row *trajectories.Row, clean *chat.Sanitizer) {
	if !shown.Changes(row) {
		return
	}

	for _, h := range row.Histories()[:len(row.Turns)] {
		list := toolapi.FunctionList(shown.ToolsAfter(h))
		if row.Tools != "" {
			list = clean.Clean(list)
		}

		s.Lists = append(s.Lists, list)
	}
}

// toolsAt returns the tools that were sent before reply i of a trajectory.
func (s *Sample) toolsAt(i int) string {
	if s.Lists == nil {
		return s.Tools
	}
	return s.Lists[i]
}

// stepsAlone says why only single steps of a trajectory are what a prompt showed, or "" if the
// whole is.
func (s *Sample) stepsAlone() string {
	switch {
	case s.Once && s.hasReasoning():
		return "reasons before it answers, and no prompt showed it the reasoning of an earlier turn " +
			"(server.reasoning is once)"
	case s.Lists != nil:
		return "was sent another list of tools in the midst of a trajectory (environment.tool_list)"
	}

	return ""
}

// replyOf returns the message of an action. Text without a call stays text.
func replyOf(text string, codec action.Codec) Message {
	text = chat.ReplyText(text)

	switch codec := codec.(type) {
	case action.FunctionCall:
		if call, err := codec.Parse(text); err == nil {
			return Message{From: FunctionCall, Value: callsText(codec.Thought(text), false, call)}
		}
	case action.Tools:
		return replies.Get(text, nativeReply)
	}

	return Message{From: GPT, Value: text}
}

// replies remembers the messages of native replies, whose calls are rewritten, as trajectories of a
// tree share their turns.
var replies memo.Memo[Message]

func nativeReply(text string) Message {
	said, calls := action.Tools{}.Said(text)
	if len(calls) == 0 {
		return Message{From: GPT, Value: said.Content}
	}
	return Message{From: FunctionCall, Value: callsText(said.Content, true, calls...)}
}

// observationOf returns the observation of a turn, with the result of each call sanitised by
// itself.
func observationOf(t *trajectories.Turn, codec action.Codec, clean *chat.Sanitizer) (text string, broken bool) {
	results := action.Results(action.OrDefault(codec), chat.ReplyText(t.Action), t.Observation)
	for i := range results {
		var changed bool
		results[i], changed = chat.ObservationText(results[i], clean)
		broken = broken || changed
	}

	return action.JoinResults(results), broken
}

// allMessages returns the messages of the conversation, and of the nodes of a tree.
func (s *Sample) allMessages() []Message {
	all := slices.Clone(s.Conversations)
	for _, n := range s.Nodes {
		all = append(all, n.Messages...)
	}
	return all
}

// sum returns a hash that is equal for samples that are trained in the same way.
func (s *Sample) sum() (sum [sha256.Size]byte) {
	h := sha256.New()
	fmt.Fprintf(h, "%t %v %d:%s%d:%s", s.Good, s.Nodes, len(s.System), s.System, len(s.Tools), s.Tools)

	for _, m := range append(slices.Clip(s.Conversations), s.Chosen, s.Rejected) {
		fmt.Fprintf(h, "%d:%s%d:%s", len(m.From), m.From, len(m.Value), m.Value)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// dropMarker removes this program's marker of questions, which other programs do not send.
func (s *Sample) dropMarker() {
	s.Conversations[0].Value = strings.TrimPrefix(s.Conversations[0].Value, prompt.QuestionMarker+" ")
}

// state returns the conversation before action i, from 0, as the model was shown it.
func (s *Sample) state(i int) []Message {
	before := s.Conversations[: 2*i+1 : 2*i+1]
	if !s.Once {
		return before
	}

	before = slices.Clone(before)
	for i := range before {
		if before[i].isReply() {
			_, before[i].Value = action.Part(before[i].Value)
		}
	}

	return before
}

// hasCalls reports whether a reply is a function call.
func (s *Sample) hasCalls() bool {
	isCall := func(m Message) bool { return m.From == FunctionCall }
	return isCall(s.Chosen) || isCall(s.Rejected) || slices.ContainsFunc(s.allMessages(), isCall)
}

// hasReasoning reports whether any reply has reasoning.
func (s *Sample) hasReasoning() bool {
	return slices.ContainsFunc(s.Conversations, func(m Message) bool {
		_, content := action.Part(m.Value)
		return m.isReply() && content != m.Value
	})
}

// reply returns action i of a trajectory.
func (s *Sample) reply(i int) Message { return s.Conversations[2*i+1] }

// step returns the sample of action i, from 0, of a trajectory.
func (s *Sample) step(i int) Sample {
	return Sample{System: s.System, Tools: s.toolsAt(i), Conversations: append(s.state(i), s.reply(i))}
}

// transcript returns everything after the question as one message, as a plain prompt would show it.
func (s *Sample) transcript() Message {
	var all []string

	for _, m := range s.Conversations[1:] {
		switch m.From {
		case Observation:
			all = append(all, prompt.ObservationText(m.Value))
		default:
			all = append(all, m.untagged())
		}
	}

	return Message{From: GPT, Value: strings.Join(all, "\n\n")}
}
