package openapi

import (
	"cmp"
	"regexp"
	"strings"

	"toolevo/envs/display"
)

// tags are the HTML tags that descriptions have.
var tags = regexp.MustCompile(`</?(?:a|b|br|code|div|em|h[1-6]|i|li|ol|p|pre|span|strong|table|td|tr|ul)\b[^<>]*>`)

// Shortened returns a text as one line without tags, of at most most characters, that ends with a
// sentence or an ellipsis. most is that of [Options].
func Shortened(text string, most int) string { return shortened(text, cmp.Or(most, usualDescription)) }

func shortened(text string, most int) string {
	text = text[:min(len(text), 100*most)]
	line := display.Line(tags.ReplaceAllString(text, " "), most)
	if end := strings.LastIndex(line, ". "); strings.HasSuffix(line, "…") && end > 0 {
		return line[:end+1]
	}

	return line
}
