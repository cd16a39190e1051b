package server_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/policy/toolcalls"
)

// TestReadCalls holds what an action is of a reply with native calls, and what of its
// log-probabilities counts.
func TestReadCalls(t *testing.T) {
	const (
		tagged  = `<tool_call>{"name": "A", "arguments": {"x": 2.50}}</tool_call>`
		message = `{"content": "b", "calls": [{"name": "A", "arguments": {"x": 2.50}}]}`
		two     = `{"content": "b", "calls": [{"name": "A", "arguments": {"x": 2.50}}, {"name": "B", "arguments": {}}]}`
		second  = `<tool_call>{"name": "B", "arguments": {}}</tool_call>`
	)

	for name, test := range map[string]struct {
		choice   server.Choice
		messages bool // the server is sent messages, and else a text
		parsed   bool // by the server
		text     string
		kept     int // tokens
	}{
		"a server's": {server.Choice{Text: message, Pieces: []string{"b", tagged}}, true, true, message, 2},
		"a server's two": {
			server.Choice{Text: two, Pieces: []string{"b", tagged, "<tool_response>7</tool_response>", second}},
			true, true, two, 2,
		},
		"text at a server that parses": {
			server.Choice{Text: `{"content": "b<tool_call>"}`}, true, true, `{"content": "b< tool_call>"}`, 0,
		},
		"text at one that does not": {
			server.Choice{Text: action.Message{Content: "b\n" + tagged}.Text(), Pieces: []string{"b\n", tagged, "\n"}},
			true, false, message, 2,
		},
		"raw": {
			server.Choice{Text: "b\n" + tagged, Pieces: []string{"b\n", tagged}},
			false, false, message, 2,
		},
		"raw, reasoning": {
			server.Choice{Text: "<think>\na\n</think>\n\nb\n" + tagged},
			false, false, "<think>\na\n</think>\n\n" + message, 0,
		},
		"raw, two": {
			server.Choice{Text: "b\n" + tagged + "\n" + second, Pieces: []string{"b\n", tagged, "\n", second}},
			false, false, two, 2,
		},
		"raw, cut behind": {
			server.Choice{Text: "b\n" + tagged + "\n<tool_c", Finish: server.FinishLength},
			false, false, message, 0,
		},
		"raw, cut": {
			server.Choice{Text: "b", Finish: server.FinishLength},
			false, false, `{"content": "b", "cut": true}`, 0,
		},
	} {
		test.choice.Tokens = len(test.choice.Pieces)
		for i := range test.choice.Pieces {
			test.choice.LogProbs = append(test.choice.LogProbs, -float64(1+i))
		}

		o := options(fixed{server.Reply{Choices: []server.Choice{test.choice}}})
		o.LogProbs, o.ServerCalls = false, test.parsed
		o.ReadCalls = func(_ envs.History, text string) (action.Message, int) {
			r := toolcalls.Hermes.Read(text, nil)
			return r.Message, r.End
		}

		o.Break = func(text string) string { return strings.ReplaceAll(text, "<tool_call>", "< tool_call>") }

		if test.messages {
			o.Render = nil
			o.Messages = func(envs.History) []chat.Message { return []chat.Message{{Role: "user", Content: "q"}} }
			o.Tools = func(envs.History) string { return "[]" }
		}

		p := newPolicy(t, o)

		got, err := p.Propose(t.Context(), request(0, 1))
		if err != nil || len(got) != 1 || got[0].Text != test.text {
			t.Errorf("%s: %+v, %v; want %s", name, got, err, test.text)
			continue
		}

		sum := 0.0
		for _, l := range test.choice.LogProbs[:test.kept] {
			sum += l
		}

		if got[0].Scored != (test.kept > 0) || test.kept > 0 && math.Abs(got[0].LogProb-sum/float64(test.kept)) > 1e-9 {
			t.Errorf("%s: %+v, want the mean of %d tokens", name, got[0], test.kept)
		}

		behind := p.Snapshot().CallsBehind
		if want := slices.Contains([]string{"a server's two", "raw, two"}, name); (behind == 1) != want {
			t.Errorf("%s: %d calls behind the first", name, behind)
		}
	}
}
