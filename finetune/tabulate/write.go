package tabulate

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"toolevo/envs/display"
)

// WriteText writes tables for a terminal of a width. Columns that do not fit side by side are one
// below the other.
func WriteText(w io.Writer, grids []Grid, width int) error {
	return writeAll(w, grids, func(g *Grid, b *strings.Builder) {
		if g.Caption != "" {
			b.WriteString(display.Wrap("", g.Caption, width))
		}

		if g.Tall {
			g.tall(b)
			return
		}

		for _, columns := range g.fitting(width) {
			g.text(b, columns)
		}
	})
}

// writeAll writes a text for each table, with an empty line between them.
func writeAll(w io.Writer, grids []Grid, write func(*Grid, *strings.Builder)) error {
	var b strings.Builder

	for i := range grids {
		if i > 0 {
			b.WriteByte('\n')
		}

		write(&grids[i], &b)
	}

	_, err := io.WriteString(w, b.String())
	return err
}

// gap is the space between columns.
const gap = 2

// widths returns the widths of the columns, with the gap after each.
func (g *Grid) widths() []int {
	widths := make([]int, len(g.Heads))

	for i := range widths {
		for _, line := range append([][]string{g.Heads}, g.Lines...) {
			widths[i] = max(widths[i], utf8.RuneCountInString(line[i])+gap)
		}
	}

	return widths
}

// fitting divides the columns of figures into bundles that fit side by side, after the words that
// begin each line.
func (g *Grid) fitting(width int) (bundles [][]int) {
	widths := g.widths()
	begin := gap * min(g.Heading, 1)

	for _, w := range widths[g.Heading:g.Words] {
		begin += w
	}

	left := 0

	for column := g.Words; column < len(widths); column++ {
		if left -= widths[column]; left < -gap || len(bundles) == 0 {
			bundles = append(bundles, nil)
			left = width - begin - widths[column]
		}

		bundles[len(bundles)-1] = append(bundles[len(bundles)-1], column)
	}
	return bundles
}

// text writes some columns of figures. Numbers are aligned at their right.
func (g *Grid) text(b *strings.Builder, columns []int) {
	widths := g.widths()

	// Every bundle of columns repeats the words, so that its lines can be told apart.
	columns = append(slices.Collect(between(g.Heading, g.Words)), columns...)
	indent := strings.Repeat(" ", gap*min(g.Heading, 1))

	write := func(line []string) {
		text := indent

		for _, column := range columns {
			before, behind := 0, widths[column]-utf8.RuneCountInString(line[column])

			// A number keeps only the gap after it, or the next column would touch it.
			if g.isNumber(column) {
				before, behind = behind-gap, gap
			}

			text += strings.Repeat(" ", before) + line[column] + strings.Repeat(" ", behind)
		}

		fmt.Fprintln(b, strings.TrimRight(text, " "))
	}

	write(g.Heads)

	for i, line := range g.Lines {
		if g.begins(i) {
			fmt.Fprintln(b, g.heading(i))
		}

		write(line)
	}
}

// begins reports whether a heading is above a line.
func (g *Grid) begins(line int) bool {
	return g.Heading > 0 && (line == 0 || g.heading(line) != g.heading(line-1))
}

// heading returns the heading of a line.
func (g *Grid) heading(line int) string { return strings.Join(g.Lines[line][:g.Heading], " under ") }

// isNumber reports whether a column has only numbers, with or without intervals.
func (g *Grid) isNumber(column int) (is bool) {
	for _, line := range g.Lines {
		number, _, _ := strings.Cut(line[column], " [")
		if number == None || number == "" {
			continue
		}

		if _, err := strconv.ParseFloat(strings.Trim(number, "<%"), 64); err != nil {
			return false
		}

		is = true
	}
	return is
}

func between(from, to int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := from; i < to && yield(i); i++ {
		}
	}
}

