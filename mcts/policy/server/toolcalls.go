package server

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/names"
	"toolevo/mcts/policy/toolcalls"
)

// ToolCalls say how a server is asked for native calls.
type ToolCalls struct {
	Calls    string `yaml:"calls"`    // who reads them: CallsAuto, CallsOfServer, or one of our parsers
	Choice   string `yaml:"choice"`   // of tool_choice
	Parallel string `yaml:"parallel"` // of parallel_tool_calls: ParallelUnset, "true" or "false"
	Ask      string `yaml:"ask"`      // with what: AskMessages or AskTokens
}

// Who reads native calls, beside [toolcalls.Parsers].
const (
	CallsAuto     = "auto"   // the server if it is sent messages, and otherwise the parser of the form
	CallsOfServer = "server" // which parses them out of the text
)

// ChoiceRequired makes a model call a tool in every turn, which servers do by a grammar of the
// listed names.
const ChoiceRequired = "required"

// What a server that applies the model's template is asked with.
const (
	AskMessages = "messages" // and the tools
	AskTokens   = "tokens"   // that the server made of both, so that it sends back what the model wrote
)

// ParallelUnset sends no parallel_tool_calls.
const ParallelUnset = "unset"

// Validate returns the first setting that makes no sense, and why.
func (t ToolCalls) Validate() (setting string, err error) {
	readers := []string{CallsAuto, CallsOfServer}
	for _, p := range toolcalls.Parsers() {
		readers = append(readers, string(p))
	}

	if _, err = names.Parse("reader of tool calls", t.Calls, readers); err != nil {
		return "calls", err
	}

	if _, err = names.Parse("tool choice", t.Choice, []string{"auto", ChoiceRequired, "none"}); err != nil {
		return "choice", err
	}

	if _, err = names.Parse("value", t.Parallel, []string{ParallelUnset, "true", "false"}); err != nil {
		return "parallel", err
	}

	if _, err = names.Parse("way to ask", t.Ask, []string{AskMessages, AskTokens}); err != nil {
		return "ask", err
	}

	if _, ours := t.Parser(); t.Ask == AskTokens && !ours {
		return "ask", fmt.Errorf("%s come back as text: name one of %v in server.tools.calls", AskTokens,
			toolcalls.Parsers())
	}
	return "", nil
}

// Parser is which of our parsers reads the calls, if one is named.
func (t ToolCalls) Parser() (p toolcalls.Parser, ok bool) {
	p = toolcalls.Parser(t.Calls)
	return p, slices.Contains(toolcalls.Parsers(), p)
}

// TemplateArguments are arguments of the chat template that a server applies, by name, such as
// enable_thinking: false.
type TemplateArguments map[string]string

// Values returns the arguments as they are sent: booleans and numbers as such, anything else as
// text.
func (a TemplateArguments) Values() map[string]any {
	values := make(map[string]any, len(a))

	for name, text := range a {
		values[name] = text

		var plain any
		if json.Unmarshal([]byte(text), &plain) == nil {
			switch plain.(type) {
			case bool, float64:
				values[name] = json.RawMessage(text)
			}
		}
	}

	return values
}

// readCalls returns a sample as a message. The calls are the server's, or are read here. Calls
// behind those that are played are counted; the tokens behind a single one do not count. The last
// of several may be cut.
func (p *Policy) readCalls(h envs.History, c Choice) Choice {
	m := action.Message{Content: c.Text}
	if p.options.Tools != nil {
		m = action.ParseMessage(c.Text)
	}

	if len(m.Calls) == 0 && !p.options.ServerCalls {
		c.Reasoning, m.Content = action.Part(action.Join(c.Reasoning, m.Content))
		m, _ = p.options.ReadCalls(h, m.Content)
		m.Cut = len(m.Calls) == 0 && c.Finish == FinishLength // a call that is cut is not read
	}

	// Only without a call: calls are written anew from their parts.
	if len(m.Calls) == 0 && p.options.Break != nil {
		m.Content = p.options.Break(m.Content)
	}

	c.Text = m.Text()

	played := min(len(m.Calls), max(1, p.options.MostCalls))
	// Whether the model had ended the last call is not known.
	if played > 1 && played == len(m.Calls) && c.Finish == FinishLength {
		played--
		c.Text = action.Message{Content: m.Content, Calls: m.Calls[:played]}.Text()
	}

	if behind := len(m.Calls) - played; behind > 0 {
		p.calls.count(func(n *Counts) { n.CallsBehind += int64(behind) })
	}

	// The prior is that of the call that is played, not of what else the model wrote behind it.
	if played == 1 && len(c.Pieces) == len(c.LogProbs) {
		_, end := p.options.ReadCalls(h, strings.Join(c.Pieces, ""))
		c.LogProbs = c.LogProbs[:tokensOf(c.Pieces, end)]
	}
	return c
}

// tokensOf returns how many of the first tokens it takes to write a number of bytes.
func tokensOf(pieces []string, bytes int) (n int) {
	for length := 0; n < len(pieces) && length < bytes; n++ {
		length += len(pieces[n])
	}
	return n
}
