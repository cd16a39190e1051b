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

// isWhole reports whether a turn's text says all that was sampled, by the texts of its tokens: a
// token must not be trained if a reader of the turn does not see its text. White space and empty
// tags around reasoning do not count.
func (p *Policy) isWhole(h envs.History, text string, sent Choice) bool {
	last := len(sent.Pieces) - 1
	if last < 0 || last+1 != len(sent.IDs) || sent.Ended {
		return false
	}

	raw := strings.Join(sent.Pieces, "")
	if p.options.Tools != nil && sent.Finish == FinishStop { // by a control token
		raw = strings.TrimSuffix(raw, sent.Pieces[last])
	}

	reasoning, content := plainParts(text)
	sampledReasoning, sampled := plainParts(action.Join("", raw))

	if reasoning != sampledReasoning {
		return false
	}

	if p.options.Tools == nil {
		_, kept := plainParts(sent.whole())
		if !strings.HasPrefix(sampled, kept) || sent.Finish == FinishLength && sampled != kept {
			return false
		}

		sampled = kept // what follows ended it
	}
	return p.options.ReadCalls == nil || p.says(h, sampled, action.ParseMessage(content))
}

// plainParts returns the parts of a text without the marks of invalid bytes, which texts of tokens
// leave out.
func plainParts(text string) (reasoning, content string) {
	reasoning, content = action.Part(strings.ReplaceAll(text, "\uFFFD", ""))
	return reasoning, strings.TrimSpace(content)
}

// says reports whether a text says a message and nothing else. Calls are read again, because a
// server may have changed arguments, and leaves out what is beside or behind calls.
func (p *Policy) says(h envs.History, text string, m action.Message) bool {
	for _, call := range m.Calls {
		read, end := p.options.ReadCalls(h, text)
		if len(read.Calls) == 0 || strings.TrimSpace(read.Content) != strings.TrimSpace(m.Content) {
			return false
		}

		read.Calls = read.Calls[:1]
		if action.ParseMessage(read.Text()).Calls[0] != call { // in the form of texts, white space and all
			return false
		}

		text, m.Content = text[end:], ""
	}
	return strings.TrimSpace(text) == strings.TrimSpace(m.Content)
}
