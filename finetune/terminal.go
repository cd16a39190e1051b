package finetune

import (
	"fmt"
	"io"

	"toolevo/finetune/table"
)

// WriteTable writes the report for a terminal: a line for each cell and each mean over datasets, with the official
// accuracy's interval beside it, and the paired comparisons. With names as long as scripted:reader and p_s_ood it
// fits 80 columns.
func (r *Report) WriteTable(w io.Writer) error {
	rows := r.rowTable()
	if len(rows.Lines) == 0 {
		_, err := fmt.Fprintln(w, "no episode yet")
		return err
	}

	if err := rows.Write(w); err != nil {
		return err
	}

	for _, t := range []table.Table{r.repeatTable(), r.comparisonTable()} {
		if len(t.Lines) == 0 {
			continue
		}

		fmt.Fprintln(w)

		if err := t.Write(w); err != nil {
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
func (r *Report) WriteTemplates(w io.Writer) error {
	t := r.templateTable()

	return t.Write(w)
}
