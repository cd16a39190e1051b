package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolevo/envs/display"
	"toolevo/mcts/store"
)

// mostNamed is how many questions a line of the table names.
const mostNamed = 5

// sayGivenUp says what a run gave up, if anything: a table of the reasons, with how many things and
// which questions each one cost, the costliest first. resume is the command that asks again.
func (a *app) sayGivenUp(things string, all []store.GivenUp, resume string) {
	if len(all) == 0 {
		return
	}

	// A question of several trees is named once, and counts as often as it was given up.
	questions, counts := map[string][]string{}, map[string]int{}

	for _, g := range all {
		counts[g.Reason]++

		if !slices.Contains(questions[g.Reason], g.Question) {
			questions[g.Reason] = append(questions[g.Reason], g.Question)
		}
	}

	lines := []string{fmt.Sprintf("%d %s given up, because a request of theirs fails and others do not:",
		len(all), things)}

	// Reasons of equal cost are sorted by their words, as maps have no order.
	for _, reason := range slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(x, y))
	}) {
		// One dead server can cost hundreds of questions: a few names say which kind they are.
		names := questions[reason]

		more := ""
		if len(names) > mostNamed {
			names, more = names[:mostNamed], fmt.Sprintf(" and %d more", len(names)-mostNamed)
		}

		lines = append(lines, fmt.Sprintf("%6d  %s  (%s%s)", counts[reason], display.Line(reason, 100),
			strings.Join(names, ", "), more))
	}

	a.Say("%s\nAsk for them again with:\n  %s", strings.Join(lines, "\n"), resume)
}
