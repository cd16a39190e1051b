package judge

import (
	"strings"

	"toolevo/finetune/chart"
	"toolevo/finetune/table"
)

// Figure returns the solvable pass rates of agents beside each other, mean over the groups, and whether there are any
// to draw. Where agents were judged in several environments, each of which is an input of [Join], there is a bar for
// each, as in MirrorAPI's figure 3; else one for each API version.
func (r *Report) Figure() (chart.Figure, bool) {
	f := chart.Figure{Name: "pass_rate", Title: "Solvable pass rate", Axis: "solvable pass rate"}
	panel := chart.Panel{Title: "mean of the groups"}

	for _, row := range r.Means {
		if row.Difficulty != everything || row.SoPR == nil {
			continue
		}

		agent, series := row.Policy, row.API
		if at := strings.LastIndexByte(row.Policy, '@'); at >= 0 {
			agent, series = row.Policy[:at], row.Policy[at+1:]
		}

		panel.Bars = append(panel.Bars, chart.Bar{
			Place: table.Place(&panel.Places, agent), Series: table.Place(&f.Series, series),
			Share: row.SoPR.Mean, Low: row.SoPR.Low, High: row.SoPR.High,
		})
	}

	f.Panels = []chart.Panel{panel}

	return f, len(panel.Bars) > 0 && len(f.Series) <= chart.MostSeries
}
