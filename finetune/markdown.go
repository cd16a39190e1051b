package finetune

import (
	"fmt"
	"io"
	"strings"

	"toolevo/finetune/table"
)

// WriteMarkdown writes the report as Markdown tables: accuracies, a line for each policy and dataset and a column for
// each API version as in the paper's Tables 2-4, the paired comparisons, the turns by outcome, accuracies by template,
// and what the figures depend on.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder

	tables := []table.Table{r.accuracyTable()}
	for _, t := range []table.Table{r.repeatTable(), r.comparisonTable(), r.outcomeTable(), r.templateTable()} {
		if len(t.Lines) > 0 {
			tables = append(tables, t)
		}
	}

	_ = table.WriteMarkdown(&b, tables) // b takes all

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
