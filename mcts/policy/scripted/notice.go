package scripted

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/wire"
)

// useWord precedes the successor in a notice.
var useWord = regexp.MustCompile(`[Uu][Ss][Ee] `)

// orUse separates several successors in a notice, each of which takes some of the calls.
const orUse = " Or use "

// parseNotices infers the usages from a deprecation notice, one for each successor that it names.
func parseNotices(text string) []*usage {
	text, others, _ := strings.Cut(text, orUse)

	u, ok := parseNotice(text)
	if !ok {
		return nil
	}

	all := []*usage{u}

	for other := range strings.SplitSeq(others, orUse) {
		head, _, _ := strings.Cut(text, useWord.FindString(text))
		if u, ok := parseNotice(head + "Use " + other); ok {
			all = append(all, u)
		}
	}

	return all
}

// fitting returns the usage with places for most arguments of a call, under the most similar names,
// and with the fewest other parameters.
func fitting(all []*usage, args envs.Args) *usage {
	return slices.MinFunc(all, func(a, b *usage) int {
		return cmp.Or(a.unplaced(args)-b.unplaced(args),
			b.similarNames(args)-a.similarNames(args), len(a.params)-len(b.params))
	})
}

// similarNames counts the arguments of a call whose names share a word with that of a parameter.
func (u *usage) similarNames(args envs.Args) (n int) {
	for _, a := range args {
		if slices.ContainsFunc(u.params, func(name string) bool { return likeness(name, a.Name) > 0 }) {
			n++
		}
	}

	return n
}

// parseNotice infers a usage from a deprecation notice:
//
//	Error: OLD[params] is deprecated and will be removed in future releases.
//	Use NEW[params], param example: {…} instead.
//
// Without an example the new parameters are taken from the signature. A notice that names no
// successor has no usage.
func parseNotice(text string) (*usage, bool) {
	head, tail, ok := strings.Cut(text, " is deprecated")
	if !ok {
		return nil, false
	}

	// Whatever comes before the notice is not part of the old name.
	if i := strings.LastIndex(head, "Error: "); i >= 0 {
		head = head[i+len("Error: "):]
	}

	use := useWord.FindStringIndex(tail)
	if use == nil {
		return nil, false
	}

	tail = tail[use[1]:]

	u := &usage{}
	if u.old, u.oldParams, _, ok = wire.ParseSignature(head); !ok {
		return nil, false
	}

	name, params, signature, ok := wire.ParseSignature(tail)
	if !ok {
		return nil, false
	}

	u.name, u.signature, u.params = name, signature, params

	_, example, _ := strings.Cut(tail, "param example:")

	// An example without arguments shows nothing, unless the successor takes no arguments.
	if args, _, err := pytext.DecodeObject(example); err == nil && (len(args) > 0 || len(params) == 0) {
		u.slots, u.example = infer(args, u.old, len(u.oldParams)), args
		return u, true
	}

	u.slots = guess(params, len(u.oldParams))
	return u, len(u.slots) > 0
}

// parseLearned infers a usage from a tool description in the words of describe:
//
//	NEW[params], which is an updated version of OLD and … For example, {…}.
//
// oldCount is how many arguments the old tool takes.
func parseLearned(text string, oldCount int) (*usage, bool) {
	u := &usage{}

	var ok bool
	if u.name, u.params, u.signature, ok = wire.ParseSignature(text); !ok {
		return nil, false
	}

	// Only these words tell which tool the new one replaces: it may describe any other.
	_, tail, ok := strings.Cut(text, updatedVersion)
	if !ok {
		return nil, false
	}

	if u.old, _, _, ok = wire.ParseSignature(tail); !ok {
		return nil, false
	}

	_, example, ok := strings.Cut(tail, forExample)
	if !ok {
		return nil, false
	}

	// What a model wrote may be cut off, or in other words: it teaches nothing without a call.
	args, _, err := pytext.DecodeObject(example)
	if err != nil || len(args) == 0 && len(u.params) > 0 {
		return nil, false
	}

	u.slots, u.example = infer(args, u.old, oldCount), args
	return u, true
}

const (
	updatedVersion = ", which is an updated version of "
	forExample     = "For example, "
)

// describe writes the tool description for UpdateTool after the first successful call, like the one
// of the case study in appendix C.2.
func (u *usage) describe(args envs.Args) string {
	b := make([]byte, 0, 256)
	b = append(b, u.signature...)
	b = append(b, updatedVersion...)
	b = append(b, u.old...)
	b = append(b, " and takes its place. "...)
	b = append(b, forExample...)
	b = pytext.AppendJSON(b, args)

	return string(append(b, '.'))
}

// guess infers slots from parameter names alone: the first ones take the old arguments, the others
// are settings.
func guess(params []string, oldCount int) []slot {
	slots := make([]slot, 0, len(params))
	for i, p := range params {
		switch {
		case i < max(oldCount, 1):
			slots = append(slots, slot{kind: plain, key: p})
		case strings.Contains(strings.ToLower(p), "num"):
			slots = append(slots, slot{kind: copied, key: p, value: envs.Number("3")})
		default:
			slots = append(slots, slot{kind: copied, key: p, value: "True"})
		}
	}

	return slots
}
