package release

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/toolapi"
)

// slot is where a call has a value: a parameter, or a member of one that is an object.
type slot struct {
	toolapi.Parameter

	within string // the parameter that it is a member of, or ""
}

func (s slot) String() string {
	if s.within != "" {
		return s.within + "." + s.Name
	}
	return s.Name
}

// pairing is where an old value goes.
type pairing struct {
	slot  int // the index of the slot, or of the first item's
	items int // how many slots have one item of a list each; 0 if the slot has the whole value
	sure  float64
	why   string
}

// tool is a tool and its successor.
type tool struct {
	*builder

	old, now toolapi.APISpec

	was, is []slot
	to      map[int]pairing // from was to is
}

func (t *tool) note(operator, from, to string, sure float64, why string) {
	change := drift.Change{Tool: t.old.Name, Operator: operator, From: from, To: to}
	t.out.Changes = append(t.out.Changes, Change{Change: change, Sure: sure, Why: why})
}

func (t *tool) broken(n NotUnderstood) {
	n.Tool = t.old.Name
	t.out.Broken = append(t.out.Broken, n)
}

// isUsed reports whether the value of a slot comes from somewhere.
func (t *tool) isUsed(i int) bool {
	for _, p := range t.to {
		if p.slot <= i && i < p.slot+max(p.items, 1) {
			return true
		}
	}

	return false
}

// from returns the old slot whose value a slot has, -1 if it is new.
func (t *tool) from(i int) int {
	for at := range t.was {
		if p, ok := t.to[at]; ok && p.slot == i {
			return at
		}
	}

	return -1
}

// match finds where values go: to parameters of the same name, then to items of lists, and then to
// the parameters and members of objects that are most alike.
func (t *tool) match() {
	for _, p := range t.now.Parameters.All {
		t.is = append(t.is, slot{Parameter: p})
	}

	for i, p := range t.old.Parameters.All {
		t.was = append(t.was, slot{Parameter: p})

		// An object of that name may have the value inside, which is looked for below.
		at := slices.IndexFunc(t.is, func(s slot) bool { return s.Name == p.Name })
		if at >= 0 && (t.takes(p, t.is[at].Parameter) || len(membersOf(t.is[at].Parameter)) == 0) {
			t.to[i] = pairing{slot: at, sure: 1, why: "the same name"}
		}
	}

	for i, p := range t.old.Parameters.All {
		if _, ok := t.to[i]; !ok {
			t.matchItems(i, p)
		}
	}

	// Members are compared only where the whole found no counterpart.
	t.was = t.opened(t.was, t.isMatched)
	t.is = t.opened(t.is, t.isUsed)
	named := maps.Clone(t.to)

	// No adapter builds an object of which some members are gone, so it is matched as a whole.
	for t.matchAlike(); t.closePartial(); t.matchAlike() {
		t.to = maps.Clone(named)
	}
}

// closePartial leaves out the slots inside an old object of which only some have a counterpart, and
// reports whether there was such an object.
func (t *tool) closePartial() bool {
	for _, s := range t.was {
		found := map[bool]bool{}

		for i, m := range t.was {
			if m.within == s.Name && s.within == "" {
				found[t.isMatched(i)] = true
			}
		}

		if len(found) > 1 {
			t.was = closed(t.was, []slot{s})
			return true
		}
	}

	return false
}

func (t *tool) isMatched(i int) bool {
	_, ok := t.to[i]
	return ok
}

// opened returns slots and those inside each that has no counterpart.
func (t *tool) opened(all []slot, done func(i int) bool) []slot {
	var inside []slot

	for i, s := range all {
		if !done(i) {
			inside = append(inside, membersOf(s.Parameter)...)
		}
	}

	return append(all, inside...)
}

// membersOf returns the slots inside a parameter that is an object.
func membersOf(p toolapi.Parameter) (all []slot) {
	if kindsOf(p.Schema) != object {
		return nil
	}

	needed := p.Schema.List("required")
	if p.Optional {
		needed = nil
	}

	for _, m := range p.Schema.Object("properties") {
		schema, _ := m.Value.(envs.Args)
		if len(schema) == 0 {
			schema = nil
		}

		all = append(all, slot{within: p.Name, Parameter: toolapi.Parameter{
			Name: m.Name, Schema: schema, Optional: !slices.Contains(needed, any(m.Name)),
		}})
	}
	return all
}

// leastItems is the least number of parameters that are taken for the items of a list.
const leastItems = 2

