package action

import (
	"fmt"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/memo"
	"toolevo/envs/pytext"
)

// Tools is the [Codec] of native tool calls: servers are sent a list of tools, and answer with a
// [Message]. With FinishText, a message that calls nothing is the answer, as with ordinary agents;
// otherwise it is malformed.
//
// Most is how many calls of a message are played, 0 being one: the first ones, as far as they can
// be read. Finish and UpdateTool are always the last, since calls after them would follow from an
// answer that nobody has seen.
type Tools struct {
	FinishText bool
	Most       int
}

// IsNative reports whether a codec is one of native calls.
func IsNative(c Codec) bool {
	_, ok := c.(Tools)
	return ok
}

// Message is what a model says in a turn when it is given tools: text, calls, or both.
type Message struct {
	Content string
	Calls   []ToolCall
	Cut     bool // it was cut at the limit of a completion, so nothing in it counts
}

// ToolCall is a call as a model wrote it.
type ToolCall struct {
	Name      string
	Arguments string // the text of a JSON object, unless the model wrote something else
}

// The members of a message, and of its calls.
const (
	memberContent   = "content"
	memberCalls     = "calls"
	memberCut       = "cut"
	memberName      = "name"
	memberArguments = "arguments"
)

// Text returns the message as the text of an action: one JSON object, in which the calls' arguments
// are objects if they can be read. Servers write numbers, texts and the order of members in their
// own ways, and all of it is kept except the space in between. An empty message is "".
func (m Message) Text() string {
	if m.Content == "" && len(m.Calls) == 0 {
		return ""
	}

	calls := make([]any, len(m.Calls))

	for i, c := range m.Calls {
		var arguments any = c.Arguments
		if strings.TrimSpace(c.Arguments) == "" { // of a tool without parameters
			arguments = envs.Args{}
		}

		object, rest, err := pytext.DecodeObject(c.Arguments)
		if err == nil && strings.TrimSpace(rest) == "" {
			arguments = object
		}

		calls[i] = envs.Object(memberName, c.Name, memberArguments, arguments)
	}
	return messageText(m.Content, calls, m.Cut)
}

func messageText(content string, calls []any, cut bool) string {
	members := make(envs.Args, 0, 2)
	if content != "" || len(calls) == 0 {
		members = append(members, envs.Arg{Name: memberContent, Value: content})
	}

	if len(calls) > 0 {
		members = append(members, envs.Arg{Name: memberCalls, Value: calls})
	}

	if cut {
		members = append(members, envs.Arg{Name: memberCut, Value: true})
	}

	// A tag in a text must not end the reasoning before it.
	return strings.ReplaceAll(pytext.JSON(members), thinkEndTag, `\u003c`+thinkEndTag[1:])
}

// Unread returns the message with its calls as JSON texts in its content, so that nothing in it is
// a call.
func (m Message) Unread() Message {
	parts := make([]string, 0, 1+len(m.Calls))
	if m.Content != "" {
		parts = append(parts, m.Content)
	}

	for _, c := range m.Calls {
		arguments := c.Arguments
		if _, err := pytext.Decode(arguments); err != nil {
			arguments = pytext.JSON(arguments)
		}

		call := fmt.Sprintf(`{"name": %s, "arguments": %s}`, pytext.JSON(c.Name), arguments)
		parts = append(parts, call)
	}
	return Message{Content: strings.Join(parts, "\n")}
}

// reading is what the text of an action consists of.
type reading struct {
	reasoning, content string
	calls              []any
	first              envs.Call // of them
	wrong              error     // why no call can be played
	whole              bool
}

// readings keeps the readings of texts: the turns of a tree are read for each of its trajectories.
var readings memo.Memo[reading]

// read returns the reading of a text, which must not be changed. A text that is not a message is
// content.
func read(text string) reading { return readings.Get(text, parse) }

func parse(text string) (s reading) {
	s.wrong = ErrMalformed
	s.reasoning, s.content = Part(text)

	members, rest, err := pytext.DecodeObject(s.content)
	if err != nil || strings.TrimSpace(rest) != "" {
		return s
	}

	content, hasContent := members.Text(memberContent)
	list, hasCalls := members.Get(memberCalls)

	if !hasContent && !hasCalls {
		return s
	}

	_, cut := members.Get(memberCut)
	s.content, s.whole = content, !cut

	if s.calls, _ = list.([]any); s.whole && len(s.calls) > 0 {
		s.first, s.wrong = readCall(s.calls[0])
	}
	return s
}

// Message returns the message of an action as later prompts have it: with its calls if they can be
// played, or else as content only. Reasoning is in its tags before the content.
func (Tools) Message(text string) Message {
	m, _ := Tools{}.Said(text)
	return m
}

// Said returns the message of an action, see [Tools.Message], and its calls as they are played.
func (Tools) Said(text string) (Message, []envs.Call) {
	s := read(text)
	m := s.message()

	var calls []envs.Call

	if s.wrong == nil {
		calls = s.playable(len(s.calls))
		m.Calls = m.Calls[:len(calls)]
	} else {
		m = m.Unread()
	}

	m.Content = FunctionCall{}.Think(s.reasoning, m.Content)
	return m, calls
}

// ParseMessage returns the message of a text that [Message.Text] wrote, with all its calls.
func ParseMessage(text string) Message {
	s := read(text)
	return s.message()
}

func (s *reading) message() Message {
	m := Message{Content: s.content, Cut: !s.whole}

	for _, c := range s.calls {
		m.Calls = append(m.Calls, toolCall(c))
	}
	return m
}

