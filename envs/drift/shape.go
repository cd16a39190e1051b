package drift

import (
	"math/rand/v2"
	"slices"
	"strings"

	"toolevo/envs"
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
	item := d.parameterOf(a, list, func(r *rand.Rand) string { return d.words.nameOfParameter(r, list) })

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
		return strings.ReplaceAll(pick(r, d.words.Prefixes.Texts), "{}", language)
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

// mergeParameters puts the last two texts that a call must have, or more, into one: First[x], Second[y].
func mergeParameters(a toolapi.APISpec, d *Draws) (Step, bool) {
	all := textsToMerge(a)

	if len(all) < 2 || len(a.Parameters.Keywords) > 0 || has(a, isBracketed) || has(a, isNumbered) ||
		has(a, isFlag) || has(a, isIgnored) {
		return Step{}, false
	}

	var (
		fields []toolapi.Field
		shown  []string
		typed  bool
	)

	all = all[d.IntN(len(all)-1):]

	for _, p := range all {
		label := capital(p.Name)
		fields, shown = append(fields, toolapi.Field{Label: label, To: p.Name}), append(shown, label+"[…]")
		typed = typed || p.Schema != nil
	}

	p := toolapi.Parameter{Name: d.parameterOf(a, "", func(r *rand.Rand) string { return compound(r, d.words.Merged) })}
	if typed {
		p.Schema = envs.Args{
			{Name: "type", Value: "string"},
			{Name: "description", Value: strings.Join(shown, ", ")},
		}
	}

	merged := namesOf(all)
	adapter := toolapi.AdapterSpec{Bracketed: &toolapi.BracketedSpec{Parameter: p.Name, Fields: fields}}
	successor, ok := succeed(a, adapter, append(without(a.Parameters.All, merged...), p)...)

	return Step{successor, strings.Join(merged, ", "), p.Name, adapter}, ok
}

// textsToMerge are the parameters that mergeParameters may put into one text. Those without types are the last ones, as
// the published versions have it; of those with types every text is one that must be there.
func textsToMerge(a toolapi.APISpec) []toolapi.Parameter {
	var all []toolapi.Parameter

	for _, p := range a.Parameters.All {
		switch {
		case p.Schema != nil && isText(p) && !p.Optional, isPlain(p) && !isItem(a, p.Name):
			all = append(all, p)
		case p.Schema == nil:
			all = nil
		}
	}

	return all
}

// addFlag adds a parameter that has to be true.
func addFlag(a toolapi.APISpec, d *Draws) (Step, bool) {
	if has(a, isFlag) || len(a.Parameters.Keywords) > 0 {
		return Step{}, false
	}

	name := d.parameterOf(a, "", func(r *rand.Rand) string { return compound(r, d.words.Flags) })

	return add(a, name, toolapi.AdapterSpec{Flag: &toolapi.Flag{Parameter: name}})
}

// addCount adds a number that nothing looks at, as return_num of the published versions is.
func addCount(a toolapi.APISpec, d *Draws) (Step, bool) {
	if !mentions(a.Tool, words.Retrievals) || has(a, isIgnored) || has(a, isNumbered) ||
		len(a.Parameters.Keywords) > 0 {
		return Step{}, false
	}

	name := d.parameterOf(a, "", func(r *rand.Rand) string { return compound(r, d.words.Counts) })

	return add(a, name, toolapi.AdapterSpec{Ignored: &toolapi.Ignored{Parameter: name, Value: uint64(1 + d.IntN(10))}})
}

// add adds a parameter behind the others.
func add(a toolapi.APISpec, name string, adapter toolapi.AdapterSpec) (Step, bool) {
	parameters := append(slices.Clone(a.Parameters.All), toolapi.Parameter{Name: name})
	successor, ok := succeed(a, adapter, parameters...)

	return Step{API: successor, To: name, Adapter: adapter}, ok
}
