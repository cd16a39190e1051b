package drift

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/silent"
	"toolevo/envs/toolapi"
)

// field is a member of a version's answers.
type field struct {
	name  string
	value any      // in an example
	tools []string // whose answers have it
}

// fieldsOf returns the members of a version's answers, at any depth, in the order of their names.
func fieldsOf(s *toolapi.Spec) []field {
	byName := map[string]*field{}

	for _, a := range s.APIs {
		answer, err := pytext.DecodeStrict(a.Answer)
		// An answer that is not JSON has no members.
		if err != nil {
			continue
		}

		envs.Map(answer, func(part any) (any, bool) {
			object, _ := part.(envs.Args)
			for _, m := range object {
				f := byName[m.Name]
				if f == nil {
					f = &field{name: m.Name, value: firstOf(m.Value)}
					byName[m.Name] = f
				}

				// A member may occur at several depths of one answer.
				if !slices.Contains(f.tools, a.ToolName()) {
					f.tools = append(f.tools, a.ToolName())
				}
			}
			return part, false
		})
	}

	// What is drawn from these must not depend on the order of a map.
	var all []field
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		all = append(all, *byName[name])
	}
	return all
}

// firstOf returns a value, or the first of a list.
func firstOf(v any) any {
	if list, ok := v.([]any); ok && len(list) > 0 {
		return list[0]
	}
	return v
}

// drawField draws one of the fields that pass a test.
func drawField(s *toolapi.Spec, d *Draws, is func(field) bool) (field, bool) {
	all := slices.DeleteFunc(fieldsOf(s), func(f field) bool { return !d.mayTake(f.name) || !is(f) })
	if len(all) == 0 {
		return field{}, false
	}
	return pick(d.Rand, all), true
}

// silently adds a change about some tools to a version.
func silently(s *toolapi.Spec, tools []string, c silent.Change, from string) (Change, bool) {
	c.Tools = slices.Compact(slices.Sorted(slices.Values(tools)))
	s.Silent = append(slices.Clip(s.Silent), c)
	return Change{From: from, To: c.Note()}, true
}

// recoded returns where a field is written in another way: in the answers that have it, and in
// parameters that are named after it and pass a test. change changes the schema of such a
// parameter.
func recoded(s *toolapi.Spec, f field, is func(toolapi.Parameter) bool,
	change func(toolapi.Parameter) toolapi.Parameter) (where silent.Where, tools []string) {
	where.Fields, tools = []string{f.name}, slices.Clone(f.tools)
	s.APIs = slices.Clone(s.APIs)

	for i := range s.APIs {
		a := &s.APIs[i]
		if envs.IsSystem(a.ToolName()) {
			continue
		}

		// A service writes one thing in one way: conditions and queries on the field change, too.
		conditions, sql := calledNow(a, a.Conditions), calledNow(a, a.SQL)
		if named := a.Of == "" || slices.Contains(f.tools, a.Of); named && conditions+sql != "" {
			where.Conditions = cmp.Or(conditions, where.Conditions)
			where.SQL = cmp.Or(sql, where.SQL)
			tools = append(tools, a.ToolName())
		}

		a.Parameters.All = slices.Clone(a.Parameters.All)

		for k, p := range a.Parameters.All {
			// max_duration, for example, is in the unit of duration.
			if p.Name != f.name && !strings.HasSuffix(p.Name, "_"+f.name) || !is(p) {
				continue
			}

			a.Parameters.All[k] = change(p)
			tools = append(tools, a.ToolName())

			if !slices.Contains(where.Fields, p.Name) {
				where.Fields = append(where.Fields, p.Name)
			}
		}
	}

	return where, tools
}

// calledNow returns an API's name for a parameter of the tool, "" if it has another shape by now.
func calledNow(a *toolapi.APISpec, name string) string {
	for _, adapter := range slices.Backward(a.Adapters) {
		for now, was := range adapter.Rename {
			if was == name {
				name = now
				break
			}
		}
	}

	if !slices.Contains(toolapi.ParameterNames(a.Parameters.All), name) {
		return ""
	}
	return name
}

// isDecimal reports whether a value is a number, or a text that is one.
func isDecimal(v any) bool {
	switch v := v.(type) {
	case envs.Number:
		return true
	case string:
		_, ok := pytext.ParseFloat(v)
		return ok
	}

	return false
}

// scaleField turns numbers into a unit that is smaller by a power of ten.
func scaleField(s *toolapi.Spec, d *Draws) (Change, bool) {
	isNumber := func(p toolapi.Parameter) bool { return typeOf(p) == "number" }

	f, ok := drawField(s, d, func(f field) bool {
		return isDecimal(f.value) && isRecodable(s, f, isNumber) && !isWhole(s, f, isNumber)
	})
	if !ok {
		return Change{}, false
	}

	c := &silent.Scaled{Zeros: pick(d.Rand, []int{1, 2, 3})}
	if d.chosen != nil {
		c.Zeros = d.chosen.zeros
	}

	where, tools := recoded(s, f, isNumber, func(p toolapi.Parameter) toolapi.Parameter {
		// Bounds and defaults are in the same unit as the values.
		for _, keyword := range []string{"minimum", "maximum", "default"} {
			if v, ok := p.Schema.Get(keyword); ok {
				scaled := silent.Changes{{Scaled: &silent.Scaled{
					Where: silent.Where{Fields: []string{keyword}}, Zeros: c.Zeros,
				}}}
				now, _ := scaled.Lift(envs.Object(keyword, v)).Get(keyword)
				p.Schema = withKeyword(p.Schema, keyword, now)
			}
		}

		return p
	})
	c.Where = where
	// An example in the old unit may lie outside the new bounds.
	s.APIs = inUnit(s.APIs, tools, silent.Changes{{Scaled: &silent.Scaled{
		Where: silent.Where{Fields: where.Fields}, Zeros: c.Zeros,
	}}})
	return silently(s, tools, silent.Change{Scaled: c}, f.name)
}

