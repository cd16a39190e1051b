package finetune

import (
	"io"

	"toolevo/finetune/table"
)

// WriteCSV writes the figures as CSV, unrounded: a line for each cell, and for each mean over datasets one of the
// dataset "mean". Accuracies are proportions, and the columns are called as in JSON; pass_at and pass_all are of all
// repeats, and empty of greedy episodes.
func (r *Report) WriteCSV(w io.Writer) error {
	columns := []string{"policy", "api", "dataset", "difficulty", "n", "lost", "official", "official_low",
		"official_high", "strict", "strict_low", "strict_high", "turns", "tokens", "repeated_share", "repeats",
		"deviation", "pass_at", "pass_all"}

	return table.WriteCSV(w, columns, r.figures(), func(row Row) []string {
		line := table.Fields(row.Policy, row.API, row.Dataset, row.Difficulty, row.N, row.Lost, row.Official,
			row.OfficialLow, row.OfficialHigh, row.Strict, row.StrictLow, row.StrictHigh, row.Turns, row.Tokens,
			row.RepeatedShare)

		f := row.Repeats
		if f == nil {
			return append(line, table.Empty(4)...)
		}

		all := f.Episodes - 1

		return append(line, table.Fields(f.Episodes, f.Deviation, f.PassAt[all], f.PassAll[all])...)
	})
}
