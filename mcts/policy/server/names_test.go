package server_test

import (
	"testing"

	"toolevo/mcts/policy/server"
)

func TestIsVariant(t *testing.T) {
	for _, test := range []struct {
		asked, name string
		want        bool
	}{
		{"gpt-4o", "gpt-4o-2024-08-06", true},
		{"gpt-4o-2024-08-06", "gpt-4o", true},
		{"claude-sonnet-4-5", "claude-sonnet-4-5-20250929", true},
		{"claude-3-5-sonnet", "claude-3-5-sonnet@20240620", true},
		{"gpt-4", "gpt-4-0613", true},
		{"models/gemini-2.0-flash", "gemini-2.0-flash-001", true},
		{"mistral-large-latest", "mistral-large-2411", true},
		{"openai/gpt-4o", "gpt-4o-2024-08-06", true},
		{"Qwen/Qwen3-8B", "hosted_vllm/Qwen/Qwen3-8B", true},
		{"accounts/fireworks/models/qwen3-8b", "qwen3-8b", true},

		{"gpt-4o-2024-08-06", "gpt-4o-2024-05-13", false},
		{"gpt-4o", "gpt-4o-mini", false},
		{"gpt-4o", "gpt-4o-mini-2024-07-18", false},
		{"gpt-4", "gpt-4o-2024-08-06", false},
		{"sql", "sql-1000", false}, // a step of a training
		{"sql", "sql-20", false},
		{"sql", "sql-100", false},
		{"gemini-2.0-flash-001", "gemini-2.0-flash-002", false},
		{"qwen3-8b", "Qwen3-8B-AWQ", false},
		{"a/final", "b/final", false},
		{"final", "afinal", false},
		{"conversation.voice", "gpt-4.1-2025-04-14", false},
	} {
		if got := server.IsVariant(test.asked, test.name); got != test.want {
			t.Errorf("asked for %s, answered as %s: %v", test.asked, test.name, got)
		}
	}
}

// Of several dates of one name only the first is the model's: a gateway that goes over to another
// serves another model, unless both are named.
func TestNamesHoldTheFirstVariant(t *testing.T) {
	const model, may, august = "gpt-4o", "gpt-4o-2024-05-13", "gpt-4o-2024-08-06"

	n := server.NewNames(server.Endpoint{Model: model})
	for _, name := range []string{model, may, model, may} {
		if !n.Has(name) {
			t.Errorf("%s is not taken", name)
		}
	}

	if n.Has(august) || n.Has("gpt-4o-mini") {
		t.Error("another model is taken")
	}

	both := server.NewNames(server.Endpoint{Model: model, Names: []string{may, august, "upstream"}})
	for _, name := range []string{may, august, "upstream", model} {
		if !both.Has(name) {
			t.Errorf("%s is not taken though it is named", name)
		}
	}
}
