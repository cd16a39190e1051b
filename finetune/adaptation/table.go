package adaptation

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"toolevo/finetune/table"
)

// mostTools is how many new tools are written one by one: a family of versions has hundreds.
const mostTools = 12

// Write writes the measures for a terminal, some lines for each row. With names of up to 40 columns it fits 80.
func Write(w io.Writer, rows []Row) error { return table.WriteSections(w, rows, (*Row).write) }

func (r *Row) write(b *strings.Builder) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(b, "  %-26s %s\n", name, fmt.Sprintf(format, args...))
	}

	fmt.Fprintf(b, "%s under %s: %d questions, %d lost\n", r.Policy, r.API, r.N, r.Lost)
	line("met a deprecation", "%s", share(r.Met, r.N))
	line("  adapted to all", "%s", share(r.Adapted, r.Met))
	line("tools recovered", "%s", share(r.ToolsRecovered, r.ToolsMet))

	if r.ToolsRecovered > 0 {
		line("  after turns, mean", "%.1f", r.RecoveryTurns)
	}

	for _, after := range r.Recovery {
		line(fmt.Sprintf("  after %d", after.Turns), "%s", share(after.Tools, r.ToolsRecovered))
	}

	line("turns repeating a failure", "%d (%.1f %% of turns)", r.RepeatedTurns, 100*r.RepeatedShare)
	line("calls of unknown names", "%d", r.Hallucinated)

	if len(r.NewTools) > 0 {
		r.writeNewTools(line)
	}

	if u := r.Updates; u.Calls > 0 {
		line("true descriptions", "%s", share(u.True, u.Calls))
		line("  of unknown tools", "%d", u.UnknownTool)
		line("  of unknown parameters", "%d", u.UnknownParameter)
	}

	line("turns", "%.1f%s", r.Turns, tokens(r.Tokens))

	if c := r.Cost; c != nil {
		line("cost of drift, in turns", "%+.1f%s", c.Turns, tokens(c.Tokens))
		line("", "in %d questions under both versions", c.N)
	}
}

// writeNewTools writes how often new tools were called wrongly: all of them, and those with the most wrong calls.
func (r *Row) writeNewTools(line func(name, format string, args ...any)) {
	var all NewTool

	wrong := slices.DeleteFunc(slices.Clone(r.NewTools), func(tool NewTool) bool {
		all.Calls, all.Errors = all.Calls+tool.Calls, all.Errors+tool.Errors
		return tool.Errors == 0
	})

	slices.SortStableFunc(wrong, func(a, b NewTool) int { return cmp.Compare(b.Errors, a.Errors) })
	line("wrong calls of new tools", "%s", share(all.Errors, all.Calls))

	for i, tool := range wrong {
		if i == mostTools {
			line("", "and of %d others", len(wrong)-i)
			break
		}

		line("", "%s: %s", tool.API, share(tool.Errors, tool.Calls))
	}
}

// share is a count of another one, in percent too.
func share(n, of int) string {
	if of == 0 {
		return "0 of 0"
	}

	return fmt.Sprintf("%d of %d (%.1f %%)", n, of, 100*mean(n, of))
}

// tokens is what follows turns where tokens were counted.
func tokens(n float64) string {
	if n == 0 {
		return ""
	}

	return fmt.Sprintf("; tokens %.0f", n)
}
