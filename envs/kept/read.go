package kept

import (
	"errors"
	"iter"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
)

// The readers in this file accept only what a reply says beyond doubt. A draft before the answer,
// or two variants of it, are doubtful: a model that is asked again gives one answer.

// What is wrong with replies.
var (
	ErrNoObject = errors.New("it has no JSON object of the form that was asked for")
	ErrVariants = errors.New("it has several answers, which differ")
	ErrEmpty    = errors.New("it is empty")
	ErrThought  = errors.New("there are thoughts in it")
	ErrLeadIn   = errors.New("an introduction stands before it")
)

// mostBraces bounds how many places of a reply are searched for an object.
const mostBraces = 64

// Objects returns the JSON objects in a reply that have a form, whatever is around them.
func Objects(reply string, fits func(envs.Args) bool) (all []envs.Args) {
	for o := range objects(reply, fits) {
		all = append(all, o)
	}
	return all
}

// objects yields the objects, and the text after each.
func objects(reply string, fits func(envs.Args) bool) iter.Seq2[envs.Args, string] {
	return func(yield func(envs.Args, string) bool) {
		for range mostBraces {
			brace := strings.IndexByte(reply, '{')
			if brace < 0 {
				return
			}

			o, rest, err := pytext.DecodeObject(reply[brace:])
			if err != nil || !fits(o) {
				reply = reply[brace+1:] // the object may be within another one
				continue
			}

			if reply = rest; !yield(o, rest) {
				return
			}
		}
	}
}

// Object returns the object of a reply that has some of the members, ignoring the text around it.
// If several objects have them, the members must be the same in all.
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

// Prose returns a reply that is nothing but a text, without the blanks around it.
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
