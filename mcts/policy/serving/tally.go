package serving

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolevo/mcts/policy/server"
)

// TallyLines returns a policy's counts for people: what was asked, then what went wrong on the way,
// what cost samples, and how that is spread over several servers.
func TallyLines(name string, s server.Snapshot) []string {
	faults := s.Failed()

	lines := []string{fmt.Sprintf("%s: %d requests, %d answered, %d failed, %d given up by us", name, s.Requests,
		s.Answered, faults, s.Cancelled)}
	if faults > 0 {
		lines = append(lines, "failures, none of them scored: "+causes(s.Faults))
	}
	var odd []string

	// An empty sample has no log-probabilities either, and is listed once, as empty.
	for _, c := range []struct {
		n    int64
		what string
	}{
		{s.Truncated, "cut by max_tokens"}, {s.Empty, "empty and asked for again"}, {s.Silent, "empty to the end"},
		{s.Unscored, "without log-probabilities"},
	} {
		if c.n > 0 {
			odd = append(odd, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}

	if len(odd) > 0 {
		lines = append(lines, fmt.Sprintf("of %d completions: %s", s.Completions, strings.Join(odd, ", ")))
	}

	// Each of what follows is listed only if it happened: most runs have none of it.
	if s.PastReasoning > 0 {
		lines = append(lines, fmt.Sprintf("completions that a stop text ended in their reasoning: %d, asked "+
			"for again without; --set server.sampling.stop=[] may spare that", s.PastReasoning))
	}

	if s.CallsBehind > 0 {
		lines = append(lines, fmt.Sprintf("tool calls behind those of a reply that are played: %d",
			s.CallsBehind))
	}

	if s.Short > 0 {
		lines = append(lines, fmt.Sprintf("replies with too few samples: %d, each sample asked for again by itself",
			s.Short))
	}

	if s.TooLong > 0 {
		lines = append(lines, fmt.Sprintf("prompts beyond the context window: %d, each a dead end", s.TooLong))
	}

	if s.BadRequests > 0 {
		lines = append(lines, fmt.Sprintf("requests that the server did not take: %d",
			s.BadRequests))
	}

	for _, server := range s.Servers {
		if server.Dialect != "" {
			lines = append(lines, fmt.Sprintf("requests to %s differ from others: %s", server.Address,
				server.Dialect))
		}
	}

	// A single server's counts are those of the first line.
	if len(s.Servers) > 1 {
		for _, server := range s.Servers {
			lines = append(lines, fmt.Sprintf("%s: %d requests, %d answered", server.Address,
				server.Requests, server.Answered))
		}
	}

	return lines
}

// causes lists what was seen, the most frequent first.
func causes(faults map[string]int64) string {
	names := slices.SortedFunc(maps.Keys(faults), func(x, y string) int {
		return cmp.Or(cmp.Compare(faults[y], faults[x]), cmp.Compare(x, y))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%d × %s", faults[name], name)
	}

	return strings.Join(names, ", ")
}
