package variability

import (
	_ "embed"
	"io"

	"toolevo/finetune/tabulate"
)

//go:embed tables.yaml
var tablesYAML []byte

var tables = tabulate.Embedded(tablesYAML, nil, []string{"factors"})

// WriteTable writes the rows for a terminal, those of each policy below its name. It fits 80 columns. Change is in
// percentage points.
func WriteTable(w io.Writer, rows []Row) error {
	return tabulate.WriteText(w, tables().Grids("factors", map[string][]tabulate.Row{"changes": tabulate.RowsOf(rows)}), 80)
}

// WriteCSV writes the rows with a heading, in full precision. Shares are 0 to 1; a field without a value is empty.
func WriteCSV(w io.Writer, rows []Row) error {
	return tables().Tables["changes"].WriteCSV(w, tabulate.RowsOf(rows))
}
