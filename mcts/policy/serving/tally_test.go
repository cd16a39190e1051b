package serving

import (
	"strings"
	"testing"

	"toolevo/mcts/policy/server"
)

func TestTallyLines(t *testing.T) {
	t.Parallel()
	var s server.Snapshot
	s.Requests, s.Answered, s.Transient, s.TooLong, s.Cancelled = 20, 15, 3, 1, 1
	s.Faults = map[string]int64{"HTTP 503": 1, "timeout": 2, "too long": 1}
	s.Short, s.Completions, s.Truncated, s.Empty, s.Silent, s.Unscored = 4, 60, 5, 6, 2, 3
	s.PastReasoning, s.CallsBehind, s.Transient, s.BadRequests = 7, 8, 2, 1
	got := strings.Join(TallyLines("openai:m", s), "\n")

	want := `openai:m: 20 requests, 15 answered, 4 failed, 1 given up by us
failures, none of them scored: 2 × timeout, 1 × HTTP 503, 1 × too long
of 60 completions: 5 cut by max_tokens, 6 empty and asked for again, 2 empty to the end, 3 without log-probabilities
completions that a stop text ended in their reasoning: 7, asked for again without; --set server.sampling.stop=[] may spare that
tool calls behind those of a reply that are played: 8
replies with too few samples: 4, each sample asked for again by itself
prompts beyond the context window: 1, each a dead end
requests that the server did not take: 1`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
