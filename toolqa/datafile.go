package toolqa

import (
	"fmt"
	"io/fs"

	"github.com/goccy/go-yaml"
)

// DecodeFile decodes a YAML file that is part of the program. It panics where the file does not fit: a mistake of ours.
func DecodeFile[T any](files fs.FS, path string) *T {
	var decoded T

	text, err := fs.ReadFile(files, path)
	if err == nil {
		err = yaml.UnmarshalWithOptions(text, &decoded, yaml.Strict())
	}

	if err != nil {
		panic(fmt.Sprintf("toolqa: %s: %v", path, err))
	}

	return &decoded
}
