package variability

import (
	"slices"
	"strings"

	"toolevo/envs/drift"
	"toolevo/finetune/chart"
	"toolevo/finetune/table"
)

// The titles of the figures, by what the names of their factors begin with.
var titles = map[string]string{
	"names":      "Names of APIs change",
	"parameters": "Names of parameters change",
	"response":   "The form of answers changes",
}

// Figures returns the paper's figures 4 to 6, as far as rows have their factors: the original beside the factors of one
// kind, bars of the official accuracy by policy, a panel for each difficulty. They are called figure-names,
// figure-parameters and figure-response.
func Figures(rows []Row, original string) []chart.Figure {
	var (
		figures  []chart.Figure
		apis     [][]string // of each figure, the original first
		measured = table.Distinct(rows, func(r Row) string { return r.API })
	)

	for _, factor := range drift.FactorNames() {
		if !slices.Contains(measured, factor) {
			continue
		}

		kind, _, _ := strings.Cut(factor, "-")
		name := "figure-" + kind

		i := slices.IndexFunc(figures, func(f chart.Figure) bool { return f.Name == name })
		if i < 0 {
			i = len(figures)
			figures = append(figures, chart.Figure{Name: name, Title: titles[kind], Axis: "official accuracy"})
			apis = append(apis, []string{original})
		}

		apis[i] = append(apis[i], factor)
	}

	for i := range figures {
		figures[i].Series = append([]string{original + ", the original"}, apis[i][1:]...)
		figures[i].Panels = panels(rows, apis[i])
	}

	return figures
}

// panels are those of the difficulties: each by itself where there are several.
func panels(rows []Row, apis []string) []chart.Panel {
	policies := table.Distinct(rows, func(r Row) string { return r.Policy })
	difficulties := table.Distinct(rows, func(r Row) string { return r.Difficulty })

	var all []chart.Panel

	for _, difficulty := range difficulties[:max(1, len(difficulties)-1)] {
		p := chart.Panel{Title: difficulty, Places: policies}

		for _, r := range rows {
			if series := slices.Index(apis, r.API); series >= 0 && r.Difficulty == difficulty && r.N > 0 {
				p.Bars = append(p.Bars, chart.Bar{
					Place: slices.Index(policies, r.Policy), Series: series,
					Share: r.Official, Low: r.OfficialLow, High: r.OfficialHigh,
				})
			}
		}

		all = append(all, p)
	}

	return all
}
