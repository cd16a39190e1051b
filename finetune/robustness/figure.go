package robustness

import (
	"toolevo/finetune/tabulate"
)

// Figures returns DynamicToolBench's figures 3 and 4 for each feedback: the pass rate of each
// group, and of all, under the baseline and under versioning, or under perturbations. There is a
// panel for each policy.
func (r *Report) Figures() []tabulate.Figure {
	var figures []tabulate.Figure

	for _, feedback := range tabulate.Distinct(r.Rows, func(row Row) string { return row.Feedback }) {
		for _, f := range []struct {
			kind, other Kind
			name, title string
		}{
			{Versioning, Perturbation, "figure-3-" + feedback, "Pass rate under API versioning"},
			{Perturbation, Versioning, "figure-4-" + feedback, "Pass rate under query perturbations"},
		} {
			// The baseline has both marks, so it is the bar beside either kind; only the other kind
			// is left out.
			rows := tabulate.Where(r.raw["rates"], map[string]string{
				"feedback": feedback, "difficulty": All, "kind": "!" + string(f.other),
				string(f.kind): "yes",
			})

			// A kind that was not played has no rows at all, not even the baseline's: the mark is
			// missing there, too.
			if len(rows) == 0 {
				continue
			}

			figures = append(figures, tabulate.Figure{
				Name: f.name, Title: f.title + ", feedback " + feedback, Axis: "pass rate",
			}.Of(rows, tabulate.Columns{
				Panel: "policy", Place: "dataset", Series: "setting",
				Share: "pass_rate", Low: "low", High: "high",
			}))
		}
	}

	return figures
}
