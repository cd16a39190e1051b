package robustness

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"toolevo/envs"
	"toolevo/finetune/table"
)

// WriteTable writes the tables for a terminal of a width, those of each policy below its name. What does not fit side
// by side stands one below the other.
func (r *Report) WriteTable(w io.Writer, width int) error {
	return table.WriteSections(w, r.Tables(), func(t *Table, b *strings.Builder) {
		fmt.Fprintf(b, "%s\n", t.Title)

		for _, columns := range t.fitting(width) {
			t.writeColumns(b, columns)
		}
	})
}

// fitting divides the columns of figures into those that fit side by side. The second part begins anew where not all
// do.
func (t *Table) fitting(width int) (bundles [][]int) {
	widths := t.widths()
	setting := len(indent) + widths[words-1]
	whole := setting

	for _, w := range widths[words:] {
		whole += w
	}

	left := 0

	for column := words; column < len(widths); column++ {
		if left -= widths[column]; left < 0 || column == t.part && whole > width {
			bundles = append(bundles, nil)
			left = width - setting - widths[column]
		}

		bundles[len(bundles)-1] = append(bundles[len(bundles)-1], column)
	}

	return bundles
}

// widths are those of the columns, with the space behind each.
func (t *Table) widths() []int {
	widths := make([]int, len(t.Heads))

	for i := range widths {
		for _, line := range append([][]string{t.Heads}, t.Lines...) {
			widths[i] = max(widths[i], utf8.RuneCountInString(line[i])+1)
		}
	}

	return widths
}

// indent stands before a setting.
const indent = "  "

// writeColumns writes some columns of figures beside those of words.
func (t *Table) writeColumns(b *strings.Builder, columns []int) {
	widths := t.widths()

	write := func(line []string) {
		cells := fmt.Sprintf("%s%-*s", indent, widths[words-1], line[words-1])
		for _, column := range columns {
			cells += fmt.Sprintf("%-*s", widths[column], line[column])
		}

		fmt.Fprintln(b, strings.TrimRight(cells, " "))
	}

	write(t.Heads)

	for i, line := range t.Lines {
		if i == 0 || line[0] != t.Lines[i-1][0] {
			fmt.Fprintln(b, line[0])
		}

		write(line)
	}
}

// WriteMarkdown writes the tables as Markdown.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var tables []table.Table
	for _, t := range r.Tables() {
		tables = append(tables, table.Table{Title: t.Title + ".", Heads: t.Heads, Words: words, Lines: t.Lines})
	}

	return table.WriteMarkdown(w, tables)
}

// WriteLaTeX writes the tables in the layout of the paper's, for booktabs: policies as headings, settings as lines.
func (r *Report) WriteLaTeX(w io.Writer) error {
	var b strings.Builder

	b.WriteString("% Needs \\usepackage{booktabs}.\n")

	for _, t := range r.Tables() {
		fmt.Fprintf(&b, "\n\\begin{table}\n\\centering\n\\scriptsize\n\\setlength{\\tabcolsep}{3pt}\n"+
			"\\caption{%s.}\n\\begin{tabular}{l*{%d}{r}}\n\\toprule\n%s", table.Escape(t.Title),
			len(t.Heads)-words, latexLine(t.Heads))

		for i, line := range t.Lines {
			if i == 0 || line[0] != t.Lines[i-1][0] {
				fmt.Fprintf(&b, "\\midrule\n\\multicolumn{%d}{l}{\\emph{%s}} \\\\\n", len(t.Heads)-1,
					table.Escape(line[0]))
			}

			b.WriteString(latexLine(line))
		}

		b.WriteString("\\bottomrule\n\\end{tabular}\n\\end{table}\n")
	}

	_, err := io.WriteString(w, b.String())

	return err
}

// latexLine is a line without its policy.
func latexLine(fields []string) string {
	escaped := make([]string, len(fields)-1)
	for i, field := range fields[1:] {
		escaped[i] = table.Escape(field)
	}

	return strings.Join(escaped, " & ") + " \\\\\n"
}

// WriteCSV writes the rows with a heading, in full precision: shares are 0 to 1, and a field without a value is empty.
func (r *Report) WriteCSV(w io.Writer) error {
	columns := []string{"feedback", "policy", "kind", "setting", "dataset", "difficulty", "n", "lost", "pass_rate",
		"low", "high", "paired_n", "only_baseline", "only_setting", "relative", "relative_low", "relative_high", "p",
		"p_holm"}

	return table.WriteCSV(w, columns, r.Rows, func(row Row) []string {
		line := table.Fields(row.Feedback, row.Policy, row.Kind, row.Name, row.Dataset, row.Difficulty, row.N, row.Lost,
			row.PassRate, row.Low, row.High)

		c := row.Change
		if c == nil {
			return append(line, table.Empty(8)...)
		}

		relative := table.Empty(3)
		if r := c.Relative; r != nil {
			relative = table.Fields(r.Change, r.Low, r.High)
		}

		return slices.Concat(line, table.Fields(c.N, c.OnlyBaseline, c.OnlySetting), relative,
			table.Fields(c.P, c.PHolm))
	})
}

// WriteStatisticsCSV writes the statistics like WriteCSV, with a column for the turns of each outcome.
func (r *Report) WriteStatisticsCSV(w io.Writer) error {
	columns := []string{"feedback", "policy", "kind", "setting", "episodes", "lost", "answered", "turns", "tokens",
		"calls", "valid", "valid_low", "valid_high", "refused", "recovered", "tools_refused", "tools_recovered",
		"recovered_low", "recovered_high"}
	for _, o := range envs.Outcomes() {
		columns = append(columns, o.String())
	}

	return table.WriteCSV(w, columns, r.Statistics, func(st Statistics) []string {
		line := table.Fields(st.Feedback, st.Policy, st.Kind, st.Name, st.Episodes, st.Lost, st.Answered, st.Turns,
			st.Tokens, st.Calls, st.Valid, st.ValidLow, st.ValidHigh, st.Refused, st.Recovered, st.ToolsRefused,
			st.ToolsRecovered, st.RecoveredLow, st.RecoveredHigh)
		for _, o := range envs.Outcomes() {
			line = append(line, table.Fields(st.Outcomes[o.String()])...)
		}

		return line
	})
}
