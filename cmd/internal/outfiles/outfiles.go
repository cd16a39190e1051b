// Package outfiles writes the files that commands leave in output folders beside what they print.
package outfiles

import (
	"io"
	"os"
	"path/filepath"

	"toolevo/envs/console"
	"toolevo/envs/durable"
	"toolevo/finetune/chart"
	"toolevo/finetune/table"
)

// File is a file of an output folder.
type File struct {
	Name  string
	Write func(io.Writer) error
}

// JSON has a document.
func JSON(name string, v any) File {
	return File{name, func(w io.Writer) error {
		text, err := console.EncodeJSON(v)
		if err == nil {
			_, err = w.Write(text)
		}

		return err
	}}
}

// Tables have tables as Markdown and as LaTeX.
func Tables(name string, tables []table.Table) []File {
	return []File{
		{name + ".md", func(w io.Writer) error { return table.WriteMarkdown(w, tables) }},
		{name + ".tex", func(w io.Writer) error { return table.WriteLaTeX(w, tables) }},
	}
}

// Figures have each figure as SVG and as PNG.
func Figures(figures []chart.Figure) []File {
	var files []File
	for _, f := range figures {
		files = append(files, File{f.Name + ".svg", f.WriteSVG}, File{f.Name + ".png", f.WritePNG})
	}

	return files
}

// Write writes files into a folder, which is made, each whole or not at all, and returns their
// paths.
func Write(dir string, files []File) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, console.GaveUp(err)
	}

	var paths []string

	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		if err := durable.WriteFile(path, f.Write); err != nil {
			return nil, console.GaveUp(err)
		}

		paths = append(paths, path)
	}

	return paths, nil
}
