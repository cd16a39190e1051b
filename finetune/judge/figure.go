package judge

import (
	"slices"
	"strings"

	"toolevo/finetune/chart"
)

// Figure returns the solvable pass rates of agents beside each other, mean over the groups, and whether there are any
// to draw. Where agents were judged in several environments, each of which is an input of [Join], there is a bar for
// each, as in MirrorAPI's figure 3; else one for each API version.
func (r *Report) Figure() (chart.Figure, bool) {
	f := chart.Figure{Name: "pass_rate", Title: "Solvable pass rate", Axis: "solvable pass rate"}
	panel := chart.Panel{Title: "mean of the groups"}

	place := func(all *[]string, name string) int {
		if i := slices.Index(*all, name); i >= 0 {
			return i
		}

		*all = append(*all, name)

		return len(*all) - 1
	}

	for _, row := range r.Means {
		if row.Difficulty != everything || row.SoPR == nil {
			continue
		}

		agent, series := row.Policy, row.API
		if policy, input, ok := cutLast(row.Policy, "@"); ok {
			agent, series = policy, input
		}

		panel.Bars = append(panel.Bars, chart.Bar{
			Place: place(&panel.Places, agent), Series: place(&f.Series, series),
			Share: row.SoPR.Mean, Low: row.SoPR.Low, High: row.SoPR.High,
		})
	}

	f.Panels = []chart.Panel{panel}

	return f, len(panel.Bars) > 0 && len(f.Series) <= chart.MostSeries
}

// cutLast cuts a text at the last separator in it.
func cutLast(text, separator string) (before, after string, ok bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}

	return text[:i], text[i+len(separator):], true
}
