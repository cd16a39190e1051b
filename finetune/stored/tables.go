package stored

import "io"

// Printed is a report that is printed as a table, or in another format.
type Printed interface {
	Tables
	WriteTable(w io.Writer) error
}

// TableFormats returns the names of the formats, the default first.
func TableFormats() []string { return []string{"table", "markdown", "csv", "latex"} }

// WriteAs writes the tables of a report in a format.
func WriteAs(w io.Writer, r Printed, format string) error {
	switch format {
	case "markdown":
		return r.WriteMarkdown(w)
	case "csv":
		return r.WriteCSV(w)
	case "latex":
		return r.WriteLaTeX(w)
	}

	return r.WriteTable(w)
}
