package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"

	"toolevo/envs/console"
	"toolevo/envs/durable"
	"toolevo/finetune/chart"
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
func tableFiles(name string, grids []tabulate.Grid) []outFile {
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

// writeFiles writes files into a folder, and returns their paths. All take the place of those before at
// once, unless the folder holds something else, which somebody may be working on.
func writeFiles(dir string, files []outFile) (paths []string, err error) {
	fill := func(work string) error {
		for _, f := range files {
			if err := durable.WriteFile(filepath.Join(work, f.name), f.write); err != nil {
				return err
			}

			paths = append(paths, filepath.Join(dir, f.name))
		}

		return nil
	}

	there, err := os.ReadDir(dir)
	if err != nil && !isMissing(err) {
		return nil, err
	}

	if slices.ContainsFunc(there, func(e os.DirEntry) bool {
		return !slices.ContainsFunc(files, func(f outFile) bool { return f.name == e.Name() })
	}) {
		err = fill(dir)
	} else {
		err = durable.ReplaceFolder(dir, fill)
	}

	return paths, err
}
