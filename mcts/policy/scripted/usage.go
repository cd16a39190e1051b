package scripted

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// usage is how to write a call of an old tool for the one that replaced it, as inferred from one
// example call.
type usage struct {
	old       string   // the deprecated name
	oldParams []string // its parameters in order; nil if the source does not list them
	name      string   // the name that replaces it
	signature string   // "Name[params]" as the source writes it
	slots     []slot

	params  []string  // of the new call, in the order of the signature
	example envs.Args // a new call; empty if the source has none
}

// slot is one parameter of the new call (or one numbered family of them) and where its value comes
// from.
type slot struct {
	kind   slotKind
	key    string   // for numbered: without the number
	value  any      // for copied: what the example says
	prefix string   // for prefixed: what the value must begin with
	labels []string // for bracketed
}

type slotKind uint8

const (
	plain     slotKind = iota // the next old argument, under a new name
	copied                    // no old argument: the example's value
	numbered                  // the next old argument split on ", ", one part to each of key1, key2, …
	prefixed                  // the next old argument after a fixed sentence
	bracketed                 // as many old arguments as labels: "Label1[x], Label2[y]"
)

// infer reads the slots off an example call of what replaced old. oldCount is how many arguments
// old takes, 0 if unknown.
func infer(example envs.Args, old string, oldCount int) []slot {
	values := 0
	isFixed := func(value any) bool { return isSetting(value) || isNamed(value, old) }

	for _, a := range example {
		if !isFixed(a.Value) {
			values++
		}
	}
	var slots []slot

	for i := 0; i < len(example); i++ {
		a := example[i]
		if isFixed(a.Value) {
			slots = append(slots, slot{kind: copied, key: a.Name, value: a.Value})
			continue
		}
		// A family of numbered parameters takes one old argument; parameters that are merely called
		// Node1 and Node2 take one each, and then the counts agree.
		if stem, n := familyOf(example[i:].Names()); n > 1 && values != oldCount || n == 1 && oldCount <= 1 {
			slots = append(slots, slot{kind: numbered, key: stem})
			i += n - 1
			continue
		}

		slots = append(slots, inferText(a))
	}
	return slots
}

func inferText(a envs.Arg) slot {
	text, _ := a.Value.(string)
	if labels := bracketLabels(text); labels != nil {
		return slot{kind: bracketed, key: a.Name, labels: labels}
	}

	if p := requiredPrefix(text); p != "" {
		return slot{kind: prefixed, key: a.Name, prefix: p}
	}
	return slot{kind: plain, key: a.Name}
}

// isSetting reports whether a value is a switch or a number: no argument of the prompt version is
// one.
func isSetting(value any) bool {
	switch v := value.(type) {
	case bool, envs.Number:
		return true
	case string:
		return strings.EqualFold(v, "true") || strings.EqualFold(v, "false")
	}

	return false
}

// isNamed reports whether a value is the name of the old tool: it says which of several tools is
// called.
func isNamed(value any, old string) bool {
	text, _ := value.(string)
	return strings.EqualFold(strings.ReplaceAll(text, "_", ""), strings.ReplaceAll(old, "_", ""))
}

// familyOf returns the stem of a first name that is stem1, and how many names stem1, stem2, …
// follow each other; 0 if the first is not such a name.
func familyOf(names []string) (stem string, n int) {
	stem, ok := strings.CutSuffix(names[0], "1")
	if !ok || stem == "" || stem[len(stem)-1] >= '0' && stem[len(stem)-1] <= '9' {
		return "", 0
	}

	for n < len(names) && names[n] == stem+strconv.Itoa(n+1) {
		n++
	}
	return stem, n
}

// bracketLabels returns the labels of "Label1[x], Label2[y]", or nil if text is anything else.
func bracketLabels(text string) []string {
	var labels []string

	for {
		open := strings.IndexByte(text, '[')
		if open <= 0 || !isIdentifier(text[:open]) {
			return nil
		}

		labels = append(labels, text[:open])

		end := strings.IndexByte(text, ']')
		if end < open {
			return nil
		}

		if text = text[end+1:]; text == "" {
			return labels
		}

		var ok bool
		if text, ok = strings.CutPrefix(text, ", "); !ok {
			return nil
		}
	}
}

func isIdentifier(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isWordByte(s[i]) {
			return false
		}
	}

	return s != ""
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// An announcement is a sentence in front of code: three words or more and a colon. It must mention
// code, for titles of papers have colons, too.
var (
	announcement = regexp.MustCompile(`^[A-Z][A-Za-z]*(?: [A-Za-z]+){2,}:[ \n]*`)
	ofCode       = regexp.MustCompile(`(?i)\b(?:code|command|query|script|statement)\b`)
)

// requiredPrefix returns the announcement that an example begins with, with the space or newline
// after it, or "".
func requiredPrefix(text string) string {
	if p := announcement.FindString(text); ofCode.MatchString(p) {
		return p
	}
	return ""
}

// apply writes a call of the old tool for the new one; if filled, with the example's values for
// what it left out.
func (u *usage) apply(args envs.Args, filled bool) envs.Args {
	// Order alone decides only if every argument is there and a text.
	if !u.isPlain(args) && len(u.params) > 0 {
		return u.pairArguments(args, filled)
	}

	old := u.ordered(args)
	out := make(envs.Args, 0, len(u.slots)+len(old))
	next := func() (any, bool) {
		if len(old) == 0 {
			return nil, false
		}

		v := old[0].Value
		old = old[1:]
		return v, true
	}

	for _, s := range u.slots {
		if s.kind == copied {
			out = out.With(s.key, s.value)
			continue
		}

		if s.kind == bracketed {
			var b strings.Builder

			for i, label := range s.labels {
				v, _ := next()

				if i > 0 {
					b.WriteString(", ")
				}

				b.WriteString(label + "[" + asText(v) + "]")
			}

			out = out.With(s.key, b.String())
			continue
		}

		v, ok := next()
		switch {
		case !ok:
		case s.kind == numbered:
			for i, part := range strings.Split(asText(v), ", ") {
				out = out.With(s.key+strconv.Itoa(i+1), part)
			}
		case s.kind == prefixed:
			out = out.With(s.key, s.prefix+asText(v))
		default:
			out = out.With(s.key, v)
		}
	}
	// What the example has no room for is sent as it was: leaving it out silently would call
	// something else.
	return append(out, old...)
}

// ordered returns the arguments in the order of the old signature if it names them all.
func (u *usage) ordered(args envs.Args) envs.Args {
	if len(u.oldParams) != len(args) {
		return args
	}

	sorted := make(envs.Args, 0, len(args))
	for _, p := range u.oldParams {
		i := slices.IndexFunc(args, func(a envs.Arg) bool { return a.Name == p })
		if i < 0 {
			return args
		}

		sorted = append(sorted, args[i])
	}
	return sorted
}

// asText returns a value as part of a text; nothing is "".
func asText(v any) string {
	if v == nil {
		return ""
	}
	return pytext.Str(v)
}
