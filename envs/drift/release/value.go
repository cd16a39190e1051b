package release

import (
	"cmp"
	"reflect"
	"slices"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// value returns a parameter, or a member, of the version that has the value of an old one. It takes
// what both take, with adapters for the rest; ok is false if no adapter leads there.
func (p *parts) value(at int, s slot) (toolapi.Parameter, bool) {
	old, now := p.was[at], s.Parameter

	if old.Description() != now.Description() {
		p.described = append(p.described, s.String())
	}

	if p.isLoose() {
		p.presence(at, &now, s)
		return now, true
	}

	m, ok := meet(old.Schema, now.Schema)
	if !ok {
		return p.retyped(at, s)
	}

	now.Schema = m.schema
	// A call that leaves it out cannot mean what the tool does not take.
	usual, given := now.Schema.Get("default")
	if given && usual != nil && !allows(old.Schema, usual) {
		now.Schema = now.Schema.Without("default")
	}

	p.values(old, s, m)
	p.presence(at, &now, s)
	return now, true
}

// retyped returns a parameter whose values have another type.
func (p *parts) retyped(at int, s slot) (toolapi.Parameter, bool) {
	old, now := p.was[at], s.Parameter
	was, is := accepted(old), accepted(s)

	switch kind, schema := spelled(old.Schema, now.Schema); {
	case kind != "":
		why := "it is sent as a text"
		if now.Schema = schema; valuesOf(schema) != nil {
			why += "; the version has those that the tool takes"
		}

		p.note(Spell, was, is, p.to[at].sure, why)
		p.presence(at, &now, s)
		p.adapt(toolapi.AdapterSpec{
			Spelled: &toolapi.Spelled{Parameter: p.interim[at], Type: kind},
		})
	case isListOf(old.Schema, now.Schema):
		inside, _ := meet(old.Schema, now.Schema.Object("items"))
		now.Schema = with(with(now.Schema, "items", inside.schema), "maxItems", envs.Number("1"))
		p.note(List, was, is, p.to[at].sure, "the version takes one item, as the tool does")
		p.adapt(toolapi.AdapterSpec{Listed: &toolapi.Listed{Parameter: p.interim[at]}})
		// After the list: the old default is a single value, as the tool takes it.
		p.presence(at, &now, s)
	default:
		p.unmet(at, s, "no adapter leads from "+is+" to "+was)
		return now, false
	}

	return now, true
}

// values notes how values differ.
func (p *parts) values(old, now slot, m met) {
	if len(m.lost) > 0 {
		why := "values are gone: " + shown(m.lost)
		if len(m.fresh) > 0 {
			why += "; the version has no new ones, which may be their names now: " + shown(m.fresh)
		}

		p.broken(NotUnderstood{Parameter: old.String(), Why: why})
	}

	was, is := accepted(old), accepted(now)

	switch {
	case old.Optional && !now.Optional && isNullable(old.Schema, now.Schema):
		// needed notes it: null now means what leaving it out did.
	case m.wider && m.narrower:
		p.note(Widen, was, is, 1, "the version has what the tool takes, as far as the release does")
	case m.wider || len(m.fresh) > 0:
		p.note(Widen, was, is, 1, "the version has what the tool takes")
	case m.narrower:
		p.note(Narrow, was, is, 1, "calls of before may be refused")
	case !reflect.DeepEqual(bare(old.Schema), bare(now.Schema)):
		p.note(Constrain, was, is, 1, "one of them may refuse what the other takes")
	}
}

// unmet notes a parameter whose values no adapter translates. If neither side requires it, the
// version does without it.
func (p *parts) unmet(at int, s slot, why string) {
	old := p.was[at]
	p.lost = append(p.lost, cmp.Or(old.within, old.Name))

	gone := !old.Optional || !s.Optional
	p.gone = p.gone || gone
	p.broken(NotUnderstood{Parameter: old.String(), Why: why, Gone: gone})
}

// presence handles calls that leave a parameter out.
func (p *parts) presence(at int, now *toolapi.Parameter, s slot) {
	old := p.was[at]
	was, hasWas := old.Schema.Get("default")
	is, hasIs := now.Schema.Get("default")
	// A default of null is the absence of a default.
	hasWas, hasIs = hasWas && was != nil, hasIs && is != nil
	said, says := s.Schema.Get("default") // which the version may do without

	// Defaults are compared below, so the old one is spelled as the release spells its values.
	if kind, _ := spelled(old.Schema, s.Schema); hasWas && kind != "" {
		was = pytext.JSON(was)
		old.Schema = with(old.Schema, "default", was)
	}

	switch {
	case old.Optional && !s.Optional:
		p.needed(at, old, now, s)
	case !old.Optional && s.Optional && hasIs && isScalar(is):
		p.adapt(toolapi.AdapterSpec{
			Fallback: &toolapi.Fallback{Parameter: p.interim[at], Value: is},
		})
		p.note(SwapRequired, old.String(), s.String()+" optional", 1,
			"left out it is "+pytext.JSON(is))
	case !old.Optional && s.Optional:
		now.Optional = false
		p.note(SwapRequired, old.String(), s.String()+" optional", 1,
			"the version needs it, as the tool does, since no default says what leaving it out is")
	case old.Optional && hasWas && hasIs && !isSame(was, is):
		p.flipped(at, s, was, is)
	case old.Optional && !hasIs && says && said != nil:
		p.note(FlipDefault, old.String()+defaultText(was, hasWas),
			s.String()+defaultText(said, true), 0.5,
			"the tool does not take it, so left out it is what it was")
	case old.Optional && hasWas != hasIs:
		from, to := old.String()+defaultText(was, hasWas), s.String()+defaultText(is, hasIs)
		p.note(FlipDefault, from, to, 0.5,
			"one of them does not say what it is where it is left out: it may be the same")
	}
}

// needed handles a parameter that has become required. The default of the old one is spelled as the
// release spells its values.
func (p *parts) needed(at int, old slot, now *toolapi.Parameter, s slot) {
	usual, hasDefault := old.Schema.Get("default")
	why := "calls that left it out have no successor"

	switch {
	case isNullable(old.Schema, s.Schema):
		now.Schema = s.Schema
		p.adapt(toolapi.AdapterSpec{Nullable: &toolapi.Nullable{Parameter: p.interim[at]}})
		why = "null is what leaving it out was"
	case hasDefault && isScalar(usual):
		// Calls always have it now, so no default of the version is needed.
		p.adapt(toolapi.AdapterSpec{
			Flipped: &toolapi.Flipped{Parameter: p.interim[at], Tool: usual},
		})
		why = "calls that left it out say " + pytext.JSON(usual)
	}

	p.note(SwapRequired, old.String(), s.String()+" required", 1, why)
}

// isNullable reports whether a schema takes null, and otherwise only values of the old one.
func isNullable(old, now envs.Args) bool {
	was, is := kindsOf(old), kindsOf(now)
	isNew := func(v any) bool { return v != nil && !among(valuesOf(old))(v) }
	return was&null == 0 && is&null != 0 && is&^null&^was == 0 &&
		(valuesOf(old) == nil || valuesOf(now) != nil && !slices.ContainsFunc(valuesOf(now), isNew))
}

// flipped handles a parameter with another default, which refuses no call.
func (p *parts) flipped(at int, s slot, was, is any) {
	old := p.was[at]
	from, to := old.String()+defaultText(was, true), s.String()+defaultText(is, true)

	if !isScalar(was) || !isScalar(is) {
		p.broken(NotUnderstood{
			Parameter: old.String(),
			Why:       "no adapter says what leaving it out means: " + from + " → " + to,
		})
		return
	}

	p.adapt(toolapi.AdapterSpec{
		Flipped: &toolapi.Flipped{Parameter: p.interim[at], Tool: was, Default: is},
	})
	p.note(FlipDefault, from, to, 1, "silent: it refuses no call, and means something else")
}

func defaultText(v any, given bool) string {
	if !given {
		return ""
	}
	return "=" + pytext.JSON(v)
}

// accepted returns a slot and what it takes, in one line.
func accepted(s slot) string {
	return display.Line(s.String()+" "+pytext.JSON(append(envs.Args{}, bare(s.Schema)...)), 160)
}
