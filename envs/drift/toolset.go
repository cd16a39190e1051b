package drift

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/silent"
	"toolevo/envs/toolapi"
)

// indexes returns the APIs of a version that pass a test, by index, in a drawn order. It leaves out
// the tools of silent changes, which name tools, and parameters that each API of a tool has.
func indexes(s *toolapi.Spec, d *Draws, is func(toolapi.APISpec) bool) []int {
	var all []int

	order := byTool(s.APIs)

	for _, at := range d.Perm(len(order)) {
		i := order[at]
		tool := s.APIs[i].ToolName()
		isAbout := func(c silent.Change) bool {
			return c.IsAbout(tool) || c.Withheld != nil && c.Withheld.Source == tool
		}

		if !envs.IsSystem(tool) && !slices.ContainsFunc(s.Silent, isAbout) && is(s.APIs[i]) {
			all = append(all, i)
		}
	}
	return all
}

// splitTool moves calls with an optional parameter to another API, which requires it.
func splitTool(s *toolapi.Spec, d *Draws) (Change, bool) {
	all := indexes(s, d, func(a toolapi.APISpec) bool { return len(separable(a)) > 0 })
	return replaceEach(s, all, func(a toolapi.APISpec) []toolapi.APISpec {
		p := pick(d.Rand, separable(a))

		rest, other := a, a
		rest.Parameters.All = without(a.Parameters.All, p.Name)
		rest.Notice = toolapi.NoticeSpec{Example: withoutArgument(a.Notice.Example, p.Name)}

		example, _ := pytext.Decode(a.Notice.Example)
		args, _ := example.(envs.Args)
		value, _ := sampleOf(a, p)
		other.Notice = toolapi.NoticeSpec{Example: pytext.JSON(withKeyword(args, p.Name, value))}

		p.Optional = false
		i := slices.IndexFunc(a.Parameters.All,
			func(q toolapi.Parameter) bool { return q.Name == p.Name })
		other.Parameters.All = changed(a, i, p)
		other.Name = d.beside(a, p.Name)

		return []toolapi.APISpec{rest, other}
	})
}

// replaceEach puts several APIs in place of each of some, and reports whether there were any. It
// asks for them in the order of all.
func replaceEach(s *toolapi.Spec, all []int,
	successors func(toolapi.APISpec) []toolapi.APISpec) (Change, bool) {
	var c Change

	places := make([][]toolapi.APISpec, len(s.APIs))
	for i, a := range s.APIs {
		places[i] = []toolapi.APISpec{a}
	}

	for _, i := range all {
		was, now := s.APIs[i], successors(s.APIs[i])
		places[i] = now
		c.From, c.To = listed(c.From, was.Name), listed(c.To, now[len(now)-1].Name)
	}

	s.APIs = slices.Concat(places...)
	return c, len(all) > 0
}

// listed adds a name to a list of names.
func listed(list, name string) string { return strings.TrimPrefix(list+", "+name, ", ") }

// separable returns the optional parameters of an API whose adapters only rename, as far as a value
// of them is known.
func separable(a toolapi.APISpec) []toolapi.Parameter {
	if len(a.Parameters.Keywords) > 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(a.Parameters.All), func(p toolapi.Parameter) bool {
		_, known := sampleOf(a, p)
		adapted := has(a, func(s toolapi.AdapterSpec) bool { return s.Rename == nil })
		return !p.Optional || !known || adapted
	})
}

// sampleOf returns a value that a parameter takes.
func sampleOf(a toolapi.APISpec, p toolapi.Parameter) (any, bool) {
	if value, ok := exampleOf(a, p.Name); ok {
		return value, true
	}

	for _, keyword := range []string{"enum", "examples"} {
		if values := p.Schema.List(keyword); len(values) > 0 {
			return values[0], true
		}
	}

	return p.Schema.Get("default")
}

