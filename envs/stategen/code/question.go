package code

import (
	"strings"

	"toolevo/envs/stategen"
)

// Question returns what a model is asked to write a program for: what the variables are, what else
// is loaded, how the APIs are called in the version of the surface, and what to do, as Choice.Ask
// of package suite gives it. It has no blank line, which would end the question in a prompt.
func (s *Surface) Question(t *stategen.Task, instructions string) string {
	lines := []string{
		t.Instruction.Variables,
		s.style().loaded() + " The APIs are called like this:",
	}

	for _, call := range s.Signatures() {
		lines = append(lines, "    "+call)
	}

	lines = append(lines, instructions)
	return paragraph(strings.Join(lines, "\n"))
}

// paragraph returns a text without its blank lines.
func paragraph(text string) string {
	var kept []string

	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			kept = append(kept, line)
		}
	}

	return strings.Join(kept, "\n")
}
