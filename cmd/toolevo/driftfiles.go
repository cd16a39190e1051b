package main

import "toolevo/finetune/report"

// driftPage is the page of an experiment.
const driftPage = "drift.html"

// writeDrift writes the report of an experiment in all formats, and returns the paths.
func writeDrift(dir string, page *report.Page) ([]string, error) {
	r := page.Robustness

	return writeFiles(dir, append([]outFile{
		jsonFile("drift.json", r),
		{"drift.csv", r.WriteCSV},
		{"drift-statistics.csv", r.WriteStatisticsCSV},
		{driftPage, page.Write},
	}, append(tableFiles("drift", r.Tables()), figureFiles(r.Figures())...)...))
}
