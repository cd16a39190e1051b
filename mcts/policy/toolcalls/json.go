package toolcalls

import (
	"regexp"
	"strings"

	"toolevo/envs/action"
	"toolevo/envs/pytext"
)

// The members of an object that is a call, as they are written.
const (
	memberName       = `"name"`
	memberArguments  = `"arguments"`
	memberParameters = `"parameters"`
)

// blank returns the first byte from i on that is no white space.
func blank(text string, i int) int { return len(text) - len(strings.TrimLeft(text[i:], blanks)) }

const blanks = " \t\r\n"

// object returns where the JSON object ends that begins at byte i, behind white space, or -1 when
// there is none, or one that is cut or broken.
func object(text string, i int) (end int) {
	_, rest, err := pytext.DecodeObject(text[i:])
	if err != nil {
		return -1
	}
	return len(text) - len(rest)
}

// jsonMarks are strings, and what stands between values.
var jsonMarks = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"|[\[\]{}:,]`)

// objectCall returns the call that a JSON object is. Its members are taken as they are written.
func (f form) objectCall(object string) (c action.ToolCall, ok bool) {
	members := map[string]string{}
	key, depth, begin := "", 0, 0
	written := func(end int) string { return strings.Trim(object[begin:end], blanks) }

	for _, at := range jsonMarks.FindAllStringIndex(object, -1) {
		mark := object[at[0]]
		if mark == '}' || mark == ']' {
			depth--
		}

		switch {
		case depth == 0:
			members[key] = written(at[0]) // once of nothing, at the first brace
			begin = at[1]
		case depth == 1 && mark == ':':
			key, begin = written(at[0]), at[1]
		case depth == 1 && mark == ',':
			members[key], begin = written(at[0]), at[1]
		}

		if mark == '{' || mark == '[' {
			depth++
		}
	}

	name, _ := pytext.Decode(members[memberName])
	c.Name, _ = name.(string)

	for _, a := range f.arguments {
		if c.Arguments == "" {
			c.Arguments = members[a]
		}
	}

	return c, c.Name != "" && c.Arguments != ""
}
