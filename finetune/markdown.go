package finetune

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteMarkdown writes the report as Markdown tables: accuracies, a line for each policy and dataset and a column for
// each API version as in the paper's Tables 2-4, the paired comparisons, the turns by outcome, accuracies by template,
// and what the figures depend on.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder

	r.accuracyTable().markdown(&b)

	for _, t := range []table{r.repeatTable(), r.comparisonTable(), r.outcomeTable(), r.templateTable()} {
		if len(t.lines) > 0 {
			b.WriteByte('\n')
			t.markdown(&b)
		}
	}

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

// markdown writes the table below its title.
func (t table) markdown(b *strings.Builder) {
	columns := len(t.heads) + len(t.names)
	rule := strings.Repeat("---|", t.words) + strings.Repeat("---:|", columns-t.words)

	fmt.Fprintf(b, "%s\n\n| %s |\n|%s\n", t.title, strings.Join(slices.Concat(t.heads, t.names), " | "), rule)

	for _, line := range t.lines {
		fmt.Fprintf(b, "| %s |\n", strings.Join(line, " | "))
	}
}
