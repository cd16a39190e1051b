// Package table writes figures as text, for a terminal, as Markdown and as LaTeX. Fields are what the caller made of
// its figures.
package table

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Table is figures as text.
type Table struct {
	Title string     // a sentence or more
	Heads []string   // of the first columns, in lower case
	Names []string   // heads of the columns that follow: names, written as they are
	Words int        // columns that are not aligned like numbers, the first ones
	Lines [][]string // of as many fields as there are columns
}

// Write writes the table for a terminal, without its title.
func (t *Table) Write(w io.Writer) error {
	tabs := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)

	heads := append(strings.Split(strings.ToUpper(strings.Join(t.Heads, "\t")), "\t"), t.Names...)
	for _, line := range append([][]string{heads}, t.Lines...) {
		fmt.Fprintln(tabs, strings.Join(line, "\t"))
	}

	return tabs.Flush()
}

// markdown writes the table below its title.
func (t *Table) markdown(b *strings.Builder) {
	columns := len(t.Heads) + len(t.Names)
	rule := strings.Repeat("---|", t.Words) + strings.Repeat("---:|", columns-t.Words)

	fmt.Fprintf(b, "%s\n\n| %s |\n|%s\n", t.Title, strings.Join(slices.Concat(t.Heads, t.Names), " | "), rule)

	for _, line := range t.Lines {
		fmt.Fprintf(b, "| %s |\n", strings.Join(line, " | "))
	}
}

// latex writes the table for booktabs, its title as the caption.
func (t *Table) latex(b *strings.Builder) {
	columns := len(t.Heads) + len(t.Names)

	fmt.Fprintf(b, "\\begin{table}\n\\centering\n\\scriptsize\n\\setlength{\\tabcolsep}{3pt}\n\\caption{%s}\n"+
		"\\begin{tabular}{%s%s}\n\\toprule\n", Escape(strings.ReplaceAll(t.Title, "\n", " ")),
		strings.Repeat("l", t.Words), strings.Repeat("r", columns-t.Words))

	rows := append([][]string{slices.Concat(t.Heads, t.Names)}, t.Lines...)
	for i, row := range rows {
		fields := make([]string, len(row))
		for j, field := range row {
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

// Set puts a figure into the line that begins with some words, below a name. Both are added where they are new; None
// stands where no figure is put.
func (t *Table) Set(words []string, name, figure string) {
	column := len(words) + Place(&t.Names, name)

	line := slices.IndexFunc(t.Lines, func(l []string) bool { return slices.Equal(l[:len(words)], words) })
	if line < 0 {
		line = len(t.Lines)
		t.Lines = append(t.Lines, slices.Clone(words))
	}

	for i := range t.Lines {
		for len(t.Lines[i]) < len(words)+len(t.Names) {
			t.Lines[i] = append(t.Lines[i], None)
		}
	}

	t.Lines[line][column] = figure
}
