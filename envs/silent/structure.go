package silent

import (
	"errors"
	"fmt"
	"regexp"

	"toolevo/envs"
)

// Renamed swaps the names of two members.
type Renamed struct {
	Field string `yaml:"field"`
	As    string `yaml:"as"`
}

func (r *Renamed) change(v any) any {
	return envs.Map(v, func(part any) (any, bool) {
		object, ok := part.(envs.Args)
		if !ok {
			return part, false
		}

		changed := append(envs.Args{}, object...)
		for i, m := range changed {
			switch m.Name {
			case r.Field:
				changed[i].Name = r.As
			case r.As:
				changed[i].Name = r.Field
			}
		}

		return changed, false
	})
}

func (r *Renamed) effect() effect { return ofValues(r.change, r.change) }

func (r *Renamed) note() string { return fmt.Sprintf("%s: it is called %s.", r.Field, r.As) }

var renamedNote = regexp.MustCompile(`^([^:]+): it is called (.+)\.$`)

func (r *Renamed) read(note string) bool { return readPair(renamedNote, note, &r.Field, &r.As) }

func (r *Renamed) check() error { return differ("renamed", r.Field, r.As) }

// Moved puts a member into an object of its own.
type Moved struct {
	Field string `yaml:"field"`
	Into  string `yaml:"into"`
}

func (m *Moved) now(v any) any {
	return m.each(v, m.Field, m.Into, func(value any) envs.Arg {
		return envs.Arg{Name: m.Into, Value: envs.Args{{Name: m.Field, Value: value}}}
	})
}

func (m *Moved) was(v any) any {
	return m.each(v, m.Into, m.Field, func(value any) envs.Arg {
		object, _ := value.(envs.Args)
		if len(object) != 1 || object[0].Name != m.Field {
			return envs.Arg{Name: m.Into, Value: value}
		}
		return object[0]
	})
}

// each replaces the members of a name, without looking into their replacements. An object that also
// has a member of the other name stays as it is.
func (m *Moved) each(v any, name, other string, replace func(value any) envs.Arg) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = m.each(item, name, other, replace)
		}
		return list
	case envs.Args:
		changed := append(envs.Args{}, v...)
		_, both := v.Get(other)

		for i, member := range v {
			if member.Name == name && !both {
				changed[i] = replace(member.Value)
			} else {
				changed[i].Value = m.each(member.Value, name, other, replace)
			}
		}

		return changed
	}
	return v
}

func (m *Moved) effect() effect { return ofValues(m.now, m.was) }

func (m *Moved) note() string { return fmt.Sprintf("%s: it is in %s.", m.Field, m.Into) }

var movedNote = regexp.MustCompile(`^([^:]+): it is in (.+)\.$`)

func (m *Moved) read(note string) bool { return readPair(movedNote, note, &m.Field, &m.Into) }

func (m *Moved) check() error { return differ("moved", m.Field, m.Into) }

// readPair reads a note with two names.
func readPair(pattern *regexp.Regexp, note string, one, other *string) bool {
	groups := pattern.FindStringSubmatch(note)
	if groups != nil {
		*one, *other = groups[1], groups[2]
	}
	return groups != nil
}

func differ(kind, one, other string) error {
	if one == "" || other == "" || one == other {
		return errors.New(kind + " wants two names that differ")
	}
	return nil
}
