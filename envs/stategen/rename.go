package stategen

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
)

// renumber returns a name with another number at its end.
func renumber(name string, n int) string {
	return strings.TrimRight(name, "0123456789") + strconv.Itoa(n)
}

// renamed returns a path in which variables have other names.
func (p Path) renamed(names map[string]string) Path {
	return Path{renamedStmts(p.Stmts, names), p.Result.renamed(names)}
}

func renamedStmts(all []Stmt, names map[string]string) []Stmt {
	all = slices.Clone(all)

	for i, s := range all {
		switch {
		case s.Call != nil:
			c := s.Call.renamed(names)
			all[i].Call = &c
		case s.Edit != nil:
			e := *s.Edit
			e.Var, e.To = cmp.Or(names[e.Var], e.Var), e.To.renamed(names)
			all[i].Edit = &e
		case s.Each != nil:
			e := *s.Each
			e.In, e.Where, e.Do = e.In.renamed(names), e.Where.renamed(names), e.Do.renamed(names)
			all[i].Each = &e
		}
	}

	return all
}

func (c Call) renamed(names map[string]string) Call {
	c.Args = renamedNamed(c.Args, names)
	return c
}

func (t Test) renamed(names map[string]string) Test {
	t.Left, t.Right = t.Left.renamed(names), t.Right.renamed(names)
	return t
}

func (e Expr) renamed(names map[string]string) Expr {
	e.Var = cmp.Or(names[e.Var], e.Var)
	e.Object = renamedNamed(e.Object, names)

	e.List = slices.Clone(e.List)
	for i := range e.List {
		e.List[i] = e.List[i].renamed(names)
	}

	return e
}

func renamedNamed(all []Named, names map[string]string) []Named {
	all = slices.Clone(all)
	for i := range all {
		all[i].Expr = all[i].Expr.renamed(names)
	}

	return all
}

// renamedValue returns a value in which handles, which are names of variables, are renamed.
func renamedValue(v any, names map[string]string) any {
	switch v := v.(type) {
	case string:
		return cmp.Or(names[v], v)
	case []any:
		v = slices.Clone(v)
		for i := range v {
			v[i] = renamedValue(v[i], names)
		}

		return v
	case envs.Args:
		v = slices.Clone(v)
		for i := range v {
			v[i].Value = renamedValue(v[i].Value, names)
		}

		return v
	}

	return v
}
