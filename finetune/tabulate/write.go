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

// WriteText writes tables for a terminal of a width. Columns that do not fit side by side stand one below the other.
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
func writeAll(w io.Writer, grids []Grid, one func(*Grid, *strings.Builder)) error {
	var b strings.Builder

	for i := range grids {
		if i > 0 {
			b.WriteByte('\n')
		}

		one(&grids[i], &b)
	}

	_, err := io.WriteString(w, b.String())

	return err
}

// gap is what stands between columns.
const gap = 2

// widths are those of the columns, with the space behind each.
func (g *Grid) widths() []int {
	widths := make([]int, len(g.Heads))

	for i := range widths {
		for _, line := range append([][]string{g.Heads}, g.Lines...) {
			widths[i] = max(widths[i], utf8.RuneCountInString(line[i])+gap)
		}
	}

	return widths
}

// fitting divides the columns of figures into those that fit side by side, behind the words that begin each line.
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

// text writes some columns of figures.
func (g *Grid) text(b *strings.Builder, columns []int) {
	widths := g.widths()
	columns = append(slices.Collect(between(g.Heading, g.Words)), columns...)
	indent := strings.Repeat(" ", gap*min(g.Heading, 1))

	write := func(line []string) {
		text := indent
		for _, column := range columns {
			text += line[column] + strings.Repeat(" ", widths[column]-utf8.RuneCountInString(line[column]))
		}

		fmt.Fprintln(b, strings.TrimRight(text, " "))
	}

	write(g.Heads)

	for i, line := range g.Lines {
		if g.Heading > 0 && (i == 0 || !slices.Equal(line[:g.Heading], g.Lines[i-1][:g.Heading])) {
			fmt.Fprintln(b, strings.Join(line[:g.Heading], " under "))
		}

		write(line)
	}
}

func between(from, to int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := from; i < to && yield(i); i++ {
		}
	}
}

// tall writes a line for each figure that there is, those of a line of the table below what begins it.
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

// WriteList writes lines below the heads of their columns, as wide as they are. The last column may have no head.
func WriteList(w io.Writer, heads []string, lines [][]string) error {
	for _, line := range lines {
		for len(heads) < len(line) {
			heads = append(heads[:len(heads):len(heads)], "")
		}
	}

	return WriteText(w, []Grid{{Heads: heads, Lines: lines}}, math.MaxInt)
}

// Texts are values as texts.
func Texts(values ...any) []string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = fmt.Sprint(value)
	}

	return texts
}

// title is the caption and what follows it.
func (g *Grid) title() string { return strings.TrimSpace(g.Caption + " " + g.Note) }

// WriteMarkdown writes tables as Markdown.
func WriteMarkdown(w io.Writer, grids []Grid) error {
	return writeAll(w, grids, func(g *Grid, b *strings.Builder) {
		rule := strings.Repeat("---|", g.Words) + strings.Repeat("---:|", len(g.Heads)-g.Words)
		fmt.Fprintf(b, "%s\n\n| %s |\n|%s\n", g.title(), strings.Join(g.Heads, " | "), rule)

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
		"\\begin{tabular}{%s%s}\n\\toprule\n", Escape(g.title()), strings.Repeat("l", g.Words),
		strings.Repeat("r", len(g.Heads)-g.Words))

	for i, line := range append([][]string{g.Heads}, g.Lines...) {
		fields := make([]string, len(line))
		for j, field := range line {
			fields[j] = Escape(field)
		}

		fmt.Fprintf(b, "%s \\\\\n", strings.Join(fields, " & "))

		if i == 0 {
			b.WriteString("\\midrule\n")
		}
	}

	b.WriteString("\\bottomrule\n\\end{tabular}\n\\end{table}\n")
}

var escapes = strings.NewReplacer(`\`, `\textbackslash{}`, "_", `\_`, "%", `\%`, "&", `\&`, "#", `\#`, "$", `\$`,
	"{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "±", `$\pm$`, "–", "--",
	"<", `$<$`, ">", `$>$`)

// Escape returns a text as LaTeX prints it.
func Escape(text string) string { return escapes.Replace(text) }

// WriteCSV writes rows in full precision below the names of their columns. A figure that there is not is empty.
func (t *Table) WriteCSV(w io.Writer, rows []Row) error {
	lines := make([][]string, 1+len(rows))

	for _, column := range t.CSV {
		head, name, ok := strings.Cut(column, "=")
		if !ok {
			name = head
		}

		lines[0] = append(lines[0], head)

		for i, row := range rows {
			field := row.Text(name)
			if n, ok := row[name].(float64); ok {
				field = strconv.FormatFloat(n, 'f', -1, 64)
			}

			lines[1+i] = append(lines[1+i], field)
		}
	}

	return csv.NewWriter(w).WriteAll(lines)
}
