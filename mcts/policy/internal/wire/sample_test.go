package wire

import (
	"errors"
	"strings"
	"testing"

	"toolevo/mcts/policy/server"
)

func TestFinish(t *testing.T) {
	for _, tt := range []struct {
		word   string
		own    []string
		tokens int
		want   string // "" is none
	}{
		{"stop", nil, 64, server.FinishStop},
		{"eos", nil, 64, server.FinishStop},
		{"length", nil, 1, server.FinishLength},
		{"", nil, 1, ""},
		{"", nil, 64, ""},
		{"null", nil, 1, ""},
		{"Stop", nil, 1, ""},
		{"abort", nil, 1, ""},
		{"error", nil, 1, ""},
		{"content_filter", nil, 1, ""},
		{"tool_calls", nil, 1, ""},
		{"end_turn", nil, 64, server.FinishStop},
		{"stop_sequence", nil, 64, server.FinishStop},
		{"max_tokens", nil, 1, server.FinishLength},
		{"pause_turn", nil, 1, ""},
		{"done", []string{"end", "done"}, 64, server.FinishLength},
		{"end", []string{"end", "done"}, 63, server.FinishStop},
		{"", []string{""}, 0, server.FinishStop},
		{"", []string{""}, 64, server.FinishLength},
		{"abort", []string{""}, 64, ""},
	} {
		got, err := Finish(tt.word, tt.own, tt.tokens, 64)
		if got != tt.want || (err != nil) != (tt.want == "") || err != nil && !errors.Is(err, server.ErrNoEnd) {
			t.Errorf("%q of %d tokens, own %q: %q, %v; want %q", tt.word, tt.tokens, tt.own, got, err, tt.want)
		}
	}
}

func TestCheckSamples(t *testing.T) {
	sample := func(text string, logProbs ...float64) server.Choice {
		return server.Choice{Text: text, LogProbs: logProbs}
	}

	const unseen = 3
	for _, tt := range []struct {
		name    string
		samples []server.Choice
		tokens  int
		want    string // "" is nothing wrong
	}{
		{"nothing known", []server.Choice{sample("a")}, 0, ""},
		{"all well", []server.Choice{sample("ab", -1, 0)}, 2, ""},
		{"at the bounds", []server.Choice{sample("ab", mostLogProb, leastLogProb)}, 2, ""},
		{"vLLM's word for impossible", []server.Choice{sample("a", -9999)}, 1, ""},
		{"above", []server.Choice{sample("ab", -1, 2*mostLogProb)}, 2, "log-probability"},
		{"below", []server.Choice{sample("ab", -1, 1.1*leastLogProb)}, 2, "log-probability"},
		{"the stop text's are missing", []server.Choice{sample("ab", -1)}, 4, ""},
		{"more are missing", []server.Choice{sample("ab", -1)}, 5, "1 tokens out of 5"},
		{"of two, the stop texts' are missing", []server.Choice{sample("ab", -1), sample("b", -1)}, 8, ""},
		{"of two, more are missing", []server.Choice{sample("ab", -1), sample("b", -1)}, 9, "2 tokens out of 9"},
		{"one has none at all", []server.Choice{sample("ab", -1), sample("b")}, 99, ""},
		{"silent", []server.Choice{sample(" \n")}, 5, ""},
		{"silent without a reason", []server.Choice{sample(" \n")}, 6, "6 tokens, and no text"},
		{"silent by its figures", []server.Choice{sample("", -1, -1, -1, -1)}, 0, "4 tokens, and no text"},
		{"one of two is silent", []server.Choice{sample(""), sample("a")}, 60, ""},
		{"both are", []server.Choice{sample(""), sample("")}, 60, "60 tokens, and no text"},
	} {
		switch err := CheckSamples(tt.samples, tt.tokens, unseen); {
		case tt.want == "" && err != nil, tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}

	if got := Unseen([]string{"a", "\nObservation", "b"}); got != 13 {
		t.Errorf("%d tokens can be unseen", got)
	}
}