// tall writes a line for each figure that is not missing, below the words of its line in the table.
func (g *Grid) tall(b *strings.Builder) {
	widest := 0
	for _, head := range g.Heads[g.Words:] {
		widest = max(widest, utf8.RuneCountInString(head))
	}

	for _, line := range g.Lines {
		fmt.Fprintln(b, strings.Join(line[:g.Words], " under "))

		for i := g.Words; i < len(line); i++ {
			if line[i] != None {
				fmt.Fprintf(b, "  %-*s  %s\n", widest, g.Heads[i], line[i])
			}
		}
	}
}

// WriteList writes lines below the heads of their columns, as wide as they are. The last column may
// have no head.
func WriteList(w io.Writer, heads []string, lines [][]string) error {
	for _, line := range lines {
		for len(heads) < len(line) {
			heads = append(heads[:len(heads):len(heads)], "")
		}
	}

	return WriteText(w, []Grid{{Heads: heads, Lines: lines}}, math.MaxInt)
}

// Texts returns values as texts.
func Texts(values ...any) []string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = fmt.Sprint(value)
	}
	return texts
}

// Title returns the caption and the note.
func (g *Grid) Title() string { return strings.TrimSpace(g.Caption + " " + g.Note) }

// WriteMarkdown writes tables as Markdown.
func WriteMarkdown(w io.Writer, grids []Grid) error {
	return writeAll(w, grids, func(g *Grid, b *strings.Builder) {
		rule := strings.Repeat("---|", g.Words) + strings.Repeat("---:|", len(g.Heads)-g.Words)
		fmt.Fprintf(b, "%s\n\n| %s |\n|%s\n", g.Title(), strings.Join(g.Heads, " | "), rule)

		for _, line := range g.Lines {
			fmt.Fprintf(b, "| %s |\n", strings.Join(line, " | "))
		}
	})
}

// WriteLaTeX writes tables for booktabs, the captions as theirs.
func WriteLaTeX(w io.Writer, grids []Grid) error {
	if _, err := io.WriteString(w, "% Needs \\usepackage{booktabs}.\n\n"); err != nil {
		return err
	}
	return writeAll(w, grids, (*Grid).latex)
}

func (g *Grid) latex(b *strings.Builder) {
	fmt.Fprintf(b, "\\begin{table}\n\\centering\n\\scriptsize\n\\setlength{\\tabcolsep}{3pt}\n\\caption{%s}\n"+
		"\\begin{tabular}{%s%s}\n\\toprule\n", Escape(g.Title()), strings.Repeat("l", g.Words-g.Heading),
		strings.Repeat("r", len(g.Heads)-g.Words))
	g.latexHeads(b)

	for i, line := range g.Lines {
		if i == 0 || g.begins(i) {
			b.WriteString("\\midrule\n")
		}

		if g.begins(i) && g.heading(i) != "" {
			fmt.Fprintf(b, "\\multicolumn{%d}{l}{\\emph{%s}} \\\\\n",
				len(g.Heads)-g.Heading, Escape(g.heading(i)))
		}

		fields := make([]string, len(line))
		for column, field := range line {
			fields[column] = g.marked(i, column, Escape(field))
		}

		fmt.Fprintf(b, "%s \\\\\n", strings.Join(fields[g.Heading:], " & "))
	}

	b.WriteString("\\bottomrule\n\\end{tabular}\n\\end{table}\n")
}

