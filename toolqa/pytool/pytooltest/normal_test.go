package pytooltest

import (
	"regexp"
	"strings"
)

var (
	libraryFrame = regexp.MustCompile(`^  File "[^<"][^"]*", line \d+, in `)

	repeated = regexp.MustCompile(
		`\[Previous line repeated \d+ more times\]|\[\d+ more frames\]\n(?:  File .*\n(?:    .*\n)*)*`)
	suggestion = regexp.MustCompile(`\. (Did you mean: |Did you forget to import |Or did you forget to import ).*`)
	syntax     = regexp.MustCompile(
		`(?m)^(?:  File "<string>", line (\d+)\n(?:    .*\n)*)?(?:Syntax|Indentation|Tab)Error: .*?(?: \((<\w+>, line \d+)\))?$`)
	recursion = regexp.MustCompile(`(?m)^RecursionError: .*`)
)

// reworded are messages that changed between versions, and the words they are compared by.
var reworded = []struct {
	message *regexp.Regexp
	words   string
}{
	{regexp.MustCompile(`cannot use '\w+' as a .* \((unhashable type: '\w+')\)`), "$1"},
	{regexp.MustCompile(`too many values to unpack \(expected (\d+), got \d+\)`),
		"too many values to unpack (expected $1)"},
	{regexp.MustCompile(`ValueError: expected a nonnegative input, got .*`), "ValueError: math domain error"},
	{regexp.MustCompile(`local variable '(\w+)' referenced before assignment`),
		"cannot access local variable '$1' where it is not associated with a value"},
	{regexp.MustCompile(`max\(\) iterable argument is empty`), "max() arg is an empty sequence"},
	{regexp.MustCompile(`numpy\._core\.`), "numpy.core."},
}

// normal takes from an observation what differs between versions of Python and has no meaning.
func normal(text string) string {
	text = withoutLibrary(text)
	text = repeated.ReplaceAllString(text, "[more]")
	text = suggestion.ReplaceAllString(text, "")
	text = syntax.ReplaceAllString(text, "SyntaxError in line $1$2")

	text = recursion.ReplaceAllString(text, "RecursionError")
	for _, r := range reworded {
		text = r.message.ReplaceAllString(text, r.words)
	}
	return text
}

// withoutLibrary removes the frames of the standard library from tracebacks, with the source below
// them.
func withoutLibrary(text string) string {
	var b strings.Builder

	inside := false
	for line := range strings.Lines(text) {
		inside = libraryFrame.MatchString(line) || inside && strings.HasPrefix(line, "    ")
		if !inside {
			b.WriteString(line)
		}
	}

	return b.String()
}
