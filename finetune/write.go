package finetune

import (
	"fmt"
	"io"
	"maps"
	"strings"

	"toolevo/finetune/tabulate"
)

// terminal is how wide tables in a terminal are.
const terminal = 80

// mean is the dataset of a row over all datasets, each of which weighs the same.
const mean = "mean"

// rows returns the rows of the report's tables: those of the report, and its summaries where they
// say more.
func (r *Report) rows() map[string][]tabulate.Row {
	evaluation, comparisons := tabulate.RowsOf(r.Rows), tabulate.RowsOf(r.Comparisons)

	for i, row := range evaluation {
		if f := r.Rows[i].Repeats; f != nil {
			row["several"] = "yes"

			// The last of each list is about all repeats, if a question has an episode of each.
			if len(f.PassAt) == f.Episodes {
				row["repeats.any"], row["repeats.every"] = f.PassAt[f.Episodes-1],
					f.PassAll[f.Episodes-1]
			}
		}
	}

	for _, row := range tabulate.RowsOf(r.Summaries) {
		// A mean over one cell would only repeat its line.
		if row.Number("cells") > 1 {
			row["dataset"] = mean
			evaluation = append(evaluation, row)
		}
	}

	for _, row := range evaluation {
		named(row)
	}

	for i, c := range r.Comparisons {
		row := comparisons[i]

		// One table holds both kinds: what both sides have in common heads the lines that differ.
		row["same"], row["first"], row["second"] = c.First.API, c.First.Policy, c.Second.Policy
		if c.Between == BetweenVersions {
			row["same"], row["first"], row["second"] = c.First.Policy, c.First.API, c.Second.API
		}
	}

	rows := map[string][]tabulate.Row{
		"evaluation": evaluation, "comparisons": comparisons,
		"templates": tabulate.RowsOf(r.Templates),
	}
	maps.Copy(rows, r.Tables)
	return rows
}

// named gives a row the name of its questions, e.g. "coffee-easy".
func named(row tabulate.Row) {
	row["data"] = row.Text("dataset")
	if difficulty := row.Text("difficulty"); difficulty != "" {
		row["data"] = row.Text("dataset") + "-" + difficulty
	}
}

// Grids returns the tables of a part of the report, named as in tables.yaml.
func (r *Report) Grids(part string) []tabulate.Grid { return tables().Grids(part, r.rows()) }

// WriteTable writes the report for a terminal: a line for each cell and each mean over datasets,
// and the paired comparisons.
func (r *Report) WriteTable(w io.Writer) error {
	grids := r.Grids("terminal")
	if len(grids) == 0 {
		_, err := fmt.Fprintln(w, "no episode yet")
		return err
	}

	if err := tabulate.WriteText(w, grids, terminal); err != nil {
		return err
	}

	for _, line := range r.Warnings {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}

	return nil
}

// WriteTemplates writes the official accuracy of each template for a terminal: a line for each
// policy, a column for each API version.
func (r *Report) WriteTemplates(w io.Writer) error {
	return tabulate.WriteText(w, r.Grids("templates"), terminal)
}

// WriteMarkdown writes the report as Markdown tables: accuracies, a line for each policy and
// dataset and a column for each API version as in the paper's Tables 2-4, the paired comparisons,
// the turns by outcome, accuracies by template, and what the figures depend on.
func (r *Report) WriteMarkdown(w io.Writer) error {
	grids := r.Grids("markdown")
	if err := tabulate.WriteMarkdown(w, grids); err != nil {
		return err
	}

	var b strings.Builder

	if r.TaskSet != "" {
		fmt.Fprintf(&b, "\nTask set: `%s`.\n", r.TaskSet)
	}

	if r.Feedback != "" {
		fmt.Fprintf(&b, "\nFeedback: %s.\n", r.Feedback)
	}

	if len(r.Engines) > 0 {
		fmt.Fprintf(&b, "\nPrograms ran in %s.\n", strings.Join(r.Engines, "; then in "))
	}

	for _, line := range r.Warnings {
		fmt.Fprintf(&b, "\n**%s**\n", line)
	}

	_, err := io.WriteString(w, b.String())
	return err
}

// WriteCSV writes the figures as CSV, unrounded: a line for each cell, and for each mean over
// datasets one of the dataset "mean". Accuracies are proportions, and the columns are called as in
// JSON; pass_at and pass_all are of all repeats, and empty of greedy episodes and where no question
// has an episode of each.
func (r *Report) WriteCSV(w io.Writer) error {
	return tables().Tables["evaluation"].WriteCSV(w, r.rows()["evaluation"])
}
