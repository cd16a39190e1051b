package main

import (
	"io"
	"path/filepath"

	"toolevo/envs/console"
	"toolevo/envs/durable"
	"toolevo/finetune/report"
)

// driftPage is the page of an experiment.
const driftPage = "drift.html"

// writeDrift writes the report of an experiment in all formats, and returns the paths.
func writeDrift(dir string, page *report.Page) ([]string, error) {
	r := page.Robustness

	files := []struct {
		name  string
		write func(io.Writer) error
	}{
		{"drift.json", func(w io.Writer) error {
			text, err := console.EncodeJSON(r)
			if err == nil {
				_, err = w.Write(text)
			}

			return err
		}},
		{"drift.csv", r.WriteCSV},
		{"drift-statistics.csv", r.WriteStatisticsCSV},
		{"drift.md", r.WriteMarkdown},
		{"drift.tex", r.WriteLaTeX},
		{driftPage, page.Write},
	}

	for _, f := range r.Figures() {
		files = append(files, []struct {
			name  string
			write func(io.Writer) error
		}{{f.Name + ".svg", f.WriteSVG}, {f.Name + ".png", f.WritePNG}}...)
	}

	var paths []string

	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := durable.WriteFile(path, f.write); err != nil {
			return nil, err
		}

		paths = append(paths, path)
	}

	return paths, nil
}
