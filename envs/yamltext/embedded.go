package yamltext

import (
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"text/template"

	"github.com/goccy/go-yaml"
)

// Once returns a function that decodes an embedded file the first time it is called.
func Once[T any](files fs.FS, path string) func() T {
	return sync.OnceValue(func() T { return *DecodeFile[T](files, path) })
}

// DecodeFile decodes an embedded file. It panics if the file does not fit the type: a mistake in
// the program, which every test that needs the file finds.
func DecodeFile[T any](files fs.FS, path string) *T {
	var decoded T

	text, err := fs.ReadFile(files, path)
	if err == nil {
		err = yaml.UnmarshalWithOptions(text, &decoded, yaml.Strict())
	}

	if err != nil {
		panic(fmt.Sprintf("yamltext: %s: %v", path, err))
	}
	return &decoded
}

// Text returns a function that fills in an embedded template. The function panics if the data does
// not fit.
func Text(files fs.FS, path string) func(data any) string {
	parsed := sync.OnceValue(func() *template.Template { return template.Must(template.ParseFS(files, path)) })
	return func(data any) string {
		var b strings.Builder
		if err := parsed().Execute(&b, data); err != nil {
			panic(fmt.Sprintf("yamltext: %s: %v", path, err))
		}
		return b.String()
	}
}
