package disk

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"toolevo/envs/names"
)

// ending ends the names of the files that are shipped by name.
const ending = ".yaml"

// Named lists the YAML files of a folder, without their ending.
func Named(folder fs.FS) ([]string, error) {
	files, err := fs.Glob(folder, "*"+ending)
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, ending)
	}
	return files, err
}

// ReadNamed reads the YAML file of a name in a folder, or else the file at that path. If there is
// neither, the error names the kind and the files of the folder.
func ReadNamed(folder fs.FS, kind, name string) ([]byte, error) {
	known, err := Named(folder)
	if err != nil {
		return nil, err
	}

	if slices.Contains(known, name) {
		return fs.ReadFile(folder, name+ending)
	}

	text, err := ReadText(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, names.Unknown(kind+" or file", name, known)
	}
	return text, err
}
