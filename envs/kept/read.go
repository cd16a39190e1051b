package kept

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
)

// The readers of this file take what a reply says beyond doubt. A draft before the answer, or two
// variants of it, are a doubt: a model that is asked again gives one answer.

// What is wrong with replies.
var (
	ErrNoObject = errors.New("it has no JSON object of the form that was asked for")
	ErrVariants = errors.New("it has several answers, which differ")
	ErrEmpty    = errors.New("it is empty")
	ErrThought  = errors.New("there are thoughts in it")
	ErrLeadIn   = errors.New("an introduction stands before it")
)

// mostBraces bounds how many places of a reply are looked at for an object.
const mostBraces = 64

// Objects returns the JSON objects in a reply that are of a form, whatever stands around them.
func Objects(reply string, is func(envs.Args) bool) (all []envs.Args) {
	for range mostBraces {
		brace := strings.IndexByte(reply, '{')
		if brace < 0 {
			break
		}

		reply = reply[brace:]

		if o, rest, err := pytext.DecodeObject(reply); err == nil && is(o) {
			all, reply = append(all, o), rest
		} else {
			reply = reply[1:] // the object may be within another one
		}
	}

	return all
}

// Object returns the object of a reply that has some of the members, what stands around it aside.
// Where several have, the members have to be the same in all.
func Object(reply string, members ...string) (envs.Args, error) {
	values := func(o envs.Args) (text string) {
		for _, name := range members {
			if v, ok := o.Get(name); ok {
				text += pytext.JSON(envs.Object(name, v))
			}
		}

		return text
	}

	all := Objects(reply, func(o envs.Args) bool { return values(o) != "" })
	if len(all) == 0 {
		return nil, ErrNoObject
	}

	for _, o := range all[1:] {
		if values(o) != values(all[0]) {
			return nil, ErrVariants
		}
	}

	return all[0], nil
}

// Verdict returns which of some verdicts, in small letters, the first line of a reply has, and what
// stands below it. The verdict is whole words, and the only one of its line; marks may stand around
// it, a name before it ("Status:"), and a remark behind it after a full stop, colon or dash.
func Verdict(reply string, verdicts ...string) (verdict, rest string, err error) {
	line, rest, _ := strings.Cut(strings.TrimLeft(reply, "` \t\r\n"), "\n")
	any := `(?i)\b(` + strings.Join(verdicts, "|") + `)\b`
	whole := regexp.MustCompile(`^[\W_]*(?:[\pL *_]+:[\W_]*)?` + any + `[\s*_"'>)]*(?:$|[` + "`.:;!–—-])")

	found := whole.FindStringSubmatch(line)
	if found == nil || len(regexp.MustCompile(any).FindAllString(line, 2)) > 1 {
		return "", "", fmt.Errorf("its first line is not one of: %s", strings.Join(verdicts, ", "))
	}

	return strings.ToLower(found[1]), rest, nil
}

// Prose returns a reply that is a text and nothing else, without the blanks around it.
func Prose(reply string) (string, error) {
	text := strings.TrimSpace(reply)
	first, rest, _ := strings.Cut(text, "\n")

	switch {
	case text == "":
		return "", ErrEmpty
	case action.MentionsReasoning(text):
		return "", ErrThought
	case strings.HasSuffix(strings.TrimSpace(first), ":") &&
		strings.HasPrefix(strings.TrimLeft(rest, " \t\r"), "\n"):
		return "", ErrLeadIn // a paragraph of one line that ends with a colon
	}

	return text, nil
}
