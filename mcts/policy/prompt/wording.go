package prompt

import (
	"embed"
	"strconv"
	"strings"

	"toolevo/envs/yamltext"
)

// What precedes the question (ToolEvo, appendix D.2). The codec decides how turns are marked.
const (
	TurnHeading    = "Now it is your turn." // ends the demonstrations
	QuestionMarker = "Question:"
)

// wording is what a model is shown about the tools.
type wording struct {
	Opening string
	First   []string // guidelines before those of the tools
	Paper   []string // in place of First in the layout Paper
	Then    []string // guidelines behind those of the tools
	Format  string
}

//go:embed wordings.yaml baselines.yaml
var files embed.FS

// baselines are what the baselines of an evaluation add.
var baselines = yamltext.Once[struct{ Documents, Rules string }](files, "baselines.yaml")

// wordings are those of the codecs, by their names; tools-parallel is for several calls in a turn.
var wordings = yamltext.Once[map[string]wording](files, "wordings.yaml")

const (
	guidelinesHeading = "Follow these guidelines:"
	examplesHeading   = "Here are some examples:"
)

// appendNumbered appends a line of a list: "(n) text".
func appendNumbered(b *strings.Builder, n int, text string) {
	b.WriteByte('(')
	b.WriteString(strconv.Itoa(n))
	b.WriteString(") ")
	b.WriteString(text)
	b.WriteByte('\n')
}
