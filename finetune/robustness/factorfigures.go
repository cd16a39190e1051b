package robustness

import (
	"slices"
	"strings"

	"toolevo/envs/drift"
	"toolevo/finetune/tabulate"
)

// The titles of the figures, by what the names of their factors begin with.
var titles = map[string]string{
	"names":      "Names of APIs change",
	"parameters": "Names of parameters change",
	"response":   "The form of answers changes",
}

// FactorFigures returns the paper's figures 4 to 6, as far as rows have their factors: the
// original beside the factors of one kind, bars of the official accuracy by policy, a panel for
// each difficulty. They are called figure-names, figure-parameters and figure-response.
func FactorFigures(all []Factor, original string) []tabulate.Figure {
	rows := tabulate.RowsOf(all)
	difficulties := tabulate.Distinct(all, func(f Factor) string { return f.Difficulty })

	// The last difficulty is all of them together, which a panel of its own would only repeat.
	if last := len(difficulties) - 1; last > 0 {
		rows = tabulate.Where(rows, map[string]string{"difficulty": "!" + difficulties[last]})
	}

	// Only kinds that were measured get a figure, in the order of the paper's.
	var kinds []string

	for _, factor := range drift.FactorNames() {
		kind := kindOf(factor)
		isMeasured := func(f Factor) bool { return kindOf(f.API) == kind }

		if kind != "" && !slices.Contains(kinds, kind) && slices.ContainsFunc(all, isMeasured) {
			kinds = append(kinds, kind)
		}
	}

	figures := make([]tabulate.Figure, len(kinds))

	for i, kind := range kinds {
		var shown []tabulate.Row

		for _, row := range rows {
			api := row.Text("api")
			if api != original && kindOf(api) != kind {
				continue
			}

			if row["series"] = api; api == original {
				row["series"] = original + ", the original"
			}

			// Without a question the accuracy is 0, which a bar would show as a measurement.
			if row.Number("n") == 0 {
				delete(row, "official")
			}

			shown = append(shown, row)
		}

		figures[i] = tabulate.Figure{
			Name: "figure-" + kind, Title: titles[kind], Axis: "official accuracy",
		}.Of(shown, tabulate.Columns{
			Panel: "difficulty", Place: "policy", Series: "series",
			Share: "official", Low: "official_low", High: "official_high",
		})
	}
	return figures
}

// kindOf returns the kind of a factor that the paper varies; "" for any other version.
func kindOf(api string) string {
	kind, _, _ := strings.Cut(api, "-")
	if titles[kind] == "" || !slices.Contains(drift.FactorNames(), api) {
		return ""
	}
	return kind
}
