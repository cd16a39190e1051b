package corpus

import (
	"embed"
	"fmt"
	"sync"

	"github.com/goccy/go-yaml"
)

// wordFiles are what synthetic corpora are made of: a file for each dataset that has words.
//
//go:embed words/*.yaml
var wordFiles embed.FS

// wordsIn returns a function that decodes a file of words when it is first called.
func wordsIn[T any](file string) func() *T {
	return sync.OnceValue(func() *T {
		var words T

		text, err := wordFiles.ReadFile("words/" + file)
		if err == nil {
			err = yaml.UnmarshalWithOptions(text, &words, yaml.Strict())
		}

		if err != nil {
			panic(fmt.Sprintf("corpus: words/%s: %v", file, err)) // the file is ours
		}

		return &words
	})
}