// matchItems finds parameters item1, item2, … in place of a list.
func (t *tool) matchItems(i int, p toolapi.Parameter) {
	// Without items nobody could tell whether an optional list is empty or left out.
	if p.Optional || kindsOf(p.Schema) != list {
		return
	}

	for at := range t.is {
		stem, first := strings.CutSuffix(t.is[at].Name, "1")
		n := 0

		for ; at+n < len(t.is) && first && !t.isUsed(at+n); n++ {
			item := t.is[at+n]
			m, ok := meet(p.Schema.Object("items"), item.Schema)

			if !ok || m.wider || item.Name != stem+strconv.Itoa(n+1) {
				break
			}
		}

		// One name that ends in 1 does not make a list.
		if n < leastItems {
			continue
		}

		item := t.is[at].Parameter
		item.Name, item.Optional, item.Schema = stem, false, p.Schema

		if sure := t.likeness(p, item); sure >= leastParameter {
			why := fmt.Sprintf("%d items with numbers", n)
			t.to[i] = pairing{slot: at, items: n, sure: sure, why: why}
			return
		}
	}
}

const (
	leastParameter = 0.5  // how alike parameters have to be
	leastSure      = 0.45 // and how sure that is, as others may be nearly as alike
)

// matchAlike finds successors among what is left, such that all are as alike as they can be.
func (t *tool) matchAlike() {
	left := rest(t.was, t.isMatched)
	free := rest(t.is, t.isUsed)

	// Weak pairs are no candidates, but a close second makes a choice unsure, so all are kept.
	all, some := make([][]float64, len(left)), make([][]float64, len(left))

	for x, i := range left {
		all[x], some[x] = make([]float64, len(free)), make([]float64, len(free))
		for y, k := range free {
			if all[x][y] = t.slotsAlike(t.was[i], t.is[k]); all[x][y] >= leastParameter {
				some[x][y] = all[x][y]
			}
		}
	}

	columns := assignment(some)

	// What was matched as a whole has no members left to match, so the rest starts over.
	if t.closeWhole(left, free, columns) {
		t.matchAlike()
		return
	}

	for x, y := range columns {
		if y < 0 {
			continue
		}

		if sure := confidence(all[x][y], gap(all, columns, x)); sure >= leastSure {
			why := t.reason(t.was[left[x]].Parameter, t.is[free[y]].Parameter)
			t.to[left[x]] = pairing{slot: free[y], sure: sure, why: why}
		}
	}

	t.matchOnly(left, free)
}

// rest returns the indexes of slots that are not done.
func rest(all []slot, done func(i int) bool) (left []int) {
	for i := range all {
		if !done(i) {
			left = append(left, i)
		}
	}

	return left
}

// closeWhole leaves out slots inside those that were matched as a whole, and reports whether there
// were any.
func (t *tool) closeWhole(left, free, columns []int) bool {
	var were, are []slot

	for x, y := range columns {
		if y >= 0 {
			were, are = append(were, t.was[left[x]]), append(are, t.is[free[y]])
		}
	}

	before := len(t.was) + len(t.is)
	t.was, t.is = closed(t.was, were), closed(t.is, are)
	return len(t.was)+len(t.is) < before
}

// closed returns slots without those inside some.
func closed(all, whole []slot) []slot {
	return slices.DeleteFunc(slices.Clone(all), func(s slot) bool {
		return s.within != "" && slices.ContainsFunc(whole, func(w slot) bool {
			return w.within == "" && w.Name == s.within
		})
	})
}

// sureOfOnly is how sure it is that the only old parameter left became the only new one that takes
// its values.
const sureOfOnly = 0.5

// matchOnly matches required parameters whose values only one parameter that is left can take.
func (t *tool) matchOnly(left, free []int) {
	only := map[int][]int{} // the slots, by old parameter
	from := map[int]int{}   // how many such parameters, by slot

	for _, i := range left {
		p := t.was[i]
		if t.isMatched(i) || p.within != "" || p.Optional {
			continue
		}

		for _, k := range free {
			s := t.is[k]
			isFree := s.within == "" && !s.Optional && !hasOneValue(s) && !t.isUsed(k)

			if isFree && fitOf(p.Parameter, s.Parameter) > 0 {
				only[i] = append(only[i], k)
				from[k]++
			}
		}
	}

	for i, slots := range only {
		if len(slots) == 1 && from[slots[0]] == 1 {
			why := "nothing else that takes its values is left"
			t.to[i] = pairing{slot: slots[0], sure: sureOfOnly, why: why}
		}
	}
}