// playable returns the calls that can be played in a turn of at most most calls.
func (s *reading) playable(most int) (calls []envs.Call) {
	for i, member := range s.calls {
		c, err := s.first, s.wrong
		if i > 0 {
			c, err = readCall(member)
		}

		if err != nil || !s.whole || len(calls) == most {
			break
		}

		c.Args = slices.Clone(c.Args)
		if calls = append(calls, c); envs.IsSystem(c.Name) {
			break
		}
	}

	return calls
}

// calls returns the calls that are played.
func (t Tools) calls(s reading) ([]envs.Call, error) {
	switch {
	case t.answers(s):
		return []envs.Call{{
			Name: envs.FinishTool, Args: envs.Object("answer", strings.TrimSpace(s.content)),
		}}, nil
	case s.wrong != nil:
		return []envs.Call{{Name: s.first.Name, Args: slices.Clone(s.first.Args)}}, s.wrong
	}

	return s.playable(max(1, t.Most)), nil
}

// toolCall returns the call in a member of a message.
func toolCall(member any) (c ToolCall) {
	members, _ := member.(envs.Args)
	c.Name, _ = members.Text(memberName)

	switch arguments, _ := members.Get(memberArguments); arguments := arguments.(type) {
	case string:
		c.Arguments = arguments
	default:
		c.Arguments = pytext.JSON(arguments)
	}

	return c
}

// CanCall reports whether a tool of a name can be called natively: chat APIs take
// [A-Za-z0-9_-]{1,64}.
func CanCall(name string) bool {
	return name != "" && len(name) <= 64 && plain(strings.ReplaceAll(name, "-", "_"))
}

// readCall returns the call of a message.
func readCall(member any) (c envs.Call, err error) {
	members, _ := member.(envs.Args)
	name, _ := members.Text(memberName)
	arguments, _ := members.Get(memberArguments)

	if !CanCall(name) {
		return c, ErrMalformed
	}

	switch arguments := arguments.(type) {
	case envs.Args:
		return envs.Call{Name: name, Args: arguments}, nil
	case string:
		if _, err = pytext.Decode(arguments); err != nil {
			return envs.Call{Name: name}, err
		}
	}

	return c, ErrMalformed
}

// String implements [Codec].
func (Tools) String() string { return "tools" }

// Parse implements [Codec].
func (t Tools) Parse(text string) (envs.Call, error) {
	calls, err := t.calls(read(text))
	return calls[0], err
}

// answers reports whether the content is the answer.
func (t Tools) answers(s reading) bool {
	return t.FinishText && s.whole && len(s.calls) == 0 && strings.TrimSpace(s.content) != ""
}

// Thought implements [Codec].
func (t Tools) Thought(text string) string {
	s := read(text)
	if content := strings.TrimSpace(s.content); content != "" && !t.answers(s) {
		return content
	}
	return s.reasoning
}

// Trim implements [Codec]: calls after those that are played would follow from answers that the
// model has not seen.
func (t Tools) Trim(text string) string {
	s := read(text)
	if s.wrong != nil || len(s.calls) < 2 {
		return text
	}

	played := len(s.playable(max(1, t.Most)))
	if len(s.calls) <= played {
		return text
	}

	_, object := Part(text)
	return strings.TrimSuffix(text, object) + messageText(s.content, s.calls[:played], false)
}

// Format implements [Codec].
func (Tools) Format(thought string, c envs.Call) string {
	return messageText(thought, []any{envs.Object(memberName, c.Name, memberArguments, c.Args)}, false)
}

// Stop implements [Codec]. A server ends the turn.
func (Tools) Stop() []string { return nil }

// CallID returns the id of a call in prompts and samples, by its turn and its place in the turn,
// from 1. The ids of servers are random and say nothing. The templates of Mistral want nine letters
// and digits.
func CallID(turn, place int) string { return fmt.Sprintf("call%03d%02d", turn%1000, place%100) }

// betweenResults separates the answers to several calls of a turn. Templates in Qwen's form render
// it as several answers, and LLaMA-Factory joins consecutive answers in the same way.
const betweenResults = "\n" + resultEndTag + "\n<tool_response>\n"

const resultEndTag = "</tool_response>"

// NotRun is the answer to a call after one that failed or ended the task.
const NotRun = "This call was not run, because one before it failed or ended the task."

// OneResult returns one of several answers, changed so that it cannot pretend to be two.
func OneResult(text string) string {
	return strings.ReplaceAll(text, resultEndTag, "< "+resultEndTag[1:])
}

// JoinResults returns the observation of a turn of several calls.
func JoinResults(all []string) string { return strings.Join(all, betweenResults) }

// Results returns the answer to each call of an action.
func Results(codec Codec, text, observation string) []string {
	calls := 1
	if strings.Contains(observation, betweenResults) { // a single answer may hold it
		all, _ := Calls(codec, text)
		calls = len(all)
	}

	return SplitResults(observation, calls)
}

// Played returns the lines of a turn's key whose calls were run, at least one, and their answers.
// Only behind a call that failed, or ended the task, are others that were not.
func Played(key, observation string, outcome envs.Outcome) (lines, results []string) {
	lines = strings.Split(key, "\n")
	results = SplitResults(observation, len(lines))

	n := len(lines)
	for n > 1 && outcome != envs.OK && results[n-1] == NotRun {
		n--
	}
	return lines[:n], results[:n]
}

// SplitResults returns the answer to each call of a turn, or "" if it is missing. It is the inverse
// of [JoinResults].
func SplitResults(observation string, calls int) []string {
	return append(strings.SplitN(observation, betweenResults, calls), make([]string, calls)...)[:calls]
}
