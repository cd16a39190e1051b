package gate

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"toolevo/envs/display"
	"toolevo/finetune/tabulate"
)

// WriteMarkdown writes the report for a pull request. Its first line is the verdict.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder

	fmt.Fprintf(&b, "**%s**\n\n%s.\n", prose(r.title()), prose(r.counts()))

	if rows := r.changeRows(); len(rows) > 0 {
		b.WriteByte('\n')

		if err := writeGrids(&b, "markdown", "changes", rows); err != nil {
			return err
		}
	}

	// The list of tasks may be long, so it is folded. After the tag only an empty line makes what
	// follows Markdown again.
	if rows, left := r.taskRows(); len(rows) > 0 {
		b.WriteString("\n<details><summary>Tasks that are not equal by construction</summary>\n\n")

		if err := writeGrids(&b, "tasks", "tasks", rows); err != nil {
			return err
		}

		// A comment on a pull request is limited in length, so the list was cut.
		if left > 0 {
			fmt.Fprintf(&b, "\nAnd %d more, which the JSON document has.\n", left)
		}

		b.WriteString("\n</details>\n")
	}

	_, err := io.WriteString(w, b.String())
	return err
}

func writeGrids(w io.Writer, report, table string, rows []tabulate.Row) error {
	grids := tables().Grids(report, map[string][]tabulate.Row{table: rows})

	for _, g := range grids {
		for _, line := range g.Lines {
			for column := range g.Words {
				line[column] = code(line[column])
			}
		}
	}

	return tabulate.WriteMarkdown(w, grids)
}

// marks escapes what Markdown, HTML and GitHub do not read as a plain character, in words and in
// cells of tables.
var marks = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;",
	"|", "&#124;", "*", "&#42;", "`", "&#96;", "[", "&#91;", "]", "&#93;", `\`, "&#92;",
	"~", "&#126;", "!", "&#33;", "$", "&#36;", "@", "&#64;", "#", "&#35;", "://", "&#58;//",
)

// edge matches an underscore that is not between two letters, where it would begin or end emphasis.
var edge = regexp.MustCompile(`\b_|_\b`)

func escaped(text string) string { return edge.ReplaceAllString(marks.Replace(text), "&#95;") }

// code returns a foreign text as code: nobody is notified, and nothing linked, by what it names.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "<code>" + escaped(text) + "</code>"
}

// apart puts an invisible space behind the marks of people and issues, so that neither is linked.
var apart = strings.NewReplacer("&#64;", "&#64;&#8203;", "&#35;", "&#35;&#8203;")

// prose returns a text that has foreign names as a line of words.
func prose(text string) string { return apart.Replace(escaped(display.Line(text, 0))) }
