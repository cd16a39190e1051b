package drift

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/toolapi"
)

// numberList takes the items of a list one by one: rule1, rule2, … Without types, the list is a
// text and the first parameter, as toolapi.Numbered wants it.
func numberList(a toolapi.APISpec, d *Draws) (Step, bool) {
	isAList := func(p toolapi.Parameter) bool { return isList(a, p) }
	if i, ok := parameterFor(a, d, isAList); ok && !has(a, isEnumerated) {
		return enumerateList(a, i, d)
	}

	i := slices.IndexFunc(a.Parameters.All, func(p toolapi.Parameter) bool {
		return d.mayTake(p.Name) && meaningOf(a, p).mentions(words().Lists)
	})
	typed := slices.ContainsFunc(a.Parameters.All, func(p toolapi.Parameter) bool { return !isPlain(a, p) })

	if i != 0 || typed || len(a.Parameters.Keywords) > 0 ||
		has(a, isNumbered, isBracketed, isFlag, isIgnored) {
		return Step{}, false
	}

	list := a.Parameters.All[i].Name
	return numbered(a, list, d.another(a, a, a.Parameters.All[i]))
}

// mostItems is how many items of a list have a parameter each.
const mostItems = 5

// isList reports whether a parameter with a type is a list, or a text of several items.
func isList(a toolapi.APISpec, p toolapi.Parameter) bool {
	switch typeOf(p) {
	case "array": // a call without items has an empty list
		return !p.Optional && saysOnly(p, "type", "description", "title", "default", "items")
	case "string": // a name in the singular is that of one text
		isOne := func(word string) bool { return !strings.HasSuffix(word, "s") }
		many := slices.DeleteFunc(slices.Clone(words().Lists), isOne)

		m := meaningOf(a, p)
		m.words = m.words[max(len(m.words)-1, 0):]
		return m.mentions(many) && saysOnly(p, "type", "description", "title", "default")
	}
	return false
}

// enumerateList gives each of the first items of a list with a type a parameter.
func enumerateList(a toolapi.APISpec, i int, d *Draws) (Step, bool) {
	list := a.Parameters.All[i]
	e := toolapi.Enumerated{To: list.Name, Most: mostItems, Text: typeOf(list) == "string"}
	e.Item = d.another(a, a, list)

	var schema envs.Args
	if e.Text {
		schema = envs.Object("type", "string")
	} else {
		schema = list.Schema.Object("items")
	}

	// The list's parameter goes, so each item repeats its description.
	schema = described(schema, "one of: ", list)
	parameters := without(a.Parameters.All, list.Name)

	var items []toolapi.Parameter

	// All items share one name but for the number, so one that is taken spoils the list.
	for k, name := range e.Names() {
		same := func(p toolapi.Parameter) bool { return fold(p.Name) == fold(name) }
		if d.taken[fold(name)] || slices.ContainsFunc(parameters, same) {
			return Step{}, false
		}

		// A list may be empty, so none of its items is required; a text has at least one item.
		items = append(items, toolapi.Parameter{
			Name: name, Optional: k > 0 || list.Optional || !e.Text, Schema: schema,
		})
	}
	return succeed(a, list.Name, e.Item+"1", toolapi.AdapterSpec{Enumerated: &e},
		slices.Insert(parameters, i, items...)...)
}

// numbered takes the items of the first parameter, a list, by their numbers.
func numbered(a toolapi.APISpec, list, item string) (Step, bool) {
	if len(a.Parameters.All) == 0 || a.Parameters.All[0].Name != list {
		return Step{}, false
	}

	n := &toolapi.Numbered{Item: item, To: list}
	whole := a.Parameters.All[0]
	parameters := []toolapi.Parameter{{
		Name:   item + "1",
		Schema: described(whole.Schema, fmt.Sprintf("the first, %s2, %[1]s3, … for more: ", item), whole),
	}}

	for _, p := range a.Parameters.All[1:] {
		n.Beside = append(n.Beside, p.Name)
		parameters = append(parameters, p)
	}
	return succeed(a, list, item+"1", toolapi.AdapterSpec{Numbered: n}, parameters...)
}

// mixForms takes a list whole or item by item, as a notice of p_s_in has it: the signature says
// rule, and the example rule1 and rule2.
func mixForms(a toolapi.APISpec, d *Draws) (Step, bool) {
	step, ok := numberList(a, d)
	if !ok || has(a, isNumbered) || !has(step.API, isNumbered) {
		return Step{}, false
	}

	// The list was the first parameter; the adapter takes the name without a number, too.
	first, list := &step.API.Parameters.All[0], a.Parameters.All[0]
	first.Name = strings.TrimSuffix(first.Name, "1")
	first.Schema = described(list.Schema,
		fmt.Sprintf("or %s1, %[1]s2, … in its place: ", first.Name), list)
	step.To = first.Name

	return step, true
}

// prefixText wants code to begin with some words.
func prefixText(a toolapi.APISpec, d *Draws) (Step, bool) {
	i, language := -1, ""

	for k, p := range a.Parameters.All {
		m := meaningOf(a, p)

		for _, l := range words().Prefixes.Languages {
			if i < 0 && isText(p) && !isItem(a, p.Name) && m.has(l) {
				i, language = k, l.Use[0]
			}
		}
	}

	if i < 0 || has(a, isPrefix) {
		return Step{}, false
	}

	text := d.name(d.Rand, func(string) bool { return false }, func(r *rand.Rand) string {
		return strings.ReplaceAll(pick(r, d.words.Prefixes.Texts), "{}", language)
	})

	// On a line of its own, the prefix leaves the indentation of what follows as it is.
	join := " "
	if language != "SQL" {
		join = " \n"
	}

	return prefixed(a, toolapi.Prefix{Parameter: a.Parameters.All[i].Name, Text: text, Trim: true, Join: join})
}

