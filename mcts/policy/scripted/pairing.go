package scripted

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
)

// target is a place for one old argument in the new call: a parameter, a member of one, or a
// numbered family.
type target struct {
	slot

	member  string // of the parameter's object or bracketed text; "" for the whole parameter
	example any    // nil if the source shows none
	must    bool   // the source shows null: a call must have it
}

// pairArguments writes a call whose arguments are not complete, or not all texts, so that their
// order alone does not show what goes where. Old parameters go to new ones of their name, else of a
// name that shares a word, else in their order. What the call left out stays left out, unless
// filled: then it gets the example's values.
func (u *usage) pairArguments(args envs.Args, filled bool) envs.Args {
	old := u.oldParams
	if old == nil {
		old = args.Names()
	}

	targets := u.targets(old, args)
	source := sources(targets, old, args)

	var out envs.Args

	for i, t := range targets {
		value, written := t.example, filled || t.must
		if source[i] != "" {
			if given, ok := args.Get(source[i]); ok {
				value, written = given, true
			}
		} else {
			// A new parameter: the call cannot have left it out on purpose.
			written = true
		}

		if written && (value != nil || t.must) {
			out = t.put(out, value)
		}
	}

	// What has no place is sent as it was: leaving it out silently would call something else.
	for _, a := range args {
		if !slices.Contains(source, a.Name) {
			out = out.With(a.Name, a.Value)
		}
	}

	return out
}

// unplaced counts the arguments without a place in the new call.
func (u *usage) unplaced(args envs.Args) (n int) {
	old := u.oldParams
	if old == nil {
		old = args.Names()
	}

	placed := sources(u.targets(old, args), old, args)

	for _, a := range args {
		if !slices.Contains(placed, a.Name) {
			n++
		}
	}

	return n
}

// targets returns those of the new call, in the order of its signature. An object is replaced by
// its members if the call has no object.
func (u *usage) targets(old []string, args envs.Args) []target {
	var all []target

	nests := !slices.ContainsFunc(args, isObject)

	for i := 0; i < len(u.params); i++ {
		name := u.params[i]
		value, shown := u.example.Get(name)
		text, _ := value.(string)
		members, _ := value.(envs.Args)
		stem, n := familyOf(u.params[i:])
		must := shown && value == nil

		// What names prove comes before what values look like: a value that is the old tool's name
		// chooses among tools, and a parameter that kept its name is still that parameter.
		switch {
		case isNamed(value, u.old):
			all = append(all, target{slot: slot{kind: copied, key: name}, example: value})
		case slices.Contains(old, name):
			all = append(all, target{slot: slot{key: name}, example: value, must: must})
		case members != nil && nests:
			for _, m := range members {
				all = append(all, target{
					slot: slot{key: name}, member: m.Name, example: m.Value, must: m.Value == nil,
				})
			}
		// Numbered names are one argument, split up, only if the tool has more parameters than
		// before.
		case n > 1 && len(u.params) > len(old):
			all = append(all, target{slot: slot{kind: numbered, key: stem}, example: value})
			i += n - 1
		case bracketLabels(text) != nil:
			for _, label := range bracketLabels(text) {
				all = append(all, target{slot: slot{kind: bracketed, key: name}, member: label})
			}
		default:
			slot := inferText(envs.Arg{Name: name, Value: text})
			all = append(all, target{slot: slot, example: value, must: must})
		}
	}

	return all
}

// put adds an argument to a call.
func (t target) put(call envs.Args, value any) envs.Args {
	// One argument becomes several parameters: key1, key2 and so on.
	if t.kind == numbered {
		for i, part := range parts(value) {
			call = call.With(t.key+strconv.Itoa(i+1), part)
		}
		return call
	}

	// The new tool takes texts where the old one may have taken booleans and numbers.
	if _, isText := t.example.(string); isText {
		if on, isBool := value.(bool); isBool && t.kind == plain {
			value = strconv.FormatBool(on) // as JSON has it
		}

		value = asText(value)
	}

	isKey := func(a envs.Arg) bool { return a.Name == t.key }
	before, _ := call.Get(t.key)

	// Members and labels of one parameter come one by one, and each extends what is there.
	switch {
	case t.kind == prefixed && !strings.HasPrefix(asText(value), t.prefix):
		value = t.prefix + asText(value)
	case t.kind == bracketed:
		value = strings.TrimPrefix(asText(before)+", "+t.member+"["+asText(value)+"]", ", ")
	case t.member != "":
		value = call.Object(t.key).With(t.member, value)
	}

	return slices.DeleteFunc(call, isKey).With(t.key, value)
}

