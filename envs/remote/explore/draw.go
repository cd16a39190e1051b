package explore

import (
	"slices"
	"strconv"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/toolapi"
)

// drawn are arguments, and where the values of places come from.
type drawn struct {
	args envs.Args
	from []string // keys of tries
}

// The shares and weights that arguments are drawn by.
const (
	optionalShare = 0.35 // of optional parameters are given
	placedShare   = 0.9  // of values for which a place suits are of one
	earlierWeight = 6.0  // of a value of the program's own calls, where others weigh 1
	mostDrawn     = 2    // items of a list
)

// draw draws arguments of a tool, some of them what earlier calls answered.
func (e *Explorer[S]) draw(a *toolapi.API, before []madeCall[S]) (d drawn) {
	// The first word of a tool's name says what it does, and the others what it does it with.
	things := drift.Stems(a.Tool)
	things = things[min(1, len(things)):]

	for _, p := range a.Parameters {
		if p.Optional && e.rng.Float64() >= optionalShare {
			continue
		}

		w := want{key: a.Tool + " " + p.Name, words: drift.Stems(p.Name), things: things}

		value, ok := e.value(&d, p.Schema, w, before)
		if !ok {
			if value, ok = a.Sample().Get(p.Name); !ok || p.Optional {
				continue
			}
		}

		d.args = d.args.With(p.Name, value)
	}
	return d
}

// value draws a value of a schema. ok is false where the schema says too little for one.
func (e *Explorer[S]) value(
	d *drawn, schema envs.Args, w want, before []madeCall[S],
) (value any, ok bool) {
	w.kind = kindOf(schema)

	if v, ok := schema.Get("const"); ok {
		return v, true
	}

	if listed := schema.List("enum"); len(listed) > 0 {
		return listed[e.rng.IntN(len(listed))], true
	}

	switch w.kind {
	case "object":
		return e.object(d, schema, w, before)
	case "array":
		return e.list(d, schema, w, before)
	case "boolean":
		return e.rng.IntN(2) == 0, true
	}

	// Values that the tools answered exist there. Examples and made-up ones mostly do not.
	if e.rng.Float64() < placedShare {
		if v, key := e.placeValue(w, before); key != "" {
			d.from = append(d.from, key)
			return v, true
		}
	}

	if examples := schema.List("examples"); len(examples) > 0 {
		return examples[e.rng.IntN(len(examples))], true
	}

	switch w.kind {
	case "integer":
		return e.number(schema), true
	case "string":
		// A free text would hardly have the format or fit the pattern.
		if _, hasForm := schema.Get("format"); hasForm {
			return nil, false
		}

		if _, hasPattern := schema.Get("pattern"); hasPattern {
			return nil, false
		}
		return freeTexts[e.rng.IntN(len(freeTexts))], true
	}
	return nil, false
}

// freeTexts are for notes, titles and messages.
var freeTexts = []string{
	"blue", "morning", "second floor", "please call first", "north", "for Ada", "spare part", "winter",
	"side door", "gift", "review", "draft", "handle with care", "urgent", "garden", "as agreed",
}

// kindOf returns the type that a schema names: of several, the first that is not null.
func kindOf(schema envs.Args) any {
	kind, _ := schema.Get("type")
	if several, ok := kind.([]any); ok {
		i := slices.IndexFunc(several, func(kind any) bool { return kind != "null" })
		return several[max(i, 0)]
	}

	return kind
}

func (e *Explorer[S]) object(d *drawn, schema envs.Args, w want, before []madeCall[S]) (any, bool) {
	required := schema.List("required")

	var object envs.Args

	for _, p := range schema.Object("properties") {
		must := slices.Contains(required, any(p.Name))
		if !must && e.rng.Float64() >= optionalShare {
			continue
		}

		inside, _ := p.Value.(envs.Args)
		part := want{key: w.key + "." + p.Name, words: drift.Stems(p.Name), things: w.words}

		value, ok := e.value(d, inside, part, before)
		if !ok && must {
			return nil, false
		}

		if ok {
			object = object.With(p.Name, value)
		}
	}
	return object, len(object) > 0
}

func (e *Explorer[S]) list(d *drawn, schema envs.Args, w want, before []madeCall[S]) (any, bool) {
	var list []any

	for range 1 + e.rng.IntN(mostDrawn) {
		value, ok := e.value(d, schema.Object("items"), w, before)
		if !ok {
			return nil, false
		}

		list = append(list, value)
	}
	return list, true
}

// The whole numbers that are drawn if a schema does not bound them.
const leastNumber, mostNumber = 1, 5

func (e *Explorer[S]) number(schema envs.Args) any {
	least := bound(schema, "minimum", leastNumber)
	most := bound(schema, "maximum", max(mostNumber, least))
	most = max(least, min(most, least+mostNumber))
	return envs.Number(strconv.Itoa(least + e.rng.IntN(most-least+1)))
}

func bound(schema envs.Args, keyword string, usual int) int {
	v, _ := schema.Get(keyword)
	n, _ := v.(envs.Number)

	if i, err := strconv.Atoi(string(n)); err == nil {
		return i
	}
	return usual
}

// placeValue draws a value of a place that suits, and returns the key of parameter and place, or ""
// if no place suits.
func (e *Explorer[S]) placeValue(w want, before []madeCall[S]) (value any, key string) {
	type candidate struct {
		values []any
		key    string
		weight float64
	}

	var (
		all   []candidate
		total float64
	)

	add := func(p place, suits int, times float64) {
		p.values = slices.DeleteFunc(slices.Clone(p.values), func(v any) bool { return !w.fits(v) })
		if suits == 0 || len(p.values) == 0 {
			return
		}

		// What was accepted keeps its weight, and what was refused is tried less and less.
		c := candidate{p.values, w.key + " " + p.key, float64(suits*suits) * times}
		if t := e.tried[c.key]; t != nil {
			c.weight *= float64(1+t.taken) / float64(1+t.taken+2*t.refused)
		}

		all, total = append(all, c), total+c.weight
	}

	for _, p := range e.known {
		add(p, w.suits(p), 1)
	}

	named := namedBy(before)

	for i, m := range before {
		// Somebody who is spoken of stays the same: the reader of a loan, and whose loans are
		// listed.
		for _, l := range leavesOf(m.Args, mostItems) {
			p := placeOf(m.API.Tool, l)
			add(p.with(l.value), w.suits(p), earlierWeight)
		}

		for _, l := range leavesOf(m.answer.Value, firstItems) {
			p := placeOf(m.API.Tool, l)
			suits := w.suits(p)

			// The id of what a call has just made suits, whatever the tool calls the thing.
			if e.writes(m.API) && w.isMade(l.pointer) {
				suits = max(suits, 1)
			}

			// A value that the question names already is given as it is, and any other by a
			// reference.
			switch {
			case !w.fits(l.value):
			case slices.Contains(named, spelled(l.value)):
				add(p.with(l.value), suits, earlierWeight)
			default:
				add(p.with(Ref{i + 1, l.pointer}), suits, earlierWeight)
			}
		}
	}

	at := e.rng.Float64() * total
	for _, c := range all {
		if at -= c.weight; at < 0 {
			return c.values[e.rng.IntN(len(c.values))], c.key
		}
	}

	return nil, ""
}

// with returns the place with a single value.
func (p place) with(value any) place {
	p.values = []any{value}
	return p
}
