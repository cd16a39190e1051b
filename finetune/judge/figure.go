package judge

import (
	"strings"

	"toolevo/finetune/tabulate"
)

// Figure returns the solvable pass rates of agents beside each other, the mean over the groups, and
// whether there are any to draw. If agents were judged in several environments, each of which is an
// input of [Join], each has a bar, as in MirrorAPI's figure 3; else each API version has one.
func (r *Report) Figure() (tabulate.Figure, bool) {
	rows := tabulate.Where(r.shown()["scores"], map[string]string{
		"dataset": mean, "difficulty": everything, "sopr": "yes",
	})

	for _, row := range rows {
		row["place"], row["series"] = row["policy"], row["api"]

		if at := strings.LastIndexByte(row.Text("policy"), '@'); at >= 0 {
			row["place"], row["series"] = row.Text("policy")[:at], row.Text("policy")[at+1:]
		}
	}

	series := tabulate.Distinct(rows, func(row tabulate.Row) string { return row.Text("series") })
	f := tabulate.Figure{
		Name: "pass_rate", Title: "Solvable pass rate", Axis: "solvable pass rate",
		Panels: []tabulate.Panel{{Title: "mean of the groups"}},
	}

	for _, row := range rows {
		row["panel"] = f.Panels[0].Title
	}
	return f.Of(rows, tabulate.Columns{
		Panel: "panel", Place: "place", Series: "series", Share: "sopr.mean",
		Low: "sopr.low", High: "sopr.high",
	}), len(rows) > 0 && len(series) <= tabulate.MostSeries
}
