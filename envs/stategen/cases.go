package stategen

import (
	"slices"

	"toolevo/envs"
)

// Cases finds what a program leads to, completes the constant of its condition, and returns its
// cases. The second flips the condition, if that runs. The error says why the program is no task.
func Cases(d Domain, p *Program) ([]Case, error) {
	first, found, err := replay(d, p, p.Values(Case{}), nil)
	if err != nil {
		return nil, err
	}

	if err := checkOracle(d, first); err != nil {
		return nil, err
	}

	all := []Case{recorded(d, first)}
	if p.Branch == nil {
		return all, nil
	}

	// The program's own constant is the value that the condition meets, so the first case takes if.
	constant := p.Branch.Test.Right.Var
	p.declare(constant, found)

	// One case is enough for a task, e.g. if the service refuses a call of the other path.
	second, other, err := flipped(d, p, first.Path, constant, found)
	if err != nil || other.Path == first.Path || checkOracle(d, other) != nil {
		return all, nil
	}

	// Equal results would not show which path was taken.
	if d.Same(other.Result, first.Result) {
		return nil, errAlike
	}

	c := recorded(d, other)
	c.Set = second.Set
	return append(all, c), nil
}

// stocked is a domain that knows which texts a variable may have, by its type in words.
type stocked interface{ Stock(words string) []string }

// mostFlips is how often a constant is flipped: the next number may be in the same list as the
// first one.
const mostFlips = 3

// flipped returns the case, and its oracle, in which a program takes another path because a
// constant has another value.
func flipped(d Domain, p *Program, path, constant string, value any) (c Case, o Oracle, err error) {
	i := slices.IndexFunc(p.Init, func(v Variable) bool { return v.Name == constant })

	var stock []string
	if s, ok := d.(stocked); ok {
		stock = s.Stock(p.Init[i].Type)
	}

	for range mostFlips {
		value = flip(value, stock)
		c = Case{Set: map[string]Value{constant: {value}}}

		if o, err = Replay(d, p, c, nil); err != nil || o.Path != path {
			break
		}
	}
	return c, o, err
}

// declare gives a variable its value.
func (p *Program) declare(name string, value any) {
	p.Init = slices.Clone(p.Init)
	i := slices.IndexFunc(p.Init, func(v Variable) bool { return v.Name == name })
	p.Init[i].Value.Any = value
}

// checkOracle returns an error for an oracle that no run can pass, or that any run may.
func checkOracle(d Domain, o Oracle) error {
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

// flip returns another value: the next number, also for one in a text; the next text of a stock; a
// list whose last element is flipped.
func flip(v any, stock []string) any {
	switch v := v.(type) {
	case string:
		if n, ok := number(envs.Number(v)); ok {
			return string(Number(n + 1))
		}

		if len(stock) == 0 {
			return v + "_other"
		}
		return stock[(slices.Index(stock, v)+1)%len(stock)]
	case envs.Number:
		n, _ := number(v)
		return Number(n + 1)
	case bool:
		return !v
	case []any:
		if last := len(v) - 1; last >= 0 {
			return append(slices.Clone(v[:last]), flip(v[last], stock))
		}
	}

	return nil
}
