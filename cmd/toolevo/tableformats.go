package main

import (
	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/finetune/stored"
)

// formatFlag adds --format.
func formatFlag(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVar(format, "format", "table", "`NAME`: table, markdown, csv or latex")
}

// checkFormat refuses a format that there is not.
func checkFormat(name string) error {
	if _, err := names.Parse("format", name, stored.TableFormats()); err != nil {
		return console.Usage("--format: %w", err)
	}

	return nil
}

// showTables prints a document as JSON, or its tables in a format.
func (a *app) showTables(asJSON bool, document any, t stored.Printed, format string) error {
	if asJSON {
		return a.PrintJSON(document)
	}

	return stored.WriteAs(a.Out, t, format)
}
