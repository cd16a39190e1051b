package variability

import (
	"fmt"
	"io"
	"text/tabwriter"

	"toolevo/finetune/table"
)

// WriteTable writes the rows for a terminal, those of each policy below its name. It fits 80 columns. Change is in
// percentage points.
func WriteTable(w io.Writer, rows []Row) error {
	policy := ""
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)

	for _, r := range rows {
		if r.Policy != policy {
			if policy != "" {
				fmt.Fprintln(t)
			}

			policy = r.Policy
			fmt.Fprintf(t, "%s\n  DATA\tAPI\tN\tOFFICIAL [95%%]\tCHANGE\tP\tTURNS\n", policy)
		}

		change, p, turns := table.None, table.None, table.None
		if r.Change != nil {
			change = fmt.Sprintf("%+.1f", 100**r.Change)
		}

		if r.Paired != nil {
			p = table.Probability(r.Paired.PHolm)
		}

		if r.N > 0 {
			turns = fmt.Sprintf("%.1f", r.Turns)
		}

		fmt.Fprintf(t, "  %s\t%s\t%d\t%s\t%s\t%s\t%s\n", r.Difficulty, r.API, r.N, r.official(), change, p, turns)
	}

	return t.Flush()
}

// official is the official accuracy with its interval; a row without a measured question has none.
func (r *Row) official() string {
	if r.N == 0 {
		return table.None
	}

	return fmt.Sprintf("%.1f [%.0f–%.0f]", 100*r.Official, 100*r.OfficialLow, 100*r.OfficialHigh)
}

// WriteCSV writes the rows with a heading, in full precision. Shares are 0 to 1; a field without a value is empty.
func WriteCSV(w io.Writer, rows []Row) error {
	columns := []string{
		"policy", "difficulty", "api", "n", "lost", "official", "official_low", "official_high", "strict",
		"strict_low", "strict_high", "turns", "change", "paired_n", "only_original", "only_change", "p", "p_holm",
	}

	return table.WriteCSV(w, columns, rows, func(r Row) []string {
		line := table.Fields(r.Policy, r.Difficulty, r.API, r.N, r.Lost, r.Official, r.OfficialLow, r.OfficialHigh,
			r.Strict, r.StrictLow, r.StrictHigh, r.Turns, r.Change)

		p := r.Paired
		if p == nil {
			return append(line, table.Empty(5)...)
		}

		return append(line, table.Fields(p.N, p.OnlyFirst, p.OnlySecond, p.P, p.PHolm)...)
	})
}
