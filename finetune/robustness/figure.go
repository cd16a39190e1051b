package robustness

import (
	"slices"

	"toolevo/finetune/chart"
	"toolevo/finetune/table"
)

// Figures returns DynamicToolBench's figures 3 and 4 for each feedback: the pass rate of each group, and of all, under
// the baseline and under versioning, or under perturbations. There is a panel for each policy.
func (r *Report) Figures() []chart.Figure {
	var figures []chart.Figure

	for _, feedback := range table.Distinct(r.Rows, func(row Row) string { return row.Feedback }) {
		for _, of := range []struct {
			kind        Kind
			name, title string
		}{
			{Versioning, "figure-3-" + feedback, "Pass rate under API versioning"},
			{Perturbation, "figure-4-" + feedback, "Pass rate under query perturbations"},
		} {
			if len(r.conditions(feedback, of.kind)) == 0 {
				continue
			}

			figures = append(figures, r.figure(feedback, of.kind, chart.Figure{
				Name: of.name, Title: of.title + ", feedback " + feedback, Axis: "pass rate",
			}))
		}
	}

	return figures
}

// figure draws the settings of a kind. More than can be told apart are in the tables.
func (r *Report) figure(feedback string, kind Kind, f chart.Figure) chart.Figure {
	shown := r.conditions(feedback, Baseline, kind)

	f.Series = table.Distinct(shown, func(c Condition) string { return c.Name })
	f.Series = f.Series[:min(len(f.Series), chart.MostSeries)]

	columns := slices.DeleteFunc(r.columns(), func(c column) bool { return c.difficulty != All })

	for _, policy := range table.Distinct(shown, func(c Condition) string { return c.Policy }) {
		panel := chart.Panel{Title: policy, Places: names(columns)}

		for _, c := range shown {
			series := slices.Index(f.Series, c.Name)
			if c.Policy != policy || series < 0 {
				continue
			}

			for place, row := range r.of(c, columns) {
				if row.N > 0 {
					panel.Bars = append(panel.Bars, chart.Bar{
						Place: place, Series: series, Share: row.PassRate, Low: row.Low, High: row.High,
					})
				}
			}
		}

		f.Panels = append(f.Panels, panel)
	}

	return f
}
