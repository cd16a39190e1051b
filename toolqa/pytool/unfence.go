package pytool

import (
	"strings"

	"toolevo/envs/pytext"
)

const blanks = " \t\n\v\f\r"

// unfence removes blank lines and backquotes around a program, the word python where it names the
// language, and indentation that all lines share.
func unfence(code string) string {
	bare := strings.TrimLeft(code, blanks+"`")

	fence := code[:len(code)-len(bare)]
	if rest, ok := cutTag(bare); ok {
		inline := strings.TrimLeft(rest, " \t")
		if strings.HasPrefix(inline, "\n") || strings.HasPrefix(inline, "\r") || strings.Contains(fence, "`") &&
			inline != rest {
			fence, bare = rest[:len(rest)-len(strings.TrimLeft(rest, blanks))], strings.TrimLeft(rest, blanks)
		}
	}

	indent := fence[strings.LastIndexAny(fence, "\n`")+1:]
	return dedent(strings.TrimRight(bare, blanks+"`"), indent)
}

// unfencePublished does as the published code does: the word python goes from the start of any
// program, and the indentation of the first line only.
func unfencePublished(code string) string {
	around := func(r rune) bool { return r == '`' || pytext.IsSpace(r) }

	code = strings.TrimLeftFunc(code, around)
	if rest, ok := cutTag(code); ok {
		code = strings.TrimLeftFunc(rest, pytext.IsSpace)
	}
	return strings.TrimRightFunc(code, around)
}

// cutTag removes the word python, in any case.
func cutTag(code string) (rest string, ok bool) {
	n := len("python")
	if len(code) < n || !strings.EqualFold(code[:n], "python") {
		return code, false
	}
	return code[n:], true
}

// dedent removes an indentation, which the first line has lost already, from the other lines if
// they all have it.
func dedent(code, indent string) string {
	if indent == "" {
		return code
	}

	lines := strings.Split(code, "\n")
	for i, line := range lines[1:] {
		rest, ok := strings.CutPrefix(line, indent)
		if !ok && strings.TrimSpace(line) != "" {
			return code
		}

		lines[i+1] = rest
	}
	return strings.Join(lines, "\n")
}
