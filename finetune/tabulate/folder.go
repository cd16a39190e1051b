package tabulate

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"toolevo/envs/console"
	"toolevo/envs/disk"
)

// File is a file of an output folder.
type File struct {
	Name  string
	Write func(io.Writer) error
}

// JSONFile returns a file with a document.
func JSONFile(name string, v any) File {
	return File{name, func(w io.Writer) error {
		text, err := console.EncodeJSON(v)
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	}}
}

// TableFiles returns files with tables as Markdown and as LaTeX.
func TableFiles(name string, tables []Grid) []File {
	return []File{
		{name + ".md", func(w io.Writer) error { return WriteMarkdown(w, tables) }},
		{name + ".tex", func(w io.Writer) error { return WriteLaTeX(w, tables) }},
	}
}

// FigureFiles returns files with each figure as SVG and as PNG.
func FigureFiles(figures []Figure) []File {
	var files []File
	for _, f := range figures {
		files = append(files, File{f.Name + ".svg", f.WriteSVG}, File{f.Name + ".png", f.WritePNG})
	}
	return files
}

// WriteFolder writes files into a folder, and returns their paths. They replace the old ones all at
// once, unless the folder holds other files, which somebody may be working on.
func WriteFolder(dir string, files []File) (paths []string, err error) {
	fill := func(work string) error {
		for _, f := range files {
			if err := disk.WriteFile(filepath.Join(work, f.Name), f.Write); err != nil {
				return err
			}

			paths = append(paths, filepath.Join(dir, f.Name))
		}
		return nil
	}

	there, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}

	if slices.ContainsFunc(there, func(e os.DirEntry) bool {
		return !slices.ContainsFunc(files, func(f File) bool { return f.Name == e.Name() })
	}) {
		err = fill(dir)
	} else {
		err = disk.ReplaceFolder(dir, fill)
	}

	return paths, console.GaveUp(err)
}
