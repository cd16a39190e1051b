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

	member  string // of the object or bracketed text that the parameter is; "" of one that is the argument itself
	example any    // nil where the source shows none
	must    bool   // the source shows null: a call must say it
}

// pair says a call whose arguments are not all that there were, or not all texts: what goes where
// is not told by their order alone. Old parameters go to new ones of their name, else of a name
// with a word of theirs, else in their order. What the call left out stays left out, unless filled:
// then all that the example shows is said.
func (u *usage) pair(args envs.Args, filled bool) envs.Args {
	old := u.oldParams
	if old == nil {
		old = args.Names()
	}

	targets := u.targets(old, args)
	source := sources(targets, old, args)

	var out envs.Args

	for i, t := range targets {
		value, said := t.example, filled || t.must
		if source[i] != "" {
			if given, ok := args.Get(source[i]); ok {
				value, said = given, true
			}
		} else {
			said = true // it is new: no argument of before
		}

		if said && (value != nil || t.must) {
			out = t.put(out, value)
		}
	}

	// What has no place is sent as it was: leaving it out in silence would call something else.
	for _, a := range args {
		if !slices.Contains(source, a.Name) {
			out = out.With(a.Name, a.Value)
		}
	}

	return out
}

// homeless is how many arguments have no place in the new call.
func (u *usage) homeless(args envs.Args) (n int) {
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

// targets are those of the new call, in the order of its signature. An object stands for its
// members where the call has no object.
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

		switch {
		case isNamed(value, u.old):
			all = append(all, target{slot: slot{kind: copied, key: name}, example: value})
		case slices.Contains(old, name): // whatever its value looks like, it is that parameter
			all = append(all, target{slot: slot{key: name}, example: value, must: must})
		case members != nil && nests:
			for _, m := range members {
				all = append(all, target{
					slot: slot{key: name}, member: m.Name, example: m.Value, must: m.Value == nil,
				})
			}
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
	if t.kind == numbered {
		for i, part := range parts(value) {
			call = call.With(t.key+strconv.Itoa(i+1), part)
		}
		return call
	}

	if _, isText := t.example.(string); isText {
		if on, isBool := value.(bool); isBool && t.kind == plain {
			value = strconv.FormatBool(on) // as JSON has it
		}

		value = asText(value)
	}

	isKey := func(a envs.Arg) bool { return a.Name == t.key }
	before, _ := call.Get(t.key) // of its members, the first ones

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

// parts are the items of a list, or of a text with commas.
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

// sources are the old parameters whose arguments targets get, by target; "" of one that is new. An
// argument goes where the example has something of its kind.
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
	pair := func(least int, any bool) {
		for i := range targets {
			if source[i] != "" || len(free) == 0 || targets[i].kind == copied {
				continue
			}

			at := slices.IndexFunc(free, func(o string) bool {
				value, given := args.Get(o)
				return likeness(names[i], o) >= least && (any || !given || targets[i].takes(value))
			})
			if at >= 0 {
				source[i] = free[at]
				free = slices.Delete(free, at, at+1)
			}
		}
	}

	for least := most(names, old); least > 0; least-- {
		pair(least, false)
	}

	// Of a parameter that takes values of several kinds the example shows one.
	for least := most(names, old); least > 0; least-- {
		pair(least, true)
	}

	pair(0, false)
	pair(0, true)
	return source
}

// takes reports whether a value may stand where the example has another one: values of a kind, or a
// number or boolean where the example has it as a text.
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

// most is how like each other a new and an old name are, at most.
func most(names, old []string) (n int) {
	for _, name := range names {
		for _, o := range old {
			n = max(n, likeness(name, o))
		}
	}

	return n
}

var nameWord = regexp.MustCompile(`[A-Z]+[a-z]*|[a-z]+|[0-9]+`)

// likeness is how many words two names share; equal ones are more alike than any.
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
