package main

import (
	"toolevo/cmd/internal/outfiles"
	"toolevo/finetune/report"
)

// driftPage is the page of an experiment.
const driftPage = "drift.html"

// writeDrift writes the report of an experiment in all formats, and returns the paths.
func writeDrift(dir string, page *report.Page) ([]string, error) {
	r := page.Robustness

	return outfiles.Write(dir, append([]outfiles.File{
		outfiles.JSON("drift.json", r),
		{Name: "drift.csv", Write: r.WriteCSV},
		{Name: "drift-statistics.csv", Write: r.WriteStatisticsCSV},
		{Name: "drift.md", Write: r.WriteMarkdown},
		{Name: "drift.tex", Write: r.WriteLaTeX},
		{Name: driftPage, Write: page.Write},
	}, outfiles.Figures(r.Figures())...))
}
