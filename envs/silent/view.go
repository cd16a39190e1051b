package silent

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// Reversed puts the last item of a list first, unless a call says otherwise.
type Reversed struct {
	Parameter string `yaml:"parameter"` // optional, a text
	Value     string `yaml:"value"`     // asks for the former order
}

func (r *Reversed) answer(call envs.Args, v any) any {
	if said, _ := call.Text(r.Parameter); said == r.Value {
		return v
	}
	return eachList(v, func(list []any) []any {
		list = slices.Clone(list)
		slices.Reverse(list)
		return list
	})
}

// eachList changes a list, or each list of an object that has nothing else, such as the columns of
// a table. Anything else stays.
func eachList(v any, change func([]any) []any) any {
	switch v := v.(type) {
	case []any:
		return change(v)
	case envs.Args:
		changed := slices.Clone(v)
		for i, m := range changed {
			list, ok := m.Value.([]any)
			if !ok {
				return v
			}

			changed[i].Value = change(list)
		}
		return changed
	}
	return v
}

func (r *Reversed) effect() effect { return ofView(r.answer, asking(r.Parameter, r.Value)) }

func (r *Reversed) note() string {
	return fmt.Sprintf("The last item comes first; %s=%q gives the former order.", r.Parameter,
		r.Value)
}

var reversedNote = regexp.MustCompile(`^The last item comes first; (\S+)="(.+)" gives the former order\.$`)

func (r *Reversed) read(note string) bool {
	return readPair(reversedNote, note, &r.Parameter, &r.Value)
}

func (r *Reversed) check() error { return differ("reversed", r.Parameter, r.Value) }

// Paged keeps only the first items of a list, unless a call asks for more.
type Paged struct {
	Parameter string `yaml:"parameter"` // optional, a number of items
	Size      int    `yaml:"size"`      // how many come unasked
	Value     int    `yaml:"value"`     // how many come at most
}

func (p *Paged) answer(call envs.Args, v any) any {
	size := p.Size
	if said, ok := call.Get(p.Parameter); ok {
		// A schema wants a whole number, and takes 20.0 and 2e1 for one.
		n, _ := pytext.ParseFloat(fmt.Sprint(said))
		size = int(min(n, float64(p.Value)))
	}
	return eachList(v, func(list []any) []any {
		return list[:min(max(size, 0), p.Value, len(list))]
	})
}

func (p *Paged) effect() effect {
	return ofView(p.answer, asking(p.Parameter, envs.Number(strconv.Itoa(p.Value))))
}

func (p *Paged) note() string {
	return fmt.Sprintf("No more than %d items come unless %s asks for more, up to %d.", p.Size,
		p.Parameter, p.Value)
}

var pagedNote = regexp.MustCompile(`^No more than (\d+) items come unless (\S+) asks for more, up to (\d+)\.$`)

func (p *Paged) read(note string) bool {
	groups := pagedNote.FindStringSubmatch(note)
	if groups != nil {
		p.Size, _ = strconv.Atoi(groups[1]) // too many digits are no page size
		p.Parameter = groups[2]
		p.Value, _ = strconv.Atoi(groups[3])
	}

	return groups != nil
}

func (p *Paged) check() error {
	if p.Parameter == "" || p.Size < 1 || p.Value <= p.Size {
		return errors.New("paged wants a parameter, a size, and a larger value")
	}
	return nil
}

// Withheld replaces a member by null. Another tool still has it, in the object that has the same
// value under By.
type Withheld struct {
	Field     string `yaml:"field"`
	Elsewhere `yaml:",inline"`
}

func (w *Withheld) answer(_ envs.Args, v any) any {
	return envs.Map(v, func(part any) (any, bool) {
		object, ok := part.(envs.Args)
		if !ok {
			return part, false
		}

		changed := slices.Clone(object)
		for i, m := range changed {
			if m.Name == w.Field {
				changed[i].Value = nil
			}
		}

		return changed, false
	})
}

func (w *Withheld) effect() effect {
	same := func(call envs.Args) envs.Args { return call }
	return ofView(w.answer, asked{same, same})
}

func (w *Withheld) note() string {
	return fmt.Sprintf("%s: it is null here; %s", w.Field, w.Elsewhere.text())
}

var withheldNote = regexp.MustCompile(`^([^:]+): it is null here; ` + elsewhereText + `$`)

func (w *Withheld) read(note string) bool {
	groups := withheldNote.FindStringSubmatch(note)
	if groups != nil {
		w.Field, w.Elsewhere = groups[1], elsewhere(groups[2:])
	}
	return groups != nil
}

func (w *Withheld) check() error {
	if w.Field == "" {
		return errors.New("withheld wants a field")
	}
	return w.Elsewhere.check()
}

// Lacks reports whether an answer lacks what another tool has.
func (w *Withheld) Lacks(answer any) (lacks bool) {
	envs.Map(answer, func(part any) (any, bool) {
		object, _ := part.(envs.Args)
		if v, has := object.Get(w.Field); has && v == nil {
			lacks = true
		}
		return part, lacks
	})
	return lacks
}

// Fill puts what the other tool answered into an answer that lacks it.
func (w *Withheld) Fill(answer, source any) any {
	return envs.Map(answer, func(part any) (any, bool) {
		object, ok := part.(envs.Args)
		if v, has := object.Get(w.Field); !ok || !has || v != nil {
			return part, false
		}

		filled := slices.Clone(object)
		i := slices.IndexFunc(filled, func(m envs.Arg) bool { return m.Name == w.Field })
		filled[i].Value, _ = w.Find(object, source).Get(w.Field)
		return filled, true
	})
}

// asked has a call ask for the former answer, and undoes that.
type asked struct{ lift, lower func(envs.Args) envs.Args }

// asking asks with an argument.
func asking(name string, value any) asked {
	return asked{
		func(call envs.Args) envs.Args { return call.With(name, value) },
		func(call envs.Args) envs.Args { return call.Without(name) },
	}
}
