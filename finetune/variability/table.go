package variability

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
)

// none stands in a table where there is no figure.
const none = "–"

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

		change, p, turns := none, none, none
		if r.Change != nil {
			change = fmt.Sprintf("%+.1f", 100**r.Change)
		}

		if r.Paired != nil {
			p = probability(r.Paired.PHolm)
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
		return none
	}

	return fmt.Sprintf("%.1f [%.0f–%.0f]", 100*r.Official, 100*r.OfficialLow, 100*r.OfficialHigh)
}

func probability(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}

	return fmt.Sprintf("%.3f", p)
}

// columns are those of the CSV file. Shares are 0 to 1; a field without a value is empty.
var columns = []string{
	"policy", "difficulty", "api", "n", "lost", "official", "official_low", "official_high", "strict", "strict_low",
	"strict_high", "turns", "change", "paired_n", "only_original", "only_change", "p", "p_holm",
}

// WriteCSV writes the rows with a heading, in full precision.
func WriteCSV(w io.Writer, rows []Row) error {
	c := csv.NewWriter(w)

	lines := [][]string{columns}
	for _, r := range rows {
		lines = append(lines, r.fields())
	}

	return c.WriteAll(lines)
}

// fields are those of a row, in the order of columns.
func (r *Row) fields() []string {
	fields := []string{r.Policy, r.Difficulty, r.API, strconv.Itoa(r.N), strconv.Itoa(r.Lost)}

	for _, f := range []float64{
		r.Official, r.OfficialLow, r.OfficialHigh, r.Strict, r.StrictLow, r.StrictHigh, r.Turns,
	} {
		fields = append(fields, number(f))
	}

	change, paired := "", make([]string, 5)
	if r.Change != nil {
		change = number(*r.Change)
	}

	if p := r.Paired; p != nil {
		paired = []string{
			strconv.Itoa(p.N), strconv.Itoa(p.OnlyFirst), strconv.Itoa(p.OnlySecond), number(p.P), number(p.PHolm),
		}
	}

	return append(append(fields, change), paired...)
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
