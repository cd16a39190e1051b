package stategen

import (
	"slices"

	"toolevo/envs"
)

// cases finds what a program leads to, completes the constant of its condition, and returns its cases: a second one, in
// which the condition is flipped, where that runs. The error says why the program is no task.
func cases(d Domain, p *Program) ([]Case, error) {
	first, found, err := replay(d, p, p.Values(Case{}), nil)
	if err != nil {
		return nil, err
	}

	if err := sound(d, first); err != nil {
		return nil, err
	}

	all := []Case{recorded(d, first)}
	if p.Branch == nil {
		return all, nil
	}

	constant := p.Branch.Test.Right.Var
	p.declare(constant, found)

	second := Case{Set: map[string]Value{constant: {flip(found)}}}

	other, err := Replay(d, p, second, nil)
	if err != nil || other.Path == first.Path || sound(d, other) != nil {
		return all, nil
	}

	if Passes(d, other, first) {
		return nil, errAlike
	}

	flipped := recorded(d, other)
	flipped.Set = second.Set

	return append(all, flipped), nil
}

// declare gives a variable its value.
func (p *Program) declare(name string, value any) {
	p.Init = slices.Clone(p.Init)
	i := slices.IndexFunc(p.Init, func(v Variable) bool { return v.Name == name })
	p.Init[i].Value.Any = value
}

// sound returns an error for an oracle that no run can pass, or that every run may.
func sound(d Domain, o Oracle) error {
	switch v := o.Result.(type) {
	case nil:
		return errEmpty
	case []any:
		if len(v) == 0 {
			return errEmpty
		}
	case envs.Args:
		if len(v) == 0 {
			return errEmpty
		}
	}

	if !Passes(d, o, o) {
		return errUnsteady
	}

	return nil
}

func recorded(d Domain, o Oracle) Case {
	return Case{Path: o.Path, Result: Value{d.Record(o.Result)}, Effects: Value{d.Record(o.Effects)}}
}

// dtypes are swapped when a condition is flipped: a third would be no type.
var dtypes = []string{"float32", "float64"}

// flip returns a value that differs from another one: a text with a suffix, a list with its first element again, the
// next number.
func flip(v any) any {
	switch v := v.(type) {
	case string:
		if i := slices.Index(dtypes, v); i >= 0 {
			return dtypes[1-i]
		}

		return v + "_other"
	case envs.Number:
		n, _ := number(v)
		return Number(n + 1)
	case bool:
		return !v
	case []any:
		if len(v) > 0 {
			return append(slices.Clone(v), v[0])
		}
	}

	return nil
}
