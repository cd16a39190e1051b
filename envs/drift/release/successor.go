package release

import (
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// successor returns the API of the version that shows a tool's successor; ok is false if no adapter
// leads to the tool.
func (t *tool) successor() (toolapi.APISpec, bool) {
	t.match()

	old, now := t.old, t.now
	api := toolapi.APISpec{
		Name: now.Name, Tool: old.Name, Loose: t.isLoose() && !t.base.Loose, URL: now.URL,
	}
	p := &parts{tool: t}

	if now.Description != old.Description {
		api.Description = now.Description
		p.described = append(p.described, "the tool")
	}

	if p.make(); len(p.described) > 0 {
		t.note(Describe, "", strings.Join(p.described, ", "), 1, "its description is another one")
	}

	// By then, the reason why no call reaches the tool was reported.
	if p.gone {
		return api, false
	}

	api.Parameters = now.Parameters
	api.Parameters.All, api.Parameters.Loose = p.all, t.isLoose()
	api.Adapters = p.adapters()

	// Where no parameter that is left has anything to check, a keyword has to refuse the arguments
	// of those that are gone.
	isChecked := func(q toolapi.Parameter) bool { return q.Schema != nil || q.Optional }
	if len(p.lost) > 0 && !slices.ContainsFunc(p.all, isChecked) {
		api.Parameters.Keywords = envs.Object("additionalProperties", false)
	}

	// A notice has to show a call that works; an API without one is removed.
	if err := t.exemplify(&api, p.lost); err != nil {
		t.broken(NotUnderstood{Gone: true, Why: err.Error()})
		return api, false
	}
	return api, true
}

// parts are what an API of the version is put together from.
type parts struct {
	*tool

	all  []toolapi.Parameter
	gone bool     // no call of the version reaches the tool
	lost []string // old parameters that no call of the version has

	described []string // what has a new description

	fixed   []toolapi.AdapterSpec // for parameters of one value
	names   toolapi.Rename        // of parameters, to interim ones
	nests   []nest
	adapted []toolapi.AdapterSpec // for parameters under their interim names

	interim []string // the interim name of each old slot: no member of an object has it
}

// nest is an object whose members are old parameters.
type nest struct {
	name    string
	members []string
	names   toolapi.Rename
	fixed   []toolapi.AdapterSpec
}

func (p *parts) adapt(s toolapi.AdapterSpec) { p.adapted = append(p.adapted, s) }

func (p *parts) make() {
	p.names, p.interim = toolapi.Rename{}, p.interimNames()

	// The version's parameters are in the order of the release.
	for i, s := range p.is {
		if s.within != "" {
			continue
		}

		// An object is built from its members if old values went into them.
		hasInside := func(k int) bool { return p.is[k].within == s.Name && p.isUsed(k) }

		switch at := p.from(i); {
		case at >= 0 && p.to[at].items > 0:
			p.items(at)
		case at >= 0:
			if parameter, ok := p.value(at, s); ok {
				p.all = append(p.all, parameter)
				p.rename(p.names, s.Name, at, s)
			}
		case p.isUsed(i): // another item
		case slices.ContainsFunc(indexes(p.is), hasInside):
			p.nest(s)
		default:
			if parameter, ok := p.added(s, &p.fixed); ok {
				p.all = append(p.all, parameter)
			}
		}
	}

	for i, s := range p.was {
		// An object whose members were matched is not gone but unnested.
		isInside := func(k int) bool { return p.was[k].within == s.Name && p.isMatched(k) }

		if s.within == "" && !p.isMatched(i) && !slices.ContainsFunc(indexes(p.was), isInside) {
			p.removed(s)
		}
	}

	// A file has to say that there are none; without a list it is refused.
	if p.all == nil {
		p.all = []toolapi.Parameter{}
	}
}

func indexes[T any](all []T) []int {
	at := make([]int, len(all))
	for i := range at {
		at[i] = i
	}
	return at
}

// rename maps the new name of a parameter to its interim one, and notes the change.
func (p *parts) rename(names toolapi.Rename, now string, at int, s slot) {
	names[now] = p.interim[at]

	operator := RenameParameter

	switch was := p.was[at]; {
	case was.within != "" && s.within == "":
		operator = Unnest
	case was.within == "" && s.within != "" || was.String() == s.String():
		return // what has moved into an object is noted once
	}

	p.note(operator, p.was[at].String(), s.String(), p.to[at].sure, p.to[at].why)
}

// items puts parameters in place of a list.
func (p *parts) items(at int) {
	to := p.to[at]
	stem := strings.TrimSuffix(p.is[to.slot].Name, "1")

	for k := range to.items {
		p.all = append(p.all, p.is[to.slot+k].Parameter)
	}

	p.note(Number, p.was[at].Name, stem+"1", to.sure, to.why)
	p.adapt(toolapi.AdapterSpec{
		Enumerated: &toolapi.Enumerated{Item: stem, To: p.interim[at], Most: to.items},
	})
}

// nest puts an object in place of its members.
func (p *parts) nest(s slot) {
	n := nest{name: s.Name, names: toolapi.Rename{}}
	// An object is only as sure as its least sure member.
	sure := 1.0

	var (
		members []toolapi.Parameter
		from    []string
		needed  bool // by a tool: calls have to have the object
	)

	for i, m := range p.is {
		if m.within != s.Name {
			continue
		}

		at := p.from(i)
		// No old value goes here, so the member needs a fixed one, or is left out.
		if at < 0 {
			if member, ok := p.added(m, &n.fixed); ok {
				members = append(members, member)
			}

			continue
		}

		if member, ok := p.value(at, m); ok {
			members = append(members, member)
			from = append(from, p.was[at].String())
			needed = needed || !p.was[at].Optional && !member.Optional
			sure = min(sure, p.to[at].sure)
			p.rename(n.names, m.Name, at, m)
		}
	}

	// Nothing in it reaches the tool, so the version does without the object.
	if len(members) == 0 {
		return
	}

	// Other members would be lost on the way to the tool, so they are refused.
	object := toolapi.Parameters{All: members}.Schema().With("additionalProperties", false)
	if about := s.Description(); about != "" {
		object = object.With("description", about)
	}

	s.Schema, s.Optional = object, s.Optional && !needed
	p.all = append(p.all, s.Parameter)
	n.members = toolapi.ParameterNames(members)
	p.nests = append(p.nests, n)
	p.note(Nest, strings.Join(from, ", "), s.Name+" ("+strings.Join(n.members, ", ")+")", sure,
		"members of an object are like them")
}

// added returns a parameter that is new in the release; ok is false unless calls require it, and
// only one value makes sense.
func (p *parts) added(s slot, fixed *[]toolapi.AdapterSpec) (toolapi.Parameter, bool) {
	if s.Optional {
		p.note(AddOption, "", s.String(), 1, "left out: the tool as it is has nothing of it")
		return s.Parameter, false
	}

	// Calls must have it now, so an adapter has to know its value for old calls.
	values := valuesOf(s.Schema)
	usual, hasDefault := s.Schema.Get("default")

	switch {
	case isFlag(values):
		*fixed = append(*fixed, toolapi.AdapterSpec{Flag: &toolapi.Flag{Parameter: s.Name}})
		p.note(AddFlag, "", s.String(), 1, "it has to be true")
		return s.Parameter, true
	case len(values) == 1 && isScalar(values[0]):
		usual = values[0]
	case !hasDefault || !isScalar(usual):
		p.gone = true
		p.broken(NotUnderstood{
			Parameter: s.String(), Gone: true,
			Why: "it has to be there, and no call of before says it",
		})

		return s.Parameter, false
	}

	// The adapter takes the value away again: the tool as it is has no such parameter.
	*fixed = append(*fixed, toolapi.AdapterSpec{
		Ignored: &toolapi.Ignored{Parameter: s.Name, Value: usual},
	})
	s.Schema = s.Schema.Without("const", "enum").With("enum", []any{usual})
	p.note(AddFixed, "", s.String(), 1, "the version takes "+pytext.JSON(usual)+" alone")

	return s.Parameter, true
}

// hasOneValue reports whether a slot takes one value only.
func hasOneValue(s slot) bool {
	values := valuesOf(s.Schema)
	return isFlag(values) || len(values) == 1
}

// isFlag reports whether all values are true, and one is the True that notices show.
func isFlag(values []any) bool {
	isTrue := func(v any) bool { return v == true || v == "True" || v == "true" }
	return slices.Contains(values, any("True")) &&
		!slices.ContainsFunc(values, func(v any) bool { return !isTrue(v) })
}

func isScalar(v any) bool {
	switch v.(type) {
	case bool, string, envs.Number:
		return true
	}
	return false
}

// removed notes an old parameter that has no successor.
func (p *parts) removed(old slot) {
	p.lost = append(p.lost, old.Name)

	if old.Optional {
		p.note(RemoveOption, old.Name, "", 1,
			"calls that say it have no successor"+p.hint(old))
		return
	}

	p.gone = true
	p.broken(NotUnderstood{
		Parameter: old.Name, Gone: true,
		Why: "the tool needs it, and no call of the release says it" + p.hint(old),
	})
}

// leastHint is how alike a parameter has to be to be worth a look.
const leastHint = 0.3

// hint names the parameter that may be the successor of an old one without an adapter.
func (p *parts) hint(old slot) string {
	best, name := leastHint, ""

	for i, s := range p.is {
		alike := either(0.9 * p.words.names(old.Name, s.Name) * p.words.names(old.Name, s.Name))
		if said := p.words.descriptions(old.Description(), s.Description()); said > 0 {
			alike = either(alike, 0.9*said*said)
		}

		if !p.isUsed(i) && alike >= best {
			best, name = alike, s.String()+" is, which takes "+s.Type()
		}
	}

	if name == "" {
		return ""
	}
	return "; perhaps " + display.Line(name, 100)
}
