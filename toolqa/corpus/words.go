package corpus

import (
	"embed"
	"sync"

	"toolevo/toolqa"
)

// dataFiles are the tables of the datasets, and what synthetic corpora are made of: a file of words for each dataset
// that has some.
//
//go:embed schemas.yaml words/*.yaml
var dataFiles embed.FS

// wordsIn returns a function that decodes a file of words when it is first called.
func wordsIn[T any](file string) func() *T {
	return sync.OnceValue(func() *T { return toolqa.DecodeFile[T](dataFiles, "words/"+file) })
}
