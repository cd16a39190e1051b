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

	// An empty sample has no log-probabilities either, and is listed once, as empty.
	odd := happened(
		tally{s.Truncated, "%d cut by max_tokens"},
		tally{s.Empty, "%d empty and asked for again"},
		tally{s.Silent, "%d empty to the end"},
		tally{s.Unscored, "%d without log-probabilities"},
	)
	if len(odd) > 0 {
		lines = append(lines, fmt.Sprintf("of %d completions: %s", s.Completions, strings.Join(odd, ", ")))
	}

	lines = append(lines, happened(
		tally{s.PastReasoning, "completions that a stop text ended in their reasoning: %d, asked " +
			"for again without; --set server.sampling.stop=[] may spare that"},
		tally{s.CallsBehind, "tool calls behind those of a reply that are played: %d"},
		tally{s.Short, "replies with too few samples: %d, each sample asked for again by itself"},
		tally{s.TooLong, "prompts beyond the context window: %d, each a dead end"},
		tally{s.BadRequests, "requests that the server did not take: %d"},
	)...)

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

// tally is how often something went wrong, and the line that says so.
type tally struct {
	n    int64
	text string // with a verb for n
}

// happened returns the lines of what happened at all: most runs have none of it.
func happened(all ...tally) (lines []string) {
	for _, t := range all {
		if t.n > 0 {
			lines = append(lines, fmt.Sprintf(t.text, t.n))
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
