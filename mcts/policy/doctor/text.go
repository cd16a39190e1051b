package doctor

import (
	"fmt"
	"io"
	"strings"

	"toolevo/envs/display"
)

// width is how many columns text takes.
const width = 80

// mark is written before a check.
func (v Verdict) mark() string { return verdicts[v.rank()].mark }

// Legend explains the marks.
const Legend = "ok good   !  a run copes   !! a run would be wrong or impossible   ?? unknown"

// QuickLegend explains those of quick mode.
const QuickLegend = "ok good   !  a run copes   !! a run would be wrong   ?? unknown   -- not probed"

// WriteCheck writes what was seen of one check: one line, or several if it is long.
func WriteCheck(w io.Writer, c Check) error {
	head := fmt.Sprintf("%s  %-12s  ", c.Verdict.mark(), c.Name)
	_, err := io.WriteString(w, display.Wrap(head, c.Seen, width))
	return err
}

// WriteFindings writes what a run does about every check that is not good, and what can be done.
func WriteFindings(w io.Writer, checks []Check) error {
	var b strings.Builder
	const indent = "    "

	for _, c := range checks {
		if (c.Verdict == OK || c.Verdict == Skipped) && c.Run == "" {
			continue
		}

		fmt.Fprintf(&b, "\n%s  %s\n", c.Verdict.mark(), c.Name)

		if c.Run != "" {
			b.WriteString(display.Wrap(indent+"run: ", c.Run, width))
		}

		if c.Do != "" {
			b.WriteString(display.Wrap(indent+"do:  ", c.Do, width))
		}
	}

	_, err := io.WriteString(w, b.String())
	return err
}

// WriteFindings writes the findings, then the estimate, then the verdict. others is the verdict on
// what else a run needs.
func (r *Report) WriteFindings(w io.Writer, others Verdict) error {
	if err := WriteFindings(w, r.Checks); err != nil {
		return err
	}

	var b strings.Builder
	b.WriteByte('\n')

	if e := r.Estimate; e != nil {
		b.WriteString(display.Wrap("", fmt.Sprintf("Expect about %s completions an hour at %d in flight, of %d "+
			"tokens written and %s read for each.",
			number(rounded(e.CompletionsPerHour)), e.InFlight, e.TokensWritten, number(e.TokensRead)), width))
	}

	conclusion := verdicts[r.Verdict.rank()].conclusion
	if r.Verdict == OK && others != OK {
		conclusion = "Nothing is wrong with this server, but see above."
	}

	b.WriteString(display.Wrap("", fmt.Sprintf("%s (%d probes in %s)", conclusion, r.Probes, duration(r.Took)), width))
	_, err := io.WriteString(w, b.String())
	return err
}

// rounded keeps the first two digits of a number.
func rounded(n int) int {
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	return n / unit * unit
}
