package server

import (
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts"
)

// keepIDs keeps the token ids of a sample, as it was sent, with the proposal that was made of it.
func (p *Policy) keepIDs(h envs.History, proposed *mcts.Proposal, sent Choice) {
	if len(sent.IDs) == 0 {
		return // of an empty reply
	}

	t := mcts.TokenIDs{Sampled: sent.IDs, LogProbs: sent.LogProbs, Whole: p.isWhole(h, proposed.Text, sent)}
	proposed.PromptIDs, proposed.Sampled = mcts.PackIDs(sent.PromptIDs), t.PackSampled()
}

// isWhole reports whether a turn's text says all that was sampled: nobody trains tokens whose text no reader of the
// turn sees. White space and empty tags around reasoning say nothing.
func (p *Policy) isWhole(h envs.History, text string, sent Choice) bool {
	whole, _ := p.written(sent, action.Show)
	reasoning, content := action.Part(text)
	sampledReasoning, sampledContent := action.Part(whole)

	switch {
	case sent.Ended || reasoning != sampledReasoning:
		return false
	case p.options.ReadCalls == nil:
		return content == sampledContent
	}

	return p.says(h, sent, action.ParseMessage(content))
}

// says reports whether the tokens of a sample say a message and nothing else: calls are read again in their texts,
// because a server may have changed arguments, and leaves out what stands beside or behind calls.
func (p *Policy) says(h envs.History, sent Choice, m action.Message) bool {
	raw := sent.whole()

	if p.options.Tools != nil { // else it is what the model wrote
		last := len(sent.Pieces) - 1
		if last < 0 || last+1 != len(sent.IDs) {
			return false
		}

		raw = strings.Join(sent.Pieces[:last], "")
		if sent.Finish != FinishStop { // and else by a token that is no text
			raw += sent.Pieces[last]
		}
	}

	_, beside := action.Part(action.Join("", raw))

	for _, call := range m.Calls {
		read, end := p.options.ReadCalls(h, raw)
		if len(read.Calls) == 0 || strings.TrimSpace(read.Content) != strings.TrimSpace(m.Content) {
			return false
		}

		read.Calls = read.Calls[:1]
		if action.ParseMessage(read.Text()).Calls[0] != call { // in the form of texts, white space and all
			return false
		}

		raw, beside, m.Content = raw[end:], raw[end:], ""
	}

	return strings.TrimSpace(beside) == strings.TrimSpace(m.Content)
}