// inUnit rewrites the examples of the notices of some tools, whose calls are in another unit.
func inUnit(apis []toolapi.APISpec, tools []string, change silent.Changes) []toolapi.APISpec {
	for i, a := range apis {
		args, _, err := pytext.DecodeObject(a.Notice.Example)
		if err != nil || !slices.Contains(tools, a.ToolName()) {
			continue
		}

		if lifted := change.Lift(args); !reflect.DeepEqual(lifted, args) {
			apis[i].Notice.Example = pytext.JSON(lifted)
		}
	}

	return apis
}

// quoteField turns a number into a text, or a text that is a number into a number.
func quoteField(s *toolapi.Spec, d *Draws) (Change, bool) {
	f, ok := drawField(s, d, func(f field) bool { return isDecimal(f.value) && isAnswered(s, f) })
	if !ok {
		return Change{}, false
	}
	return silently(s, f.tools, silent.Change{
		Quoted: &silent.Quoted{Where: silent.Where{Fields: []string{f.name}}},
	}, f.name)
}

// reorderDate writes dates with the day first.
func reorderDate(s *toolapi.Spec, d *Draws) (Change, bool) {
	f, ok := drawField(s, d, func(f field) bool {
		text, _ := f.value.(string)
		return silent.IsDate(text) && isRecodable(s, f, isText)
	})
	if !ok {
		return Change{}, false
	}

	where, tools := recoded(s, f, isText, unchanged)
	return silently(s, tools, silent.Change{Dated: &silent.Dated{Where: where}}, f.name)
}

// shiftTime moves all fields that are times into another time zone.
func shiftTime(s *toolapi.Spec, d *Draws) (Change, bool) {
	c := &silent.Zoned{Hours: pick(d.Rand, []int{1, 2, 3, 5, 8, 11})}

	var tools []string

	for _, f := range fieldsOf(s) {
		if text, _ := f.value.(string); !silent.IsTime(text) || !isRecodable(s, f, isText) {
			continue
		}

		where, with := recoded(s, f, isText, unchanged)
		// The tools of one field may have conditions, and those of another have none.
		c.Fields, tools = append(c.Fields, where.Fields...), append(tools, with...)
		c.Conditions = cmp.Or(where.Conditions, c.Conditions)
		c.SQL = cmp.Or(where.SQL, c.SQL)
	}

	if len(tools) == 0 {
		return Change{}, false
	}
	return silently(s, tools, silent.Change{Zoned: c}, strings.Join(c.Fields, ", "))
}

// freeOf reports whether neither a member of an answer nor a parameter, or a member inside one, has
// a name.
func freeOf(s *toolapi.Spec, name string) bool {
	is := func(other string) bool { return fold(other) == fold(name) }
	return !slices.ContainsFunc(fieldsOf(s), func(f field) bool { return is(f.name) }) &&
		!slices.ContainsFunc(s.APIs, func(a toolapi.APISpec) bool {
			return hasMember(a, is) ||
				slices.ContainsFunc(toolapi.ParameterNames(a.Parameters.All), is)
		})
}

// renameField gives a member of answers another name.
func renameField(s *toolapi.Spec, d *Draws) (Change, bool) {
	f, ok := drawField(s, d, func(f field) bool { return isAnswered(s, f) })
	if !ok {
		return Change{}, false
	}

	m := newMeaning(f.name, "", "answer")
	name := d.name(d.Rand, func(string) bool { return false }, func(r *rand.Rand) string {
		for {
			if name := styled(f.name, d.words.wordsOfParameter(r, m)); freeOf(s, name) {
				return name
			}
		}
	})

	return silently(s, f.tools, silent.Change{Renamed: &silent.Renamed{Field: f.name, As: name}}, f.name)
}

// moveField puts a member of answers into an object of its own.
func moveField(s *toolapi.Spec, d *Draws) (Change, bool) {
	f, ok := drawField(s, d, func(f field) bool { return isAnswered(s, f) })

	into := slices.Clone(d.words.Containers)
	if d.chosen != nil {
		into = []string{d.chosen.as}
	}

	into = slices.DeleteFunc(into, func(name string) bool { return !freeOf(s, name) })

	if !ok || len(into) == 0 {
		return Change{}, false
	}
	return silently(s, f.tools, silent.Change{Moved: &silent.Moved{Field: f.name, Into: pick(d.Rand, into)}}, f.name)
}

// passingFault makes a fault meet about half of the pairs of a task and a tool, for one call or
// two.
func passingFault(kind toolapi.FaultKind) func(s *toolapi.Spec, d *Draws) (Change, bool) {
	return func(s *toolapi.Spec, d *Draws) (Change, bool) {
		f := toolapi.Fault{Kind: kind, Share: 0.5, Calls: 1 + d.IntN(2)}
		s.Faults = append(slices.Clip(s.Faults), f)
		return Change{To: fmt.Sprintf("%s, %d calls", kind, f.Calls)}, true
	}
}
