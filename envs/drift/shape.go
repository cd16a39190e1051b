package drift

import (
	"math/rand/v2"
	"slices"
	"strings"

	"toolevo/envs/toolapi"
)

// numberList takes the items of a text one by one: rule1, rule2, … It is for APIs without types, as toolapi.Numbered
// has it.
func numberList(a toolapi.APISpec, d *Draws) (Step, bool) {
	i := slices.IndexFunc(a.Parameters.All, func(p toolapi.Parameter) bool { return mentions(p.Name, words.Lists) })
	typed := slices.ContainsFunc(a.Parameters.All, func(p toolapi.Parameter) bool { return !isPlain(p) })

	if i != 0 || typed || len(a.Parameters.Keywords) > 0 || has(a, isNumbered) || has(a, isBracketed) ||
		has(a, isFlag) || has(a, isIgnored) {
		return Step{}, false
	}

	list := a.Parameters.All[i].Name
	item := d.parameterOf(a, list, func(r *rand.Rand) string { return nameOfParameter(r, list) })

	n := &toolapi.Numbered{Item: item, To: list}
	parameters := []toolapi.Parameter{{Name: item + "1"}}

	for _, p := range a.Parameters.All[1:] {
		n.Beside = append(n.Beside, p.Name)
		parameters = append(parameters, p)
	}

	adapter := toolapi.AdapterSpec{Numbered: n}
	successor, ok := succeed(a, adapter, parameters...)

	return Step{successor, list, item + "1", adapter}, ok
}

// prefixText wants code to begin with some words.
func prefixText(a toolapi.APISpec, d *Draws) (Step, bool) {
	i, language := -1, ""

	for k, p := range a.Parameters.All {
		about := split(p.Name)
		if len(a.Parameters.All) == 1 {
			about = append(about, split(a.Tool)...)
		}

		for _, word := range about {
			l, ok := words.Prefixes.Languages[strings.ToLower(word)]
			if ok && i < 0 && isText(p) && !isItem(a, p.Name) {
				i, language = k, l
			}
		}
	}

	if i < 0 || has(a, isPrefix) {
		return Step{}, false
	}

	text := d.name(d.Rand, func(string) bool { return false }, func(r *rand.Rand) string {
		return strings.ReplaceAll(pick(r, words.Prefixes.Texts), "{}", language)
	})

	join := " "
	if language != "SQL" {
		join = " \n"
	}

	name := a.Parameters.All[i].Name
	adapter := toolapi.AdapterSpec{Prefix: &toolapi.Prefix{Parameter: name, Text: text, Trim: true, Join: join}}
	successor, ok := succeed(a, adapter, a.Parameters.All...)

	return Step{successor, name, text, adapter}, ok
}

// mergeParameters puts the last two parameters, or more, into one text: First[x], Second[y].
func mergeParameters(a toolapi.APISpec, d *Draws) (Step, bool) {
	all := a.Parameters.All

	first := len(all)
	for first > 0 && isPlain(all[first-1]) && !isItem(a, all[first-1].Name) {
		first--
	}

	if len(all)-first < 2 || len(a.Parameters.Keywords) > 0 || has(a, isBracketed) || has(a, isNumbered) ||
		has(a, isFlag) || has(a, isIgnored) {
		return Step{}, false
	}

	first += d.IntN(len(all) - first - 1)

	var (
		fields []toolapi.Field
		names  []string
	)

	for _, p := range all[first:] {
		fields = append(fields, toolapi.Field{Label: strings.ToUpper(p.Name[:1]) + p.Name[1:], To: p.Name})
		names = append(names, p.Name)
	}

	name := d.parameterOf(a, "", func(r *rand.Rand) string { return compound(r, words.Merged) })
	adapter := toolapi.AdapterSpec{Bracketed: &toolapi.BracketedSpec{Parameter: name, Fields: fields}}
	successor, ok := succeed(a, adapter, append(without(all, names...), toolapi.Parameter{Name: name})...)

	return Step{successor, strings.Join(names, ", "), name, adapter}, ok
}

// addFlag adds a parameter that has to be true.
func addFlag(a toolapi.APISpec, d *Draws) (Step, bool) {
	if has(a, isFlag) || len(a.Parameters.Keywords) > 0 {
		return Step{}, false
	}

	name := d.parameterOf(a, "", func(r *rand.Rand) string { return compound(r, words.Flags) })

	return add(a, name, toolapi.AdapterSpec{Flag: &toolapi.Flag{Parameter: name}})
}

// addCount adds a number that nothing looks at, as return_num of the published versions is.
func addCount(a toolapi.APISpec, d *Draws) (Step, bool) {
	if !mentions(a.Tool, words.Retrievals) || has(a, isIgnored) || has(a, isNumbered) ||
		len(a.Parameters.Keywords) > 0 {
		return Step{}, false
	}

	name := d.parameterOf(a, "", func(r *rand.Rand) string { return compound(r, words.Counts) })

	return add(a, name, toolapi.AdapterSpec{Ignored: &toolapi.Ignored{Parameter: name, Value: uint64(1 + d.IntN(10))}})
}

// add adds a parameter behind the others.
func add(a toolapi.APISpec, name string, adapter toolapi.AdapterSpec) (Step, bool) {
	parameters := append(slices.Clone(a.Parameters.All), toolapi.Parameter{Name: name})
	successor, ok := succeed(a, adapter, parameters...)

	return Step{API: successor, To: name, Adapter: adapter}, ok
}
