package drift

import (
	"slices"
	"strconv"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/silent"
	"toolevo/envs/toolapi"
)

// lists returns the APIs that answer with a list, or with the columns of a table, by their index.
func lists(s *toolapi.Spec) []int {
	var all []int

	for i, a := range s.APIs {
		answer, _ := pytext.DecodeStrict(a.Answer)
		_, ok := answer.([]any)

		columns, _ := answer.(envs.Args)
		single := func(m envs.Arg) bool { _, isList := m.Value.([]any); return !isList }

		if ok || len(columns) > 0 && !slices.ContainsFunc(columns, single) {
			all = append(all, i)
		}
	}
	return all
}

// addView adds an optional parameter, with one of some names, to a tool that answers with a list.
func addView(s *toolapi.Spec, d *Draws, names []string, schema envs.Args) (tool, name string, ok bool) {
	all := lists(s)
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !freeOf(s, name) })

	if len(all) == 0 || len(names) == 0 {
		return "", "", false
	}

	s.APIs = slices.Clone(s.APIs)
	tool, name = s.APIs[pick(d.Rand, all)].ToolName(), pick(d.Rand, names)

	for i := range s.APIs {
		if a := &s.APIs[i]; a.ToolName() == tool { // several may expose it
			a.Parameters.All = append(slices.Clip(a.Parameters.All),
				toolapi.Parameter{Name: name, Optional: true, Schema: schema})
		}
	}

	return tool, name, true
}

// reverseList makes the last item of an answer come first.
func reverseList(s *toolapi.Spec, d *Draws) (Change, bool) {
	schema := envs.Object("type", "string", "enum", []any{"descending", "ascending"}, "default", "descending")

	tool, name, ok := addView(s, d, d.words.Orders, schema)
	if !ok {
		return Change{}, false
	}
	return silently(s, []string{tool}, silent.Change{
		Reversed: &silent.Reversed{Parameter: name, Value: "ascending"},
	}, "")
}

// mostListed is how many items of an answer a call may ask for.
const mostListed = 1000

// shortenList cuts an answer after its first items.
func shortenList(s *toolapi.Spec, d *Draws) (Change, bool) {
	size := 1 + d.IntN(2)
	schema := envs.Object("type", "integer", "minimum", envs.Number("1"),
		"maximum", envs.Number(strconv.Itoa(mostListed)), "default", envs.Number(strconv.Itoa(size)))

	tool, name, ok := addView(s, d, d.words.Limits, schema)
	if !ok {
		return Change{}, false
	}
	return silently(s, []string{tool}, silent.Change{
		Paged: &silent.Paged{Parameter: name, Size: size, Value: mostListed},
	}, "")
}

// withholdField makes a member null in the answers of one API. Another API has to list it: one that
// takes some of the same arguments, and whose items have it beside an id.
func withholdField(s *toolapi.Spec, d *Draws) (Change, bool) {
	var (
		all   []silent.Withheld
		tools []string
	)

	for _, a := range s.APIs {
		one := itemOf(a)

		for _, i := range lists(s) {
			// The list must take arguments that the agent already has.
			source := s.APIs[i]
			item, with := itemOf(source), shared(a, source)

			for _, m := range one {
				// Only a value that is listed elsewhere can be found, by the id, which stays.
				_, listed := item.Get(m.Name)
				if _, has := item.Get("id"); !has || !listed || m.Name == "id" || len(with) == 0 {
					continue
				}

				all = append(all, silent.Withheld{
					Field: m.Name,
					Elsewhere: silent.Elsewhere{
						Source: source.ToolName(), With: with, By: "id",
					},
				})
				tools = append(tools, a.ToolName())
			}
		}
	}

	if len(all) == 0 {
		return Change{}, false
	}

	i := d.IntN(len(all))
	return silently(s, tools[i:i+1], silent.Change{Withheld: &all[i]}, all[i].Field)
}

// itemOf returns the object that an API answers with, or the first of a list.
func itemOf(a toolapi.APISpec) envs.Args {
	answer, _ := pytext.DecodeStrict(a.Answer)
	object, _ := firstOf(answer).(envs.Args)
	return object
}

// shared returns the parameters of a source that another API has, by the tools' names for them: nil
// if it lacks one that the source requires, or has no others.
func shared(a, source toolapi.APISpec) []string {
	var with []string

	all, known := ofTool(a)
	needed, clear := ofTool(source)

	if !known || !clear {
		return nil
	}

	for i, name := range needed {
		switch {
		case slices.Contains(all, name):
			with = append(with, name)
		case name != "" && !source.Parameters.All[i].Optional:
			return nil
		}
	}

	if len(all) == len(with) {
		return nil
	}
	return with
}

// ofTool returns a tool's names for the parameters of an API, "" for one that says which of several
// tools is called; ok is false if adapters do more than rename and choose.
func ofTool(a toolapi.APISpec) (all []string, ok bool) {
	all = toolapi.ParameterNames(a.Parameters.All)

	for _, s := range a.Adapters {
		if s.Rename == nil && s.Chosen == nil {
			return nil, false
		}

		for i, name := range all {
			if was, ok := s.Rename[name]; ok {
				all[i] = was
			}

			if s.Chosen != nil && s.Chosen.Parameter == name {
				all[i] = ""
			}
		}
	}

	return all, true
}
