package main

import (
	"io"
	"path/filepath"

	"toolevo/envs/console"
	"toolevo/envs/durable"
	"toolevo/finetune/chart"
	"toolevo/finetune/table"
	"toolevo/finetune/tabulate"
)

// outFile is a file of an output folder.
type outFile struct {
	name  string
	write func(io.Writer) error
}

// jsonFile has a document.
func jsonFile(name string, v any) outFile {
	return outFile{name, func(w io.Writer) error {
		text, err := console.EncodeJSON(v)
		if err == nil {
			_, err = w.Write(text)
		}

		return err
	}}
}

// tableFiles have tables as Markdown and as LaTeX.
func tableFiles(name string, tables []table.Table) []outFile {
	return []outFile{
		{name + ".md", func(w io.Writer) error { return table.WriteMarkdown(w, tables) }},
		{name + ".tex", func(w io.Writer) error { return table.WriteLaTeX(w, tables) }},
	}
}

// gridFiles have tables as Markdown and as LaTeX.
func gridFiles(name string, grids []tabulate.Grid) []outFile {
	return []outFile{
		{name + ".md", func(w io.Writer) error { return tabulate.WriteMarkdown(w, grids) }},
		{name + ".tex", func(w io.Writer) error { return tabulate.WriteLaTeX(w, grids) }},
	}
}

// figureFiles have each figure as SVG and as PNG.
func figureFiles(figures []chart.Figure) []outFile {
	var files []outFile
	for _, f := range figures {
		files = append(files, outFile{f.Name + ".svg", f.WriteSVG}, outFile{f.Name + ".png", f.WritePNG})
	}

	return files
}

// writeFiles writes files into a folder, each of which appears whole or not at all, and returns their paths.
func writeFiles(dir string, files []outFile) ([]string, error) {
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