// latexHeads writes the heads of columns, and above them what several have in common.
func (g *Grid) latexHeads(b *strings.Builder) {
	var above, rules, heads []string

	for start := g.Heading; start < len(g.Heads); {
		// Only neighbours share a head above them: a rule in LaTeX spans columns side by side.
		end := start + 1
		for g.above[start] != "" && end < len(g.Heads) && g.above[end] == g.above[start] {
			end++
		}

		if above = append(above, ""); g.above[start] != "" {
			above[len(above)-1] = fmt.Sprintf("\\multicolumn{%d}{c}{%s}", end-start,
				Escape(g.above[start]))
			rules = append(rules,
				fmt.Sprintf("\\cmidrule(lr){%d-%d}", start-g.Heading+1, end-g.Heading))
		}

		for column := start; column < end; column++ {
			// The head of a column begins with what is above it, which would be said twice.
			head := strings.TrimPrefix(g.Heads[column], g.above[column])
			heads = append(heads, Escape(strings.TrimSpace(head)))
		}

		start = end
	}

	if rules != nil {
		fmt.Fprintf(b, "%s \\\\\n%s\n", strings.Join(above, " & "), strings.Join(rules, ""))
	}

	fmt.Fprintf(b, "%s \\\\\n", strings.Join(heads, " & "))
}

// marked makes the highest of the figures below a heading bold, and the next one underlined,
// compared as printed; 0 is never marked.
func (g *Grid) marked(line, column int, text string) string {
	// What is not a number is 0 here, and 0 is never marked.
	value := func(i int) float64 {
		v, _ := strconv.ParseFloat(g.Lines[i][column], 64)
		return v
	}
	if !g.best || column < g.Words || g.heading(line) == g.apart || value(line) == 0 {
		return text
	}

	// Above holds distinct figures, so that lines that tie share a mark.
	lines, above := 0, map[float64]bool{}

	for i := range g.Lines {
		if g.heading(i) != g.heading(line) {
			continue
		}

		if lines++; value(i) > value(line) {
			above[value(i)] = true
		}
	}

	switch {
	// A single line has nothing to be better than; with two better ones it is third at most.
	case lines == 1 || len(above) > 1:
		return text
	case len(above) == 1:
		return "\\underline{" + text + "}"
	}

	return "\\textbf{" + text + "}"
}

var escapes = strings.NewReplacer(`\`, `\textbackslash{}`, "_", `\_`, "%", `\%`, "&", `\&`, "#", `\#`, "$", `\$`,
	"{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "±", `$\pm$`, "–", "--",
	"<", `$<$`, ">", `$>$`)

// Escape returns a text as LaTeX prints it.
func Escape(text string) string { return escapes.Replace(text) }

// WriteCSV writes rows in full precision below the names of their columns. A missing figure is
// empty.
func (t *Table) WriteCSV(w io.Writer, rows []Row) error {
	lines := make([][]string, 1+len(rows))

	for _, column := range t.CSV {
		head, name, ok := strings.Cut(column, "=")
		if !ok {
			name = head
		}

		lines[0] = append(lines[0], head)

		for i, row := range rows {
			lines[1+i] = append(lines[1+i], t.field(row, name))
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// field returns a key, a figure, or an end of its interval as CSV has it.
func (t *Table) field(row Row, name string) string {
	for i := range t.Columns {
		c := &t.Columns[i]

		isOf := name == c.Name || name == c.Low || name == c.High
		if isOf && c.Needs != "" && row.Number(c.Needs) == 0 {
			return ""
		}
	}

	if n, ok := row[name].(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return row.Text(name)
}

// ReadCSV reads rows that WriteCSV wrote: their keys as texts, and all else as numbers.
func (t *Table) ReadCSV(r io.Reader) ([]Row, error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}

	if len(lines) == 0 || !slices.Equal(lines[0], t.CSV) {
		return nil, fmt.Errorf("want the columns %s", strings.Join(t.CSV, ","))
	}

	rows := make([]Row, len(lines)-1)

	for i, line := range lines[1:] {
		rows[i] = Row{}

		for column, field := range line {
			name := t.CSV[column]

			// A figure without data is missing here, too.
			switch {
			case slices.Contains(t.By, name):
				rows[i][name] = field
			case field == "":
			default:
				if rows[i][name], err = strconv.ParseFloat(field, 64); err != nil {
					return nil, fmt.Errorf("line %d: %s: %w", i+2, name, err)
				}
			}
		}
	}

	return rows, nil
}
