package fidelity

import (
	_ "embed"
	"io"
	"slices"

	"toolevo/finetune/tabulate"
	"toolevo/trajectories/mirror"
)

//go:embed tables.yaml
var tablesYAML []byte

var tables = tabulate.Embedded(tablesYAML, nil, []string{"terminal", "tables"})

// rows returns the rows of the report's tables.
func (r *Report) rows() []tabulate.Row {
	rows := tabulate.RowsOf(r.Rows)
	for i, row := range r.Rows {
		rows[i]["title"] = row.Split.Title()
	}
	return rows
}

// grids returns the paper's tables that the report has figures for: the judge's (Tables 2 and 6),
// likeness (Table 3), and how often the rule holds. Each has a line for each simulator, and some
// columns for each split.
func (r *Report) grids() []tabulate.Grid {
	rows := r.rows()
	slices.SortStableFunc(rows, func(a, b tabulate.Row) int { return r.rank(a) - r.rank(b) })

	rated := slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Judge != nil && row.Judge.N > 0 })
	embedded := slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Cosine != nil })

	for _, row := range rows {
		if rated {
			row["rated"] = "yes"
		}

		if embedded {
			row["embedded"] = "yes"
		}
	}
	return tables().Grids("tables", map[string][]tabulate.Row{"splits": rows})
}

// rank returns the place of a row's split in the paper's tables.
func (r *Report) rank(row tabulate.Row) int {
	return slices.IndexFunc(r.splits(), func(s mirror.Split) bool { return string(s) == row.Text("split") })
}

// WriteTable writes a line for each simulator and split for a terminal. With names of up to 20
// columns it fits 80.
func (r *Report) WriteTable(w io.Writer) error {
	return tabulate.WriteText(w,
		tables().Grids("terminal", map[string][]tabulate.Row{"splits": r.rows()}), 80)
}

// WriteMarkdown writes the paper's tables as Markdown.
func (r *Report) WriteMarkdown(w io.Writer) error { return tabulate.WriteMarkdown(w, r.grids()) }

// WriteLaTeX writes the paper's tables for booktabs.
func (r *Report) WriteLaTeX(w io.Writer) error { return tabulate.WriteLaTeX(w, r.grids()) }

// WriteCSV writes the rows as CSV, unrounded, with names as in JSON; what was not measured is
// empty.
func (r *Report) WriteCSV(w io.Writer) error { return tables().Tables["splits"].WriteCSV(w, r.rows()) }
