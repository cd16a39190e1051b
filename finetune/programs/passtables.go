package programs

import (
	_ "embed"
	"io"

	"toolevo/envs/stategen/code"
	"toolevo/finetune/tabulate"
)

//go:embed tables.yaml
var tablesYAML []byte

var tables = tabulate.Embedded(tablesYAML, nil, []string{"passes", "programs"})

// PassTables returns pass@1 by domain, and how and why tasks failed.
func PassTables(rows []Pass) []tabulate.Grid {
	return tables().Grids("passes",
		map[string][]tabulate.Row{"passes": passRows(rows), "failures": failureRows(rows)})
}

// passRows returns the rows, without the rate of rows that measured no task.
func passRows(all []Pass) []tabulate.Row {
	rows := tabulate.RowsOf(all)

	for i, row := range rows {
		if all[i].N == 0 {
			delete(row, "pass")
		}
	}

	return rows
}

// failureRows returns a row for each class and each cause of a row, with its share.
func failureRows(all []Pass) (rows []tabulate.Row) {
	add := func(p Pass, key, value string, n int) {
		row := tabulate.Row{
			"policy": p.Policy, "api": p.API, "domain": p.Domain, key: value, "runs": float64(n),
		}

		if p.Failed > 0 {
			// Only counts are known here, so each failed run is a cluster of its own for the
			// interval.
			clusters := make([]tabulate.Cluster, p.Failed)
			for i := range clusters {
				clusters[i].Trials = 1
				if i < n {
					clusters[i].Successes = 1
				}
			}

			rate := tabulate.RateOf(clusters)
			row["share"], row["low"], row["high"] = rate.Share, rate.Low, rate.High
		}

		rows = append(rows, row)
	}

	// Those that did not occur have a row, too: figures and tables then have the same columns.
	for _, p := range all {
		for _, class := range code.Classes() {
			add(p, "class", string(class), p.Classes[class])
		}

		for _, cause := range allCauses() {
			add(p, "cause", string(cause), p.Causes[cause])
		}
	}
	return rows
}

// PassFigures returns figures 4 and 5 for each API version: pass@1 by policy and domain, and the
// classes of the failures of each domain.
func PassFigures(rows []Pass) []tabulate.Figure {
	var figures []tabulate.Figure

	for _, api := range tabulate.Distinct(rows, func(row Pass) string { return row.API }) {
		of := map[string]string{"api": api}
		figures = append(figures,
			tabulate.Figure{Name: "figure-4-" + api, Title: "pass@1 under " + api, Axis: "pass@1"}.Of(
				tabulate.Where(passRows(rows), of),
				tabulate.Columns{Place: "policy", Series: "domain", Share: "pass", Low: "low", High: "high"}))

		of["cause"] = ""
		figures = append(figures,
			tabulate.Figure{Name: "figure-5-" + api, Title: "Types of errors under " + api, Axis: "failed tasks"}.Of(
				tabulate.Where(failureRows(rows), of), tabulate.Columns{
					Panel: "domain", Place: "policy", Series: "class",
					Share: "share", Low: "low", High: "high",
				}))
	}

	return figures
}

// WritePassCSV writes the rows in full precision.
func WritePassCSV(w io.Writer, all []Pass) error {
	rows, t := passRows(all), *tables().Tables["passes"]

	for _, class := range code.Classes() {
		t.CSV = append(t.CSV[:len(t.CSV):len(t.CSV)], string(class))
		for i := range rows {
			rows[i][string(class)] = float64(all[i].Classes[class])
		}
	}

	for _, cause := range allCauses() {
		t.CSV = append(t.CSV, string(cause))
		for i := range rows {
			rows[i][string(cause)] = float64(all[i].Causes[cause])
		}
	}

	return t.WriteCSV(w, rows)
}
