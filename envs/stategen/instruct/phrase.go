package instruct

import (
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
)

// firstMark is the rune for the first thing that a text mentions: a private one, which texts do not
// have.
const firstMark = '\U000F0000'

// mark returns a rune to replace an expression until it is known what results are called.
func (r *renderer) mark(e stategen.Expr) string {
	r.marks = append(r.marks, mention{e, r.scope})
	return string(rune(firstMark + len(r.marks) - 1))
}

// unmark replaces the marks of a text by their expressions in words.
func (r *renderer) unmark(text string) string {
	var b strings.Builder

	for _, c := range text {
		if i := int(c - firstMark); i >= 0 && i < len(r.marks) {
			r.scope = r.marks[i].scope
			b.WriteString(r.phrase(r.marks[i].expr))
		} else {
			b.WriteRune(c)
		}
	}

	return b.String()
}

// phrase says what an expression is.
func (r *renderer) phrase(e stategen.Expr) string {
	switch {
	case e.Value != nil:
		return stated(e.Value.Any)
	case e.Var != "":
		return r.part(e)
	case e.Object != nil:
		members := make([]string, len(e.Object))
		for i, m := range e.Object {
			members[i] = quoted(m.Name) + " set to " + r.phrase(m.Expr)
		}
		return "an object with " + join(members)
	case e.Func == stategen.Length && len(e.List) == 1:
		return "the number of " + r.itemOf(e.List[0]) + "s in " + r.phrase(e.List[0])
	case e.Func == stategen.Sentences && len(e.List) == 1:
		return "the number of sentences in " + r.phrase(e.List[0]) + " (each ends with \".\", \"!\" or \"?\")"
	}

	return r.list(e.List)
}

// list says what several things are: some elements of one list together, and one thing twice as two
// copies.
func (r *renderer) list(all []stategen.Expr) string {
	var texts []string

	for i := 0; i < len(all); i++ {
		var same, next int
		for same = 1; i+same < len(all) && samePart(all[i], all[i+same]); same++ {
		}

		isNext := func(e stategen.Expr) bool { return r.isElement(e) && e.Var == all[i].Var }

		var which []string
		for next = i; next < len(all) && isNext(all[next]); next++ {
			n, _ := strconv.Atoi(all[next].Path[0])
			which = append(which, ordinal(n))
		}

		// Copies first: the same element twice is also two elements of one list.
		switch {
		case same > 1:
			texts = append(texts, counted(same)+" copies of "+r.phrase(all[i]))
			i += same - 1
		case len(which) > 1:
			items := "the " + join(which) + " " + r.itemOf(all[i]) + "s"
			texts = append(texts, items+" in "+r.variable(all[i].Var))
			i = next - 1
		default:
			texts = append(texts, r.phrase(all[i]))
		}
	}

	// An "and" inside one thing must not read as that of the list.
	n := len(texts) - 1
	switch nested := strings.Contains(strings.Join(texts, ""), " and "); {
	case nested && n == 1:
		return texts[0] + ", and " + texts[1]
	case nested && n > 1:
		return strings.Join(texts[:n], "; ") + "; and " + texts[n]
	}

	return join(texts)
}

// samePart reports whether two expressions are the same variable or the same part of one.
func samePart(a, b stategen.Expr) bool {
	return a.Var != "" && a.Var == b.Var && slices.Equal(a.Path, b.Path)
}

// isElement reports whether an expression is a whole element of a list.
func (r *renderer) isElement(e stategen.Expr) bool {
	if e.Var == "" || len(e.Path) == 0 || r.noun(e.Var, e.Path[1:]) != "" {
		return false
	}
	return isIndex(e.Path[0])
}

func isIndex(step string) bool {
	_, err := strconv.Atoi(step)
	return err == nil
}

// part says what a variable is, or a part of it.
func (r *renderer) part(e stategen.Expr) string {
	whole, item := r.variable(e.Var), ""
	nouns := r.nounsOf(e.Var)

	for path := e.Path; len(path) > 0; {
		if _, err := strconv.Atoi(path[0]); err == nil {
			i, _ := strconv.Atoi(path[0])
			item, path = r.itemOf(stategen.Var(e.Var)), path[1:]

			if r.scope[thinned(e.Var)] == nil {
				whole = "the " + ordinal(i) + " " + item + " in " + whole
			} else {
				whole = "the " + item + " that was " + ordinal(i) + " in " + whole
			}

			continue
		}

		noun, n := r.nounOf(nouns, path)
		if noun != "" {
			whole = "the " + noun + " of " + whole
		}

		path = path[n:]
	}
	return whole
}

// variable says what a variable is.
func (r *renderer) variable(name string) string {
	made := r.scope[name]

	switch {
	case made == nil:
		return quoted(name)
	case made.name != "":
		return quoted(made.name)
	}

	return made.just
}

// noun says what the part of a variable at a path is called. The variable may be "".
func (r *renderer) noun(name string, path []string) string {
	own := r.nounsOf(name)

	var nouns []string

	for len(path) > 0 {
		noun, n := r.nounOf(own, path)
		if noun != "" {
			nouns = append([]string{noun}, nouns...)
		}

		path = path[n:]
	}
	return strings.Join(nouns, " of the ")
}

// nouns says what parts are called.
func (r *renderer) nouns(parts []string) []string {
	nouns := make([]string, len(parts))
	for i, part := range parts {
		nouns[i] = r.noun("", []string{part})
	}
	return nouns
}

// nounsOf returns the nouns that only the parts of a variable's elements have.
func (r *renderer) nounsOf(name string) map[string]string {
	if made := r.scope[name]; made != nil {
		return made.words.Nouns
	}
	return nil
}

// nounOf returns the noun for the longest beginning of a path that has one, and the length of that
// beginning. "" is the thing itself.
func (r *renderer) nounOf(own map[string]string, path []string) (string, int) {
	for n := len(path); n > 0; n-- {
		key := make([]string, n)
		index := ""

		for i, step := range path[:n] {
			key[i] = step
			if isIndex(step) {
				key[i], index = "*", step
			}
		}

		noun, ok := own[strings.Join(key, ".")]
		if !ok {
			noun, ok = r.lexicon.Nouns[strings.Join(key, ".")]
		}

		if ok {
			return strings.ReplaceAll(noun, "INDEX", index), n
		}
	}
	return quoted(path[0]), 1
}

// itemOf says what an element of a list is called.
func (r *renderer) itemOf(e stategen.Expr) string {
	if made := r.scope[e.Var]; made != nil && made.words.Item != "" {
		return made.words.Item
	}
	return "element"
}

// stated writes a value in the program: texts in quotes.
func stated(v any) string {
	if text, ok := v.(string); ok {
		return `"` + text + `"`
	}
	return written(v)
}

// written writes a value as people do.
func written(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case string:
		return v
	case envs.Number:
		return string(v)
	case []any:
		parts := make([]string, len(v))
		for i, part := range v {
			parts[i] = stated(part)
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	return pytext.JSON(v)
}
