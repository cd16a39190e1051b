package stategen

import "slices"

// Exprs returns the expressions of a program, including parts of others and what edits change.
func (p *Program) Exprs() (all []Expr) {
	note := func(e Expr) Expr {
		all = append(all, e)
		return e
	}

	mappedStmts(p.Main, note)

	if p.Result != nil {
		p.Result.mapped(note)
	}

	if b := p.Branch; b != nil {
		b.Test.mapped(note)
		b.If.mapped(note)
		b.Else.mapped(note)
	}

	return all
}

// Variables returns the names of the variables in an expression, as often as they occur.
func (e Expr) Variables() (names []string) {
	e.mapped(func(part Expr) Expr {
		if part.Var != "" {
			names = append(names, part.Var)
		}
		return part
	})
	return names
}

// mapped returns a path with f applied to every expression, the whole before its parts.
func (p Path) mapped(f func(Expr) Expr) Path {
	return Path{mappedStmts(p.Stmts, f), p.Result.mapped(f)}
}

func mappedStmts(all []Stmt, f func(Expr) Expr) []Stmt {
	all = slices.Clone(all)

	for i, s := range all {
		switch {
		case s.Call != nil:
			c := s.Call.mapped(f)
			all[i].Call = &c
		case s.Edit != nil:
			changed := Var(s.Edit.Var, s.Edit.Path...).mapped(f)
			all[i].Edit = &Edit{changed.Var, changed.Path, s.Edit.To.mapped(f)}
		case s.Each != nil:
			e := *s.Each
			all[i].Each = &Each{e.Item, e.In.mapped(f), e.Where.mapped(f), e.Do.mapped(f)}
		}
	}

	return all
}

func (c Call) mapped(f func(Expr) Expr) Call {
	c.Args = mappedNamed(c.Args, f)
	return c
}

func (t Test) mapped(f func(Expr) Expr) Test {
	t.Left, t.Right = t.Left.mapped(f), t.Right.mapped(f)
	return t
}

func (e Expr) mapped(f func(Expr) Expr) Expr {
	e = f(e)

	e.List = slices.Clone(e.List)
	for i := range e.List {
		e.List[i] = e.List[i].mapped(f)
	}

	e.Object = mappedNamed(e.Object, f)
	return e
}

func mappedNamed(all []Named, f func(Expr) Expr) []Named {
	all = slices.Clone(all)
	for i := range all {
		all[i].Expr = all[i].Expr.mapped(f)
	}
	return all
}
