package export

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"toolevo/envs/disk"
	"toolevo/envs/yamltext"
)

// Private is something in a file of samples that should hardly be shared. Its text is not repeated
// here.
type Private struct {
	Is    string `json:"is"`    // in words, e.g. "a home folder"
	File  string `json:"file"`  // of the export
	Line  int    `json:"line"`  // the first line that has it, from 1
	Lines int    `json:"lines"` // how many lines have it
}

// privateText is a kind of text that should hardly be shared.
type privateText struct {
	Is, Has, Like string
	like          *regexp.Regexp
}

// wordBegins matches what comes before a word in a line of JSON, where a line break looks like a
// letter.
const wordBegins = `(?:^|[^A-Za-z0-9._/-]|\\[nrt])`

// privateTexts returns the kinds of private.yaml.
var privateTexts = sync.OnceValue(func() []privateText {
	all := slices.Clone(yamltext.Once[[]privateText](files, "private.yaml")())
	for i := range all {
		all[i].like = regexp.MustCompile(wordBegins + all[i].Like)
	}
	return all
})

// lookForPrivate notes what in a folder's samples should hardly be shared.
func (m *Manifest) lookForPrivate(dir string) error {
	for _, d := range m.datasets() {
		number := 0
		for line, err := range disk.Lines(filepath.Join(dir, d.jsonl())) {
			if err != nil {
				return err
			}

			number++
			m.notePrivate(d.jsonl(), number, line)
		}
	}
	return nil
}

// notePrivate notes what a line has, each kind once.
func (m *Manifest) notePrivate(file string, number int, line []byte) {
	noted := ""

	for _, t := range privateTexts() {
		// Looking for a fixed text is a hundred times as fast, and few lines have any.
		if t.Is == noted || !bytes.Contains(line, []byte(t.Has)) || !t.like.Match(line) {
			continue
		}

		noted = t.Is

		i := slices.IndexFunc(m.Private, func(p Private) bool { return p.Is == t.Is && p.File == file })
		if i < 0 {
			i, m.Private = len(m.Private), append(m.Private, Private{Is: t.Is, File: file, Line: number})
		}

		m.Private[i].Lines++
	}
}
