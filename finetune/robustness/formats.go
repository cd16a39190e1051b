package robustness

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"toolevo/envs"
	"toolevo/finetune/table"
)

// WriteTable writes the tables for a terminal of a width, those of each policy below its name. What does not fit side
// by side stands one below the other.
func (r *Report) WriteTable(w io.Writer, width int) error {
	var b strings.Builder

	for i, t := range r.Tables() {
		if i > 0 {
			b.WriteByte('\n')
		}

		fmt.Fprintf(&b, "%s\n", t.Title)

		for _, columns := range t.fitting(width) {
			t.writeColumns(&b, columns)
		}
	}

	_, err := io.WriteString(w, b.String())

	return err
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
	var b strings.Builder

	for i, t := range r.Tables() {
		if i > 0 {
			b.WriteByte('\n')
		}

		whole := table.Table{Title: t.Title + ".", Heads: t.Heads, Words: words, Lines: t.Lines}
		whole.Markdown(&b)
	}

	_, err := io.WriteString(w, b.String())

	return err
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
	lines := [][]string{{"feedback", "policy", "kind", "setting", "dataset", "difficulty", "n", "lost", "pass_rate",
		"low", "high", "paired_n", "only_baseline", "only_setting", "relative", "relative_low", "relative_high", "p",
		"p_holm"}}

	for _, row := range r.Rows {
		change := make([]string, 8)

		if c := row.Change; c != nil {
			change = []string{
				strconv.Itoa(c.N), strconv.Itoa(c.OnlyBaseline), strconv.Itoa(c.OnlySetting), "", "", "", number(c.P),
				number(c.PHolm),
			}
			if c.Relative != nil {
				copy(change[3:], []string{number(c.Relative.Change), number(c.Relative.Low), number(c.Relative.High)})
			}
		}

		lines = append(lines, append([]string{
			row.Feedback, row.Policy, string(row.Kind), row.Name, row.Dataset, row.Difficulty, strconv.Itoa(row.N),
			strconv.Itoa(row.Lost), number(row.PassRate), number(row.Low), number(row.High),
		}, change...))
	}

	return csv.NewWriter(w).WriteAll(lines)
}

// WriteStatisticsCSV writes the statistics like WriteCSV, with a column for the turns of each outcome.
func (r *Report) WriteStatisticsCSV(w io.Writer) error {
	heads := []string{"feedback", "policy", "kind", "setting", "episodes", "lost", "answered", "turns", "tokens",
		"calls", "valid", "valid_low", "valid_high", "refused", "recovered", "tools_refused", "tools_recovered",
		"recovered_low", "recovered_high"}
	for _, o := range envs.Outcomes() {
		heads = append(heads, o.String())
	}

	lines := [][]string{heads}

	for _, st := range r.Statistics {
		line := []string{
			st.Feedback, st.Policy, string(st.Kind), st.Name, strconv.Itoa(st.Episodes), strconv.Itoa(st.Lost),
			strconv.Itoa(st.Answered), number(st.Turns), number(st.Tokens), number(st.Calls), number(st.Valid),
			number(st.ValidLow), number(st.ValidHigh), strconv.Itoa(st.Refused), strconv.Itoa(st.Recovered),
			strconv.Itoa(st.ToolsRefused), number(st.ToolsRecovered), number(st.RecoveredLow),
			number(st.RecoveredHigh),
		}
		for _, o := range envs.Outcomes() {
			line = append(line, strconv.Itoa(st.Outcomes[o.String()]))
		}

		lines = append(lines, line)
	}

	return csv.NewWriter(w).WriteAll(lines)
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
