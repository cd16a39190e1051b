package fidelity

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

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

// none stands in a table where there is no figure.
const none = "–"

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

	for _, split := range r.Splits() {
		for _, m := range measures {
			head := split.Title()
			if len(measures) > 1 {
				head += " " + m.name
			}

			t.Names = append(t.Names, head)
		}
	}

	for _, model := range r.Models() {
		line := []string{model}

		for _, split := range r.Splits() {
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

	return none
}

// WriteTable writes a line for each simulator and split for a terminal. With names of up to 20 columns it fits 80.
func (r *Report) WriteTable(w io.Writer) error {
	tabs := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tabs, "SIMULATOR\tSPLIT\tN\tBLEU\tWORDS\tCOSINE\tKEEPS\tJUDGE\tLOST\tAGREE")

	for _, row := range r.Rows {
		text := func(m measure) string { return r.figure(row.Model, row.Split, m) }

		lost, agree := none, none
		if row.Judge != nil {
			lost, agree = strconv.Itoa(row.Judge.Lost), fmt.Sprintf("%.1f", 100*row.Judge.Agreement)
		}

		fmt.Fprintf(tabs, "%s\t%s\t%d\t%s\t%.1f\t%s\t%s\t%s\t%s\t%s\n", display.Line(row.Model, 0),
			display.Line(string(row.Split), 0), row.N, text(byBLEU), 100*row.BLEUWords, text(byCosine), text(byKeeps),
			text(byJudge), lost, agree)
	}

	return tabs.Flush()
}

// WriteMarkdown writes the paper's tables as Markdown.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder

	for i, t := range r.tables() {
		if i > 0 {
			b.WriteByte('\n')
		}

		t.Markdown(&b)
	}

	_, err := io.WriteString(w, b.String())

	return err
}

// WriteLaTeX writes the paper's tables for booktabs.
func (r *Report) WriteLaTeX(w io.Writer) error {
	var b strings.Builder

	b.WriteString("% Needs \\usepackage{booktabs}.\n")

	for _, t := range r.tables() {
		b.WriteByte('\n')
		t.LaTeX(&b)
	}

	_, err := io.WriteString(w, b.String())

	return err
}

// WriteCSV writes the rows as CSV, unrounded, with names as in JSON; what was not measured is empty.
func (r *Report) WriteCSV(w io.Writer) error {
	lines := [][]string{{"model", "split", "n", "bleu", "bleu_words", "unreadable", "cosine", "keeps", "rating",
		"deviation", "judged", "lost", "agreement", "kappa"}}

	full := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

	for _, row := range r.Rows {
		line := []string{row.Model, string(row.Split), strconv.Itoa(row.N), full(row.BLEU), full(row.BLEUWords),
			strconv.Itoa(row.Unreadable), "", full(row.Keeps)}
		if row.Cosine != nil {
			line[6] = full(*row.Cosine)
		}

		judged := make([]string, 6)
		if j := row.Judge; j != nil {
			judged = []string{full(j.Rating), full(j.Deviation), strconv.Itoa(j.N), strconv.Itoa(j.Lost),
				full(j.Agreement), full(j.Kappa)}
		}

		lines = append(lines, append(line, judged...))
	}

	return csv.NewWriter(w).WriteAll(lines)
}