// slotsAlike returns how likely a slot has the value of another one. The name of a member may or
// may not contain that of its object.
func (t *tool) slotsAlike(was, is slot) float64 {
	score := t.likeness(was.Parameter, is.Parameter)

	if was.within != is.within {
		a, b := was.Parameter, is.Parameter
		a.Name, b.Name = was.within+" "+a.Name, is.within+" "+b.Name
		score = max(score, t.likeness(a, b))
	}

	return score
}

// likeness returns how likely a parameter of a release is an old one under a new name: 0 if it
// takes none of its values.
func (b *builder) likeness(old, now toolapi.Parameter) float64 {
	fit := fitOf(old, now)
	if fit == 0 {
		return 0
	}

	prior := 0.0
	if old.Optional == now.Optional && fit == 1 {
		prior = 0.2
	}
	return fit * either(prior, b.textsAlike(old, now))
}

// textsAlike returns how alike the names and descriptions of parameters are.
func (b *builder) textsAlike(old, now toolapi.Parameter) float64 {
	name := b.words.names(old.Name, now.Name)
	said := b.words.descriptions(old.Description(), now.Description())
	return either(0.9*name*name, 0.9*said*said)
}

func (b *builder) reason(old, now toolapi.Parameter) string {
	said := b.words.descriptions(old.Description(), now.Description())
	return fmt.Sprintf("names alike by %.2f, descriptions by %.2f, values by %.2f",
		b.words.names(old.Name, now.Name), said, fitOf(old, now))
}

// fitOf returns how well the values of an old parameter fit a new one.
func fitOf(old, now toolapi.Parameter) float64 {
	fit := 0.0

	m, ok := meet(old.Schema, now.Schema)

	switch {
	case ok && !m.wider && !m.narrower:
		fit = 1
	case ok:
		fit = 0.9
	case isListOf(old.Schema, now.Schema):
		fit = 0.8
	default:
		if kind, _ := spelled(old.Schema, now.Schema); kind != "" {
			fit = 0.8
		}
	}

	if old.Optional != now.Optional {
		fit *= 0.9
	}
	return fit
}

// takes reports whether one parameter can become another, by an adapter or as it is.
func (t *tool) takes(old, now toolapi.Parameter) bool { return t.isLoose() || fitOf(old, now) > 0 }

// isLoose reports whether calls may have any values.
func (t *tool) isLoose() bool {
	return t.old.Parameters.Loose || t.old.Loose || t.now.Parameters.Loose || t.now.Loose
}

// spelled returns the type of an old parameter whose values are texts now, or "", and the new
// schema without texts that are none of its values.
func spelled(old, now envs.Args) (kind string, schema envs.Args) {
	names := []string{"boolean", "integer", "number"}

	i := slices.IndexFunc(names, func(name string) bool { return kindsOf(old) == kindNames[name] })
	if i < 0 || kindsOf(now) != text {
		return "", nil
	}

	// What these want of a text is not known, unless they want the same of the old values.
	for _, keyword := range []string{"format", "pattern"} {
		was, _ := old.Get(keyword)
		if is, given := now.Get(keyword); given && !reflect.DeepEqual(was, is) {
			return "", nil
		}
	}

	foreign := func(v any) bool {
		call, wrong := toolapi.Spelled{Type: names[i]}.Lower(envs.Object("", v))
		return wrong != nil || !allows(old, call[0].Value)
	}

	if values := valuesOf(now); slices.ContainsFunc(values, foreign) {
		values = slices.DeleteFunc(slices.Clone(values), foreign)
		if now = with(now, "enum", values); len(values) == 0 {
			return "", nil
		}
	}

	if usual, given := now.Get("default"); given && foreign(usual) {
		now = now.Without("default")
	}
	return names[i], now
}

// allows reports whether a value fits a schema. One that refers to others says nothing alone.
func allows(schema envs.Args, v any) bool {
	form, err := toolapi.NewForm(schema)
	if err != nil {
		return true
	}

	_, why := form.Misfit(v)
	return why == ""
}

// isListOf reports whether a parameter takes a list of what was one value.
func isListOf(old, now envs.Args) bool {
	if kindsOf(now) != list || kindsOf(old)&list != 0 {
		return false
	}

	_, ok := meet(old, now.Object("items"))
	return ok
}

// isSame reports whether two defaults are equal.
func isSame(a, b any) bool { return reflect.DeepEqual(a, b) }
