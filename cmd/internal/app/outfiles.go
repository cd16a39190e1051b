package app

import (
	"io"
	"path/filepath"

	"toolevo/envs/console"
	"toolevo/envs/durable"
	"toolevo/finetune/chart"
	"toolevo/finetune/table"
)

// OutFile is a file of an output folder: its name, and what writes it.
type OutFile struct {
	Name  string
	Write func(io.Writer) error
}

// JSONFile has a document.
func JSONFile(name string, v any) OutFile {
	return OutFile{name, func(w io.Writer) error {
		text, err := console.EncodeJSON(v)
		if err == nil {
			_, err = w.Write(text)
		}

		return err
	}}
}

// TableFiles have tables as Markdown and as LaTeX.
func TableFiles(name string, tables []table.Table) []OutFile {
	return []OutFile{
		{name + ".md", func(w io.Writer) error { return table.WriteMarkdown(w, tables) }},
		{name + ".tex", func(w io.Writer) error { return table.WriteLaTeX(w, tables) }},
	}
}

// FigureFiles have each figure as SVG and as PNG.
func FigureFiles(figures []chart.Figure) []OutFile {
	var files []OutFile
	for _, f := range figures {
		files = append(files, OutFile{f.Name + ".svg", f.WriteSVG}, OutFile{f.Name + ".png", f.WritePNG})
	}

	return files
}

// WriteFiles writes files into a folder, each of which appears whole or not at all, and returns their paths.
func WriteFiles(dir string, files []OutFile) ([]string, error) {
	var paths []string

	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		if err := durable.WriteFile(path, f.Write); err != nil {
			return nil, err
		}

		paths = append(paths, path)
	}

	return paths, nil
}