// prefixed wants a text to begin with another.
func prefixed(a toolapi.APISpec, p toolapi.Prefix) (Step, bool) {
	parameters := slices.Clone(a.Parameters.All)

	for i, text := range parameters {
		if text.Name == p.Parameter {
			parameters[i].Schema = described(text.Schema, fmt.Sprintf("begins with %q; then ", p.Text), text)
		}
	}

	return succeed(a, p.Parameter, p.Text, toolapi.AdapterSpec{Prefix: &p}, parameters...)
}

// mergeParameters puts two or more of the last texts that a call must have into one: First[x],
// Second[y].
func mergeParameters(a toolapi.APISpec, d *Draws) (Step, bool) {
	all := d.candidates(textsToMerge(a))

	if len(all) < 2 || len(a.Parameters.Keywords) > 0 ||
		has(a, isNumbered, isBracketed, isFlag, isIgnored) {
		return Step{}, false
	}

	if d.chosen == nil {
		all = all[d.IntN(len(all)-1):]
	}

	var fields []toolapi.Field
	for _, p := range all {
		fields = append(fields, toolapi.Field{Label: capital(p.Name), To: p.Name})
	}

	name := d.added(a, d.words.Merged)
	return merged(a, toolapi.BracketedSpec{Parameter: name, Fields: fields})
}

// merged puts parameters into one text. Where they have types, its description says how.
func merged(a toolapi.APISpec, b toolapi.BracketedSpec) (Step, bool) {
	var (
		members, shown []string
		typed          bool
	)

	for _, f := range b.Fields {
		said := "…"

		for _, p := range a.Parameters.All {
			if p.Name == f.To {
				said = cmp.Or(p.Description(), said)
				typed = typed || p.Schema != nil
			}
		}

		members, shown = append(members, f.To), append(shown, f.Label+"["+said+"]")
	}

	p := toolapi.Parameter{Name: b.Parameter}
	if typed {
		p.Schema = envs.Object("type", "string", "description", strings.Join(shown, ", "))
	}
	return succeed(a, strings.Join(members, ", "), p.Name, toolapi.AdapterSpec{Bracketed: &b},
		inPlace(a, p, members)...)
}

// inPlace puts one parameter where the first of some was, so that the order still tells which is
// which.
func inPlace(a toolapi.APISpec, p toolapi.Parameter, of []string) []toolapi.Parameter {
	isOne := func(p toolapi.Parameter) bool { return slices.Contains(of, p.Name) }
	first := slices.IndexFunc(a.Parameters.All, isOne)
	return slices.Insert(without(a.Parameters.All, of...), first, p)
}

// textsToMerge returns the parameters that mergeParameters may put into one text: required texts
// that follow each other. Those without types are the last ones, as in the published versions.
func textsToMerge(a toolapi.APISpec) []toolapi.Parameter {
	var best, run []toolapi.Parameter

	for _, p := range a.Parameters.All {
		switch {
		case !isItem(a, p.Name) && (isTyped(a, p) && isText(p) && !p.Optional || isPlain(a, p)):
			run = append(run, p)
		case isTyped(a, p):
			run = nil
		default:
			best, run = nil, nil
		}

		if len(run) >= len(best) {
			best = run
		}
	}
	return best
}

// addFlag adds a parameter that has to be true.
func addFlag(a toolapi.APISpec, d *Draws) (Step, bool) {
	if has(a, isFlag) || len(a.Parameters.Keywords) > 0 {
		return Step{}, false
	}
	return flagged(a, d.added(a, d.words.Flags))
}

// flagged adds a parameter of that name that has to be true.
func flagged(a toolapi.APISpec, name string) (Step, bool) {
	document := envs.Object("enum", []any{"True", true}, "description", "has to be true")
	return addParameter(a, name, document, toolapi.AdapterSpec{Flag: &toolapi.Flag{Parameter: name}})
}

// addCount adds a number that nothing looks at, like return_num of the published versions.
func addCount(a toolapi.APISpec, d *Draws) (Step, bool) {
	if !newMeaning(a.Tool, "", "").mentions(words().Retrievals) || has(a, isIgnored, isNumbered) ||
		len(a.Parameters.Keywords) > 0 {
		return Step{}, false
	}
	return counted(a, d.count(a))
}

// count draws a number that nothing looks at.
func (d *Draws) count(a toolapi.APISpec) *toolapi.Ignored {
	return &toolapi.Ignored{Parameter: d.added(a, d.words.Counts), Value: uint64(1 + d.IntN(10))}
}

// counted adds a number that nothing looks at.
func counted(a toolapi.APISpec, number *toolapi.Ignored) (Step, bool) {
	document := envs.Object("type", "integer", "description", "how many results are wanted")
	return addParameter(a, number.Parameter, document, toolapi.AdapterSpec{Ignored: number})
}

// addParameter adds a parameter behind the others, with a schema unless they have none.
func addParameter(a toolapi.APISpec, name string, document envs.Args, adapter toolapi.AdapterSpec) (Step, bool) {
	p := toolapi.Parameter{Name: name}
	if len(a.Parameters.All) == 0 || slices.ContainsFunc(a.Parameters.All, func(p toolapi.Parameter) bool {
		return p.Schema != nil
	}) {
		p.Schema = document
	}

	return succeed(a, "", name, adapter, append(slices.Clone(a.Parameters.All), p)...)
}

// described is the schema of an item of a list, whose description follows some words.
func described(item envs.Args, words string, list toolapi.Parameter) envs.Args {
	if text := list.Description(); text != "" {
		return withKeyword(item, "description", words+text)
	}
	return item
}
