package finetune

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteTable writes the report for a terminal: a line for each cell and each mean over datasets, with the official
// accuracy's interval beside it, and the paired comparisons. With names as long as scripted:reader and p_s_ood it
// fits 80 columns.
func (r *Report) WriteTable(w io.Writer) error {
	if err := r.rowTable().write(w); err != nil {
		return err
	}

	for _, t := range []table{r.repeatTable(), r.comparisonTable()} {
		if len(t.lines) == 0 {
			continue
		}

		fmt.Fprintln(w)

		if err := t.write(w); err != nil {
			return err
		}
	}

	for _, line := range r.Warnings {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}

	return nil
}

// WriteTemplates writes the official accuracy of each template for a terminal: a line for each policy, a column for
// each API version. With names as long as scripted:reader and three versions it fits 80 columns.
func (r *Report) WriteTemplates(w io.Writer) error { return r.templateTable().write(w) }

// write writes the table for a terminal, without its title.
func (t table) write(w io.Writer) error {
	tabs := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)

	heads := append(strings.Split(strings.ToUpper(strings.Join(t.heads, "\t")), "\t"), t.names...)
	for _, line := range append([][]string{heads}, t.lines...) {
		fmt.Fprintln(tabs, strings.Join(line, "\t"))
	}

	return tabs.Flush()
}
