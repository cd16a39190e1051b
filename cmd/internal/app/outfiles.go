package app

import (
	"io"
	"os"
	"path/filepath"
	"slices"

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

// WriteFiles writes files into a folder, and returns their paths. All take the place of those before at
// once, unless the folder holds something else, which somebody may be working on.
func WriteFiles(dir string, files []OutFile) (paths []string, err error) {
	fill := func(work string) error {
		for _, f := range files {
			if err := durable.WriteFile(filepath.Join(work, f.Name), f.Write); err != nil {
				return err
			}

			paths = append(paths, filepath.Join(dir, f.Name))
		}

		return nil
	}

	there, err := os.ReadDir(dir)
	if err != nil && !isMissing(err) {
		return nil, err
	}

	if slices.ContainsFunc(there, func(e os.DirEntry) bool {
		return !slices.ContainsFunc(files, func(f OutFile) bool { return f.Name == e.Name() })
	}) {
		err = fill(dir)
	} else {
		err = durable.ReplaceFolder(dir, fill)
	}

	return paths, err
}
