package doctor

import (
	"testing"

	"toolevo/mcts/policy/server"
)

// What a server makes of a call that a model copied is told apart, and nothing is said of a model that copied none.
func TestJudgeCopy(t *testing.T) {
	for text, want := range map[string]struct {
		finding string
		told    bool
	}{
		`{"content": "I look it up.", "calls": [{"name": "find_v2", "arguments": {"price": 2.50}}]}`:           {"", true},
		`{"content": "I look it up.", "calls": [{"name": "find_v2", "arguments": {"price": 2.5}}]}`:            {"tools-rewritten", true},
		`{"content": "I look it up.", "calls": [{"name": "find", "arguments": {"price": 2.50}}]}`:              {"tools-renamed", true},
		`{"calls": [{"name": "find_v2", "arguments": {"price": 2.50}}]}`:                                       {"tools-alone", true},
		`{"content": "I look it up.\n<tool_call>\n{\"name\": \"find_v2\", \"arguments\": {\"price\": 2.50}}"}`: {"tools-unread", true},
		`{"content": "I cannot do that."}`:                                        {"", false},
		`{"content": "", "calls": [{"name": "look", "arguments": {"price": 2}}]}`: {"", false},
		"": {"", false},
	} {
		finding, told := judgeCopy(server.Choice{Text: text})
		if told != want.told || told && finding != want.finding {
			t.Errorf("%s: %q, %v; want %q, %v", text, finding, told, want.finding, want.told)
		}
	}
}