// beside draws a name for an API beside another one: its name, or other words for it, and what
// calls have to say.
func (d *Draws) beside(a toolapi.APISpec, what string) string {
	m := meaningOfAPI(a)
	name := d.api(a, func(r *rand.Rand) string {
		words := split(a.Name)
		if chance(r, 0.5) {
			words = d.words.wordsOfAPI(r, m)
		}
		return styled(a.Name, slices.Concat(words, split(pick(r, d.words.Joints)), split(what)))
	})
	d.apis[fold(name)] = true
	return name
}

// addTool adds a second API for the same tool beside each of some.
func addTool(s *toolapi.Spec, d *Draws) (Change, bool) {
	all := indexes(s, d, func(toolapi.APISpec) bool { return true })
	return replaceEach(s, all[:(len(all)+2)/3], func(a toolapi.APISpec) []toolapi.APISpec {
		other, m := a, meaningOfAPI(a)
		other.Name = d.api(a,
			func(r *rand.Rand) string { return styled(a.Name, d.words.wordsOfAPI(r, m)) })
		d.apis[fold(other.Name)] = true
		return []toolapi.APISpec{a, other}
	})
}

// mergeTools gives pairs of tools about the same thing one name each. Another parameter says which
// of them is called.
func mergeTools(s *toolapi.Spec, d *Draws) (Change, bool) {
	all := indexes(s, d, func(a toolapi.APISpec) bool { return len(a.Parameters.Keywords) == 0 })

	// A tool is compared with many others, so its words are split once.
	words := make([][]string, len(s.APIs))
	for _, i := range all {
		words[i] = subject(s.APIs[i])
	}

	var c Change

	s.APIs = slices.Clone(s.APIs)

	// Each tool has at most one partner: the first about the same thing, in a drawn order.
	for len(all) > 0 {
		i := all[0]
		all = all[1:]

		at := slices.IndexFunc(all, func(k int) bool { return d.merges(s.APIs, words, i, k) })
		if at < 0 {
			continue
		}

		k := all[at]
		all = slices.Delete(all, at, at+1)
		c.From = listed(c.From, s.APIs[i].ToolName()+" and "+s.APIs[k].ToolName())
		c.To = listed(c.To, s.APIs[i].Name)
	}

	return c, c.To != ""
}

// subject returns the words of a tool's name that say what it is about: neither the first one nor
// little ones.
func subject(a toolapi.APISpec) []string {
	all := split(a.ToolName())
	return slices.DeleteFunc(all[min(1, len(all)):], func(word string) bool {
		return len(word) < 2 || slices.Contains(words().Little, strings.ToLower(word))
	})
}

// merges gives two APIs one name, if they are of two tools about the same thing.
func (d *Draws) merges(apis []toolapi.APISpec, words [][]string, i, k int) bool {
	shared := slices.DeleteFunc(slices.Clone(words[i]), func(word string) bool {
		return !slices.ContainsFunc(words[k],
			func(other string) bool { return plain(word) == plain(other) })
	})
	if len(shared) == 0 || apis[i].ToolName() == apis[k].ToolName() {
		return false
	}

	name := d.api(apis[i], func(r *rand.Rand) string {
		return styled(apis[i].Name, slices.Concat(split(pick(r, d.words.Mergers)), shared))
	})
	both := toolapi.APISpec{Parameters: toolapi.Parameters{
		All: slices.Concat(apis[i].Parameters.All, apis[k].Parameters.All),
	}}
	choice := d.parameterOf(both, "", func(r *rand.Rand) string { return pick(r, d.words.Choices) })

	one, fits := chosen(apis[i], name, choice)
	other, fit := chosen(apis[k], name, choice)

	if !fits || !fit {
		return false
	}

	apis[i], apis[k] = one, other
	d.apis[fold(name)] = true
	return true
}

