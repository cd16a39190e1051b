package simserver_test

import (
	"encoding/json"
	"testing"

	"toolevo/mcts/policy/simserver"
)

// A chat's tokens are as many as its prompt has, and of them the model writes what it writes of the
// chat, with no call taken out, whatever the server's parser is.
func TestTokensOfChats(t *testing.T) {
	s := startTools(t, says(loads), simserver.Options{Wrong: []simserver.Misconfiguration{simserver.ToolsRefused}})

	b := asking(
		body{"role": "system", "content": "Be brief."}, body{"role": "user", "content": "Question: q"},
		body{"role": "assistant", "content": "x", "tool_calls": []body{{
			"id": "call00101", "type": "function", "function": body{"name": "LoadDB", "arguments": `{"a": 2.50}`},
		}}},
		body{"role": "tool", "tool_call_id": "call00101", "content": "o"},
	)

	var told struct {
		Count  int
		Tokens []int
	}
	if r := post(t, s.URL()+"/tokenize", b); r.status != 200 || json.Unmarshal([]byte(r.raw), &told) != nil {
		t.Fatalf("%d: %s", r.status, r.raw)
	}

	whole := chat(t, s, b.with("tool_choice", "none"))
	if told.Count != len(told.Tokens) || told.Count != whole.Usage.Prompt {
		t.Errorf("%d tokens of %d, the prompt has %d", len(told.Tokens), told.Count, whole.Usage.Prompt)
	}

	r := post(t, s.URL()+"/v1/completions", usual("").with("prompt", told.Tokens, "n", 1))
	if r.status != 200 || r.Choices[0].Text != tokensOf(whole) || r.Usage.Prompt != told.Count {
		t.Errorf("%d: %s, want %q", r.status, r.raw, tokensOf(whole))
	}

	for _, ids := range [][]int{{len(told.Tokens) + 9}, {-1}} {
		if r := post(t, s.URL()+"/v1/completions", usual("").with("prompt", ids)); r.status != 400 {
			t.Errorf("unknown ids: %d: %s", r.status, r.raw)
		}
	}
}
