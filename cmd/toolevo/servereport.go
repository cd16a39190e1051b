package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolevo/envs/toolbench/virtual"
)

// servedTools is how a server of functions was used.
type servedTools struct {
	Address   string           `json:"address"`   // of the server
	Versions  []string         `json:"versions"`  // that it served, the default first
	Functions int              `json:"functions"` // of a version
	Requests  map[string]int64 `json:"requests"`  // by outcome; refused: they were no calls; failed: through our fault
	Answers   virtual.Tally    `json:"answers"`   // to calls that fitted
}

// text is the report for people.
func (s *servedTools) text() string {
	var b strings.Builder

	for _, outcome := range slices.Sorted(maps.Keys(s.Requests)) {
		fmt.Fprintf(&b, "%-17s %d\n", outcome, s.Requests[outcome])
	}

	n := s.Answers
	fmt.Fprintf(&b, "Answers: %d from the cache, %d real, %d by a model, %d scripted; %d were not worth keeping.\n",
		n.Replayed, n.Real, n.Simulated, n.Scripted, n.Unkept)
	fmt.Fprintf(&b, "Failures: %d. Of the model's replies, %d could not be read.\n", n.Failed, n.Spoilt)

	return b.String()
}
