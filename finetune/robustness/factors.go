package robustness

import (
	"fmt"
	"io"
	"slices"

	"toolevo/finetune"
	"toolevo/finetune/tabulate"
)

// Factor is the accuracies of a policy under the original or under a change of it, on the questions
// of a difficulty.
type Factor struct {
	finetune.Summary

	// official accuracy less that under the original; of a change, where both were measured
	Change *float64 `json:"change,omitempty"`

	// with the original, the first, on the same questions; in the rows over all questions. p_holm
	// is adjusted among these
	Paired *finetune.Comparison `json:"paired,omitempty"`
}

// Factors returns the rows of a report in which the version original comes first: by policy,
// difficulty and version. It is an error if the report lacks the original.
func Factors(r *finetune.Report, original string) ([]Factor, error) {
	var rows []Factor

	for _, s := range r.Summaries {
		row := Factor{Summary: s}

		if s.API != original {
			o, err := originalOf(r, original, s)
			if err != nil {
				return nil, err
			}

			if change := s.Official - o.Official; s.N > 0 && o.N > 0 {
				row.Change = &change
			}
		}

		rows = append(rows, row)
	}

	pair(rows, r.Comparisons, original)
	policies := tabulate.Distinct(rows, func(f Factor) string { return f.Policy })

	slices.SortStableFunc(rows, func(a, b Factor) int {
		return slices.Index(policies, a.Policy) - slices.Index(policies, b.Policy)
	})
	return rows, nil
}

// originalOf returns the summary that another one is compared with.
func originalOf(r *finetune.Report, original string, s finetune.Summary) (finetune.Summary, error) {
	i := slices.IndexFunc(r.Summaries, func(o finetune.Summary) bool {
		return o.Policy == s.Policy && o.Difficulty == s.Difficulty && o.API == original
	})
	if i < 0 {
		return finetune.Summary{}, fmt.Errorf("robustness: %s was not measured under %s", s.Policy,
			original)
	}

	return r.Summaries[i], nil
}

// pair adds the comparisons with the original to the rows over all questions, which have the last
// difficulty.
func pair(rows []Factor, comparisons []finetune.Comparison, original string) {
	var paired []*finetune.Comparison

	var p []float64

	for i := range rows {
		row := &rows[i]
		if row.Difficulty != rows[len(rows)-1].Difficulty {
			continue
		}

		at := slices.IndexFunc(comparisons, func(c finetune.Comparison) bool {
			first := finetune.Contender{Policy: row.Policy, API: original}
			return c.First == first && c.Second == row.Contender
		})
		if at < 0 {
			continue
		}

		c := comparisons[at]
		row.Paired = &c
		paired, p = append(paired, &c), append(p, c.P)
	}

	for i, adjusted := range tabulate.Holm(p) {
		paired[i].PHolm = adjusted
	}
}

// WriteFactors writes the rows for a terminal, those of each policy below its name. It fits 80
// columns. Change is in percentage points.
func WriteFactors(w io.Writer, rows []Factor) error {
	shown := map[string][]tabulate.Row{"factors": tabulate.RowsOf(rows)}
	return tabulate.WriteText(w, tables().Grids("factors", shown), 80)
}

// WriteFactorsCSV writes the rows with a heading, in full precision. Shares are 0 to 1; a field
// without a value is empty.
func WriteFactorsCSV(w io.Writer, rows []Factor) error {
	return tables().Tables["factors"].WriteCSV(w, tabulate.RowsOf(rows))
}