// chosen returns an API under a shared name, with a parameter that says which of the APIs is
// called.
func chosen(a toolapi.APISpec, name, choice string) (toolapi.APISpec, bool) {
	value := strings.ToLower(strings.Join(split(a.ToolName()), "_"))
	p := toolapi.Parameter{
		Name: choice, Schema: envs.Object("type", "string", "enum", []any{value}, "description",
			"what is to be done"),
	}

	step, ok := succeed(a, "", "", toolapi.AdapterSpec{Chosen: &toolapi.Chosen{Parameter: choice,
		Value: value}},
		append(slices.Clone(a.Parameters.All), p)...)
	step.API.Name = name
	return step.API, ok
}

// removeTool removes a tool that shows an object of an id, if another tool lists such objects with
// all their members.
func removeTool(s *toolapi.Spec, d *Draws) (Change, bool) {
	for _, i := range indexes(s, d,
		func(a toolapi.APISpec) bool { return itemOf(a) != nil && !isSentToWrite(a) }) {
		a := s.APIs[i]
		answer, _ := pytext.DecodeStrict(a.Answer)
		one, isObject := answer.(envs.Args)

		for _, k := range lists(s) {
			source, item := s.APIs[k], itemOf(s.APIs[k])
			with := shared(a, source)
			lacking := func(m envs.Arg) bool { _, ok := item.Get(m.Name); return !ok }
			all, _ := ofTool(a)
			named := slices.Contains(all, "id")
			more := func(name string) bool {
				return name != "" && name != "id" && !slices.Contains(with, name)
			}

			// The other tool must list all that is lost here, by the id that calls have. What takes
			// more than both need may change the object that it answers with.
			if !isObject || !named || with == nil || slices.ContainsFunc(one, lacking) ||
				slices.ContainsFunc(all, more) {
				continue
			}

			r := silent.Removed{
				Tool: a.ToolName(), Elsewhere: silent.Elsewhere{Source: source.ToolName(),
					With: with, By: "id"},
			}
			s.Removed = append(slices.Clip(s.Removed), r)
			s.APIs = slices.Delete(slices.Clone(s.APIs), i, i+1)

			// One tool only: a second removal could take the very tool that has the answer.
			return Change{From: a.Name, To: r.Notice(a.Name)}, true
		}
	}
	return Change{}, false
}

// isSentToWrite reports whether the URL of an API's document begins with another method than GET.
func isSentToWrite(a toolapi.APISpec) bool {
	method, _, says := strings.Cut(a.URL, " ")
	return says && method != http.MethodGet
}

// addOption adds an optional number or text that nothing looks at.
func addOption(a toolapi.APISpec, d *Draws) (Step, bool) {
	// Beside the items of a list, parameters are optional only where nothing is checked.
	if len(a.Parameters.Keywords) > 0 || has(a, isNumbered) && !a.Parameters.Loose {
		return Step{}, false
	}

	step, ok := d.option(a)
	if ok {
		step.API.Parameters.All[len(step.API.Parameters.All)-1].Optional = true
	}

	return step, ok
}

// option adds a number, or a text: how the answer is to be written.
func (d *Draws) option(a toolapi.APISpec) (Step, bool) {
	if chance(d.Rand, 0.5) {
		return counted(a, d.count(a))
	}

	name := d.added(a, d.words.Modes)
	document := envs.Object("type", "string", "description", "how the answer is written")
	return addParameter(a, name, document, toolapi.AdapterSpec{
		Ignored: &toolapi.Ignored{Parameter: name, Value: pick(d.Rand, d.words.Settings)},
	})
}

// shortenDescription cuts the description of an API to its first clause, and removes those of its
// parameters.
func shortenDescription(a toolapi.APISpec, _ *Draws) (Step, bool) {
	short := a.Description
	for _, end := range []string{". ", ": ", "; ", ", "} {
		short, _, _ = strings.Cut(short, end)
	}

	all := slices.Clone(a.Parameters.All)
	for i, p := range all {
		all[i].Schema = p.Schema.Without("description")
	}

	step := Step{API: a, From: a.Description, To: strings.TrimSuffix(short, ".") + "."}
	step.API.Description, step.API.Parameters.All = step.To, all
	return step, step.To != a.Description
}
