package synth

import (
	"embed"
	"sync"

	"toolevo/envs/datafile"
)

// wordFiles are what synthetic corpora are made of: a file of words for each dataset that has some.
//
//go:embed words/*.yaml
var wordFiles embed.FS

// wordsIn returns a function that decodes a file of words when it is first called.
func wordsIn[T any](file string) func() *T {
	return sync.OnceValue(func() *T { return datafile.Decode[T](wordFiles, "words/"+file) })
}
