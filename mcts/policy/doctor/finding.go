package doctor

import (
	"embed"
	"fmt"
	"strings"

	"toolevo/envs/datafile"
)

//go:embed findings.yaml
var files embed.FS

// findings are the checks of findings.yaml by their names there, and what is to be done at an Ollama server instead.
var findings = datafile.Once[map[string]struct {
	Check  `yaml:",inline"`
	Ollama string
}](files, "findings.yaml")

// finding returns the check of a name in findings.yaml with its figures filled in.
func (p *examination) finding(name string, figures ...any) Check {
	entry := findings()[name]

	c := entry.Check
	if p.o.Kind == Ollama && entry.Ollama != "" {
		c.Do = entry.Ollama
	}

	for _, text := range []*string{&c.Seen, &c.Run, &c.Do} {
		if strings.Contains(*text, "%") {
			*text = fmt.Sprintf(*text, figures...)
		}
	}

	set := make(map[string]string, len(c.Set))
	for key, value := range c.Set { // those of the file stay as they are
		if set[key] = value; strings.Contains(value, "%") {
			set[key] = fmt.Sprintf(value, figures...)
		}
	}

	if c.Set = set; len(set) == 0 {
		c.Set = nil
	}

	return c
}
