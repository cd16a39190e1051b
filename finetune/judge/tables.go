package judge

import (
	_ "embed"
	"io"
	"slices"
	"strings"

	"toolevo/finetune"
	"toolevo/finetune/tabulate"
)

//go:embed tables.yaml
var tablesYAML []byte

var tables = tabulate.Embedded(tablesYAML, nil, []string{"terminal", "tables"})

// shown returns the rows of the report's tables.
func (r *Report) shown() map[string][]tabulate.Row {
	all := slices.Concat(r.Rows, r.Means)
	scores, wins := tabulate.RowsOf(all), tabulate.RowsOf(r.Wins)

	var refusals []tabulate.Row

	for i, row := range all {
		s := scores[i]
		s["agent"], s["judge"] = name(row.agent()), r.Judge.Name
		s["data"] = row.data()
		s["unread"] = s.Number("sopr.lost_judgements") + s.Number("fac.lost_judgements")

		markIf(s, "sopr", row.SoPR != nil)
		markIf(s, "fac", row.FAC != nil)
		markIf(s, "conduct", row.Conduct != nil)

		// What was not counted is shown once, in the means over everything, so that it is not added
		// up twice.
		markIf(s, "counted", row.Dataset == mean && row.Difficulty == everything &&
			s.Number("unread")+float64(row.Missing+row.Lost) > 0)

		// The table of refusals has no column for the group: it shows the means alone.
		if row.Conduct == nil || row.Dataset != mean {
			continue
		}

		for _, c := range row.Conduct.Refusals {
			refusals = append(refusals, tabulate.Row{
				"agent": s["agent"], "difficulty": row.Difficulty,
				"refusal": string(c.Refusal), "calls": float64(c.Calls),
			})
		}
	}

	for i, win := range r.Wins {
		wins[i]["match"] = name(win.Candidate) + " against " + name(win.Reference)
	}
	return map[string][]tabulate.Row{"scores": scores, "wins": wins, "refusals": refusals}
}

// markIf sets a key of a row to "yes" if it holds; views select rows by it.
func markIf(row tabulate.Row, key string, holds bool) {
	if holds {
		row[key] = "yes"
	}
}

// grids returns the report as tables: for each score and exposure a line for each agent and a
// column for each group, as in DynamicToolBench and MirrorAPI.
func (r *Report) grids() []tabulate.Grid {
	grids := tables().Grids("tables", r.shown())
	for i := range grids {
		grids[i].Caption = strings.ReplaceAll(grids[i].Caption, "{judge}", r.Judge.Name)
	}
	return grids
}

// WriteTable writes the report for a terminal: below each agent a line for each group, then what
// was compared. It fits 80 columns.
func (r *Report) WriteTable(w io.Writer) error {
	return tabulate.WriteText(w, tables().Grids("terminal", r.shown()), 80)
}

// WriteMarkdown writes the report as Markdown tables.
func (r *Report) WriteMarkdown(w io.Writer) error { return tabulate.WriteMarkdown(w, r.grids()) }

// WriteLaTeX writes the report as LaTeX tables, for booktabs.
func (r *Report) WriteLaTeX(w io.Writer) error { return tabulate.WriteLaTeX(w, r.grids()) }

// WriteCSV writes the rows and means as CSV, unrounded; the columns are called as in JSON.
func (r *Report) WriteCSV(w io.Writer) error {
	return tables().Tables["scores"].WriteCSV(w, r.shown()["scores"])
}

// agent returns the agent of the row.
func (r *Row) agent() finetune.Contender { return finetune.Contender{Policy: r.Policy, API: r.API} }

// data names the queries of the row; those of one exposure are indented below their group.
func (r *Row) data() string {
	if r.Difficulty == everything {
		return r.Dataset
	}
	return "  " + r.Difficulty
}

// name names an agent. A published one met no API version of this program.
func name(c finetune.Contender) string {
	if c.API == "" {
		return c.Policy
	}
	return c.String()
}