// parts returns the items of a list, or of a text with commas.
func parts(value any) []any {
	if list, ok := value.([]any); ok {
		return list
	}

	var all []any
	for _, part := range strings.Split(asText(value), ", ") {
		all = append(all, part)
	}
	return all
}

// sources returns the old parameters whose arguments the targets get, by target; "" for a new one.
// An argument goes where the example has something of its kind.
func sources(targets []target, old []string, args envs.Args) []string {
	names := make([]string, len(targets))
	for i, t := range targets {
		names[i] = t.key
		if t.member != "" {
			names[i] = t.member
		}
	}

	source := make([]string, len(targets))
	free := slices.Clone(old)
	assign := func(least int, anyKind bool) {
		for i := range targets {
			if source[i] != "" || len(free) == 0 || targets[i].kind == copied {
				continue
			}

			j := slices.IndexFunc(free, func(o string) bool {
				value, given := args.Get(o)
				return likeness(names[i], o) >= least && (anyKind || !given || targets[i].takes(value))
			})
			if j >= 0 {
				source[i] = free[j]
				free = slices.Delete(free, j, j+1)
			}
		}
	}

	// The most similar names first, or a weak similarity would take an argument from its place.
	for least := maxLikeness(names, old); least > 0; least-- {
		assign(least, false)
	}

	// The example shows one kind of value, and the parameter may take others.
	for least := maxLikeness(names, old); least > 0; least-- {
		assign(least, true)
	}

	// Names say nothing about what is left, so it goes by kind, and then by order alone.
	assign(0, false)
	assign(0, true)
	return source
}

// takes reports whether a value may replace that of the example: values of one kind, or a number or
// boolean if the example has it as a text.
func (t target) takes(value any) bool {
	switch value.(type) {
	case envs.Args:
		_, ok := t.example.(envs.Args)
		return ok || t.example == nil
	case []any:
		_, ok := t.example.([]any)
		return ok || t.example == nil || t.kind == numbered
	case string:
		_, ok := t.example.(string)
		return ok && !isSetting(t.example) || t.example == nil
	}

	return t.example == nil || isSetting(t.example) || isNumber(t.example)
}

// isNumber reports whether a value is a text that reads as a number.
func isNumber(value any) bool {
	text, _ := value.(string)
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// maxLikeness is the highest likeness of a new and an old name.
func maxLikeness(names, old []string) (n int) {
	for _, name := range names {
		for _, o := range old {
			n = max(n, likeness(name, o))
		}
	}

	return n
}

var nameWord = regexp.MustCompile(`[A-Z]+[a-z]*|[a-z]+|[0-9]+`)

// likeness counts the words that two names share; equal names have more than any others.
func likeness(a, b string) (n int) {
	if a == b {
		return len(a) + 1
	}

	words := nameWord.FindAllString(b, -1)
	for _, word := range nameWord.FindAllString(a, -1) {
		if slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, word) }) {
			n++
		}
	}

	return n
}

// isPlain reports whether all old arguments are there, each a text with a place of its own.
func (u *usage) isPlain(args envs.Args) bool {
	places := 0

	for _, s := range u.slots {
		if s.kind != copied {
			places += max(1, len(s.labels))
		}
	}

	isNoText := func(a envs.Arg) bool { _, ok := a.Value.(string); return !ok }
	return places == len(args) && (u.oldParams == nil || len(args) == len(u.oldParams)) &&
		!slices.ContainsFunc(u.example, isObject) && !slices.ContainsFunc(args, isNoText)
}

func isObject(a envs.Arg) bool { _, ok := a.Value.(envs.Args); return ok }
