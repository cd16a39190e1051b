package doctor

import (
	"testing"

	"toolevo/mcts/policy/toolcalls"
)

// What a server makes of a call that a model copied is told apart, and nothing is said of a model
// that copied none.
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
		var p examination

		finding, told := judgeCopy(p.message(text))
		if told != want.told || told && finding != want.finding {
			t.Errorf("%s: %q, %v; want %q, %v", text, finding, told, want.finding, want.told)
		}
	}
}

// Where one of our parsers reads the calls, it is asked what comes back.
func TestJudgeCopyAsText(t *testing.T) {
	var p examination
	p.o.Manner.Tools.Calls = string(toolcalls.Hermes)

	copied := `{"content": "I look it up.\n<tool_call>\n{\"name\": \"find_v2\", \"arguments\": {\"price\": 2.50}}\n</tool_call>"}`
	if finding, told := judgeCopy(p.message(copied)); finding != "" || !told {
		t.Errorf("%q, %v", finding, told)
	}
}
