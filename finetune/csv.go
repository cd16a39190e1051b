package finetune

import (
	"encoding/csv"
	"io"
	"strconv"
)

// WriteCSV writes the figures as CSV, unrounded: a line for each cell, and for each mean over datasets one of the
// dataset "mean". Accuracies are proportions, and the columns are called as in JSON; pass_at and pass_all are of all
// repeats, and empty of greedy episodes.
func (r *Report) WriteCSV(w io.Writer) error {
	lines := [][]string{{"policy", "api", "dataset", "difficulty", "n", "lost", "official", "official_low",
		"official_high", "strict", "strict_low", "strict_high", "turns", "tokens", "repeats", "deviation", "pass_at",
		"pass_all"}}

	for _, row := range r.figures() {
		line := []string{row.Policy, row.API, row.Dataset, row.Difficulty, strconv.Itoa(row.N), strconv.Itoa(row.Lost)}

		for _, f := range []float64{row.Official, row.OfficialLow, row.OfficialHigh, row.Strict, row.StrictLow,
			row.StrictHigh, row.Turns, row.Tokens} {
			line = append(line, full(f))
		}

		repeats := []string{"", "", "", ""}
		if f := row.Repeats; f != nil {
			repeats = []string{
				strconv.Itoa(f.Episodes), full(f.Deviation),
				full(f.PassAt[f.Episodes-1]), full(f.PassAll[f.Episodes-1]),
			}
		}

		lines = append(lines, append(line, repeats...))
	}

	return csv.NewWriter(w).WriteAll(lines)
}

// full is a number with all its digits.
func full(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
