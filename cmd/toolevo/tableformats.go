package main

import (
	"io"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/finetune/stored"
)

// tables is a report that is printed as a table, or in another format.
type tables interface {
	stored.Tables
	WriteTable(w io.Writer) error
}

// tableFormats are the names of the formats.
var tableFormats = []string{"table", "markdown", "csv", "latex"}

// formatFlag adds --format.
func formatFlag(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVar(format, "format", "table", "`NAME`: table, markdown, csv or latex")
}

// checkFormat refuses a format that there is not.
func checkFormat(name string) error {
	if _, err := names.Parse("format", name, tableFormats); err != nil {
		return console.Usage("--format: %w", err)
	}

	return nil
}

// showTables prints a document as JSON, or its tables in a format.
func (a *app) showTables(asJSON bool, document any, t tables, format string) error {
	switch {
	case asJSON:
		return a.PrintJSON(document)
	case format == "markdown":
		return t.WriteMarkdown(a.Out)
	case format == "csv":
		return t.WriteCSV(a.Out)
	case format == "latex":
		return t.WriteLaTeX(a.Out)
	}

	return t.WriteTable(a.Out)
}
