package main

import (
	"fmt"
	"time"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/display"
	"toolevo/mcts/account"
	"toolevo/mcts/estimate"
)

// printPlan prints what --dry-run found: first the settings, and last what people read first, so
// that it stays on the screen.
func (a *app) printPlan(p *toolevo.Plan) {
	fmt.Fprint(a.Out, p.Config)
	fmt.Fprintf(a.Out, "# %s: %d questions, configuration %s\n", p.Kind, p.Questions, p.ConfigHash)
	fmt.Fprintf(a.Out, "# programs run in %s\n", p.Engine)

	if p.Estimated {
		for _, line := range estimateLines(p.Estimate, p.Questions) {
			fmt.Fprintf(a.Out, "# %s\n", display.Line(line, 0))
		}
	}
}

// estimateLines words an estimate for people.
func estimateLines(p *toolevo.Projection, questions int) []string {
	// An estimate grows a few trees with a script, for nothing. Only --probe spends model calls.
	if p == nil {
		return []string{"no estimate: the suite has no scripted policy; --probe N asks the model itself"}
	}

	lines := []string{
		fmt.Sprintf("estimate, from %d of %d questions, grown by %s (95 %% intervals):", p.Sample, questions, p.By),
		fmt.Sprintf("  %s model calls", between(p.Calls, display.Count)),
		fmt.Sprintf("  %s prompt tokens, counted %s", between(p.PromptTokens, display.Count), p.Counted),
		fmt.Sprintf("  %s completion tokens", between(p.CompletionTokens, display.Count)),
		fmt.Sprintf("  %s on disk, for the log and the trees", display.Bytes(p.Bytes)),
	}

	// Time and cost depend on the server: they need a probe, or what the user says of it.
	if p.Seconds == nil {
		lines = append(lines, "  time: unknown; --tokens-per-second N, or --probe N to measure it")
	} else {
		seconds := func(s float64) string {
			return display.Duration(time.Duration(s * float64(time.Second)))
		}
		lines = append(lines, fmt.Sprintf("  %s, at %s", between(*p.Seconds, seconds),
			display.Rate(p.Rate, "completion tokens")))
	}

	if p.Cost != nil {
		lines = append(lines, fmt.Sprintf("  cost %s, at %v and %v per million prompt and completion tokens",
			between(*p.Cost, account.Money), p.Prices.Prompt, p.Prices.Completion))
	}
	return lines
}

// between words a total with its interval, if it has one.
func between(t estimate.Total, text func(float64) string) string {
	if t.Low == t.High {
		return text(t.Value)
	}
	return fmt.Sprintf("%s (%s to %s)", text(t.Value), text(t.Low), text(t.High))
}
