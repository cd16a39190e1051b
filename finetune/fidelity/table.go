package fidelity

import (
	"fmt"
	"io"
	"strconv"

	"toolevo/envs/display"
	"toolevo/finetune/table"
	"toolevo/trajectories/mirror"
)

// measure is a column of the paper's tables.
type measure struct {
	name string
	of   func(Row) (float64, bool) // as it is printed
}

// The measures of Table 2, the judge's, and of Table 3.
var (
	byJudge = measure{"Judge", func(r Row) (float64, bool) {
		if r.Judge == nil || r.Judge.N == 0 {
			return 0, false
		}

		return r.Judge.Rating, true
	}}
	byBLEU   = measure{"BLEU", func(r Row) (float64, bool) { return 100 * r.BLEU, true }}
	byCosine = measure{"Cosine", func(r Row) (float64, bool) {
		if r.Cosine == nil {
			return 0, false
		}

		return 100 * *r.Cosine, true
	}}
	byKeeps = measure{"Keeps", func(r Row) (float64, bool) { return 100 * r.Keeps, true }}
)

// tables are those that the report has figures for: the judge's (Tables 2 and 6), likeness (Table 3), and how often
// the rule holds.
func (r *Report) tables() []table.Table {
	has := func(m measure) bool {
		for _, row := range r.Rows {
			if _, ok := m.of(row); ok {
				return true
			}
		}

		return false
	}

	var all []table.Table

	if has(byJudge) {
		all = append(all, r.table("Following documentation and instructions: the judge's mean rating, 1 to 10.",
			byJudge))
	}

	likeness := []measure{byBLEU}
	if has(byCosine) {
		likeness = append(likeness, byCosine)
	}

	all = append(all, r.table("Likeness to real answers: BLEU-4 over characters and cosine of embeddings, times 100.",
		likeness...))

	return append(all, r.table("Answers that succeed or fail as the real ones do, in percent.", byKeeps))
}

// table returns a table in the layout of the paper: a line for each simulator, and some columns for each split.
func (r *Report) table(caption string, measures ...measure) table.Table {
	t := table.Table{Title: caption, Heads: []string{"Models"}, Words: 1}

	for _, split := range r.splits() {
		for _, m := range measures {
			head := split.Title()
			if len(measures) > 1 {
				head += " " + m.name
			}

			t.Names = append(t.Names, head)
		}
	}

	for _, model := range r.models() {
		line := []string{model}

		for _, split := range r.splits() {
			for _, m := range measures {
				line = append(line, r.figure(model, split, m))
			}
		}

		t.Lines = append(t.Lines, line)
	}

	return t
}

func (r *Report) figure(model string, split mirror.Split, m measure) string {
	for _, row := range r.Rows {
		if row.Model != model || row.Split != split {
			continue
		}

		if value, ok := m.of(row); ok {
			decimals := 1
			if m.name == byJudge.name {
				decimals = 2
			}

			return strconv.FormatFloat(value, 'f', decimals, 64)
		}
	}

	return table.None
}

// WriteTable writes a line for each simulator and split for a terminal. With names of up to 20 columns it fits 80.
func (r *Report) WriteTable(w io.Writer) error {
	t := table.Table{Heads: []string{
		"simulator", "split", "n", "bleu", "words", "cosine", "keeps", "judge", "lost", "agree",
	}}

	for _, row := range r.Rows {
		text := func(m measure) string { return r.figure(row.Model, row.Split, m) }

		lost, agree := table.None, table.None
		if row.Judge != nil {
			lost, agree = strconv.Itoa(row.Judge.Lost), fmt.Sprintf("%.1f", 100*row.Judge.Agreement)
		}

		t.Lines = append(t.Lines, []string{
			display.Line(row.Model, 0), display.Line(string(row.Split), 0), strconv.Itoa(row.N), text(byBLEU),
			fmt.Sprintf("%.1f", 100*row.BLEUWords), text(byCosine), text(byKeeps), text(byJudge), lost, agree,
		})
	}

	return t.Write(w)
}

// WriteMarkdown writes the paper's tables as Markdown.
func (r *Report) WriteMarkdown(w io.Writer) error { return table.WriteMarkdown(w, r.tables()) }

// WriteLaTeX writes the paper's tables for booktabs.
func (r *Report) WriteLaTeX(w io.Writer) error {
	if _, err := io.WriteString(w, "% Needs \\usepackage{booktabs}.\n\n"); err != nil {
		return err
	}

	return table.WriteLaTeX(w, r.tables())
}

// WriteCSV writes the rows as CSV, unrounded, with names as in JSON; what was not measured is empty.
func (r *Report) WriteCSV(w io.Writer) error {
	columns := []string{"model", "split", "n", "bleu", "bleu_words", "unreadable", "cosine", "keeps", "rating",
		"deviation", "judged", "lost", "agreement", "kappa"}

	return table.WriteCSV(w, columns, r.Rows, func(row Row) []string {
		line := table.Fields(row.Model, row.Split, row.N, row.BLEU, row.BLEUWords, row.Unreadable, row.Cosine,
			row.Keeps)

		j := row.Judge
		if j == nil {
			return append(line, table.Empty(6)...)
		}

		return append(line, table.Fields(j.Rating, j.Deviation, j.N, j.Lost, j.Agreement, j.Kappa)...)
	})
}
