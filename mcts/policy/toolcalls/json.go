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

// skipBlanks returns the first byte from i on that is not white space.
func skipBlanks(text string, i int) int { return len(text) - len(strings.TrimLeft(text[i:], blanks)) }

const blanks = " \t\r\n"

// objectEnd returns where the JSON object ends that begins at byte i, behind white space, or -1 if
// there is no object, or it is cut or broken.
func objectEnd(text string, i int) (end int) {
	_, rest, err := pytext.DecodeObject(text[i:])
	if err != nil {
		return -1
	}
	return len(text) - len(rest)
}

// jsonMarks matches strings, and the punctuation between values.
var jsonMarks = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"|[\[\]{}:,]`)

// objectCall returns the call in a JSON object. Its members are taken as they are written.
func (f form) objectCall(object string) (c action.ToolCall, ok bool) {
	members := map[string]string{}
	key, depth, begin := "", 0, 0
	written := func(end int) string { return strings.Trim(object[begin:end], blanks) }

	// The object is known to be whole, so counting depths is enough. Decoding it would lose how
	// numbers are written and the order of keys, which the arguments keep.
	for _, place := range jsonMarks.FindAllStringIndex(object, -1) {
		mark := object[place[0]]
		if mark == '}' || mark == ']' {
			depth--
		}

		// Depth 0 is the first brace, at which an empty member is noted, or the last.
		switch {
		case depth == 0:
			members[key] = written(place[0])
			begin = place[1]
		case depth == 1 && mark == ':':
			key, begin = written(place[0]), place[1]
		case depth == 1 && mark == ',':
			members[key], begin = written(place[0]), place[1]
		}

		if mark == '{' || mark == '[' {
			depth++
		}
	}

	// A name has to be a string, and an object without a name or arguments is data, not a call.
	name, _ := pytext.Decode(members[memberName])
	c.Name, _ = name.(string)

	for _, a := range f.arguments {
		if c.Arguments == "" {
			c.Arguments = members[a]
		}
	}

	return c, c.Name != "" && c.Arguments != ""
}
