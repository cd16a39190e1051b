package cluster

import (
	"maps"
	"testing"

	"toolevo/mcts/account"
)

// What an entry told that was refused is told by the next one, once.
func TestUsageOfARefusedEntry(t *testing.T) {
	next := map[string]account.Usage{"m": {Calls: 2, PromptTokens: 20}}
	w := &Worker{options: WorkerOptions{Used: func() map[string]account.Usage {
		all := next
		next = nil
		return all
	}}}

	w.noteUntold(w.used())

	next = map[string]account.Usage{"m": {Calls: 1, PromptTokens: 5}, "n": {Calls: 1}}

	want := map[string]account.Usage{"m": {Calls: 3, PromptTokens: 25}, "n": {Calls: 1}}
	if got := w.used(); !maps.Equal(got, want) {
		t.Errorf("the next entry tells %v, want %v", got, want)
	}

	w.noteUntold(want)

	if got := w.used(); !maps.Equal(got, want) {
		t.Errorf("without calls since then it tells %v, want %v", got, want)
	}

	if got := w.used(); len(got) != 0 {
		t.Errorf("it tells %v again", got)
	}
}
