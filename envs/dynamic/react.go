package dynamic

import (
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

const (
	actionMark = "Action:"
	inputWord  = "Action Input"
	inputMark  = inputWord + ":"
)

// parse reads the name and the JSON text of an action by the rules of the package documentation; ok is false
// when either is missing.
func parse(text string) (name, input string, ok bool) {
	_, after, ok := strings.Cut(text, actionMark)
	if !ok {
		return "", "", false
	}

	name, _, ok = strings.Cut(after, inputWord)
	if !ok {
		return "", "", false
	}

	if name = pytext.Strip(name); name == "" {
		return "", "", false
	}

	input, ok = parseInput(text)

	return name, input, ok
}

func parseInput(text string) (input string, ok bool) {
	end := strings.LastIndexByte(text, '}')
	for rest := text; ; {
		_, after, found := strings.Cut(rest, inputMark)
		if !found {
			return "", false
		}

		object := strings.TrimLeftFunc(after, pytext.IsSpace)
		if !strings.HasPrefix(object, "{") {
			rest = after
			continue
		}

		start := len(text) - len(object)
		if end < start+2 {
			return "", false
		}

		return text[start : end+1], true
	}
}

// decode returns the arguments in the JSON text of an action. The text begins with a brace.
func decode(input string) (envs.Args, error) {
	v, err := pytext.Decode(input)
	if err != nil {
		return nil, err
	}

	return v.(envs.Args), nil
}

// valid returns s with its bytes that are not UTF-8 replaced.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// Canonical implements [envs.Canonicalizer]. The key of a call is the name as it was written and the arguments in the
// order they were written, on one line, e.g. LoadDB {"DBName": "coffee"}. The key of any other text is the text without
// the space around it, quoted, so that no text can pretend to be a call.
func (e *Environment[S]) Canonical(a envs.Action) string {
	text := valid(string(a))

	name, input, ok := parse(text)
	if !ok {
		return strconv.Quote(pytext.Strip(text))
	}

	args, err := decode(input)
	if err != nil {
		return strconv.Quote(pytext.Strip(text))
	}

	if !plain(name) {
		name = strconv.Quote(name)
	}

	key := make([]byte, 0, len(name)+1+len(input))
	key = append(key, name...)
	key = append(key, ' ')

	return string(pytext.AppendJSON(key, args))
}

// plain reports whether a name looks like one: letters, digits and underscores.
func plain(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}

	return name != ""
}
