package prompt

import (
	"embed"
	"strconv"
	"strings"

	"toolevo/envs/yamltext"
)

// What stands before the question that is asked (ToolEvo, appendix D.2). How the turns are marked is the
// codec's.
const (
	TurnHeading    = "Now it is your turn." // ends the demonstrations
	QuestionMarker = "Question:"
)

// wording is what a model is told about the tools.
type wording struct {
	Opening    string
	Guidelines []string
	Format     string
}

//go:embed wordings.yaml
var files embed.FS

// wordings are those of the codecs, by their names.
var wordings = yamltext.Once[map[string]wording](files, "wordings.yaml")

const (
	guidelinesHeading = "Follow these guidelines:"
	examplesHeading   = "Here are some examples:"
)

// appendNumbered appends lines as "(first) line", one each.
func appendNumbered(b *strings.Builder, first int, lines []string) {
	for i, line := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}

		b.WriteByte('(')
		b.WriteString(strconv.Itoa(first + i))
		b.WriteString(") ")
		b.WriteString(line)
	}
}
