package stategen

import (
	"slices"

	"toolevo/envs"
)

// Mutant is a program with a mistake that its cases have to catch.
type Mutant struct {
	Kind    string
	Program Program
	Case    Case // the case that runs the mistake
}

// The kinds of mutants.
const (
	NoResult    = "no-result"    // RESULT is null
	EmptyResult = "empty-result" // RESULT is an empty object
	Dropped     = "dropped-call" // the last call that nothing reads is missing: a side effect
	Swapped     = "swapped"      // the branches have changed places
	WrongText   = "wrong-text"   // a text that a side effect or the result depends on is different
	WrongField  = "wrong-field"  // the last edit of a variable changes another member than it should
	UnknownTool = "unknown-tool" // the last call is of a tool that does not exist
)

// Mutants returns the mutants of a task, for each of its cases, of the kinds that the program has a
// place for. A mutant may mean the same as its program, e.g. if a dropped call had no effect, or if
// nothing writes what an edit changed.
func Mutants(t Task) (all []Mutant) {
	for _, c := range t.Cases {
		add := func(kind string, change func(p *Path) bool) {
			path := t.Program.along(c.Path)
			if change(&path) {
				all = append(all, Mutant{kind, t.Program.with(c.Path, path), c})
			}
		}

		add(NoResult, func(p *Path) bool { p.Result = Literal(nil); return true })
		add(EmptyResult, func(p *Path) bool { p.Result = Literal(envs.Args{}); return true })
		add(Dropped, dropCall)
		add(WrongText, changeText)
		add(WrongField, changeField)
		add(UnknownTool, func(p *Path) bool {
			return p.lastCall(func(c *Call) bool { c.Tool += "_all"; return true })
		})

		if b := t.Program.Branch; b != nil {
			swapped := t.Program
			swapped.Branch = &Branch{b.Test, b.Else, b.If}
			all = append(all, Mutant{Swapped, swapped, c})
		}
	}

	return all
}

// along returns a copy, safe to change, of the end of a program that a case runs.
func (p *Program) along(name string) Path {
	path := Path{Stmts: p.Main}

	switch {
	case name == pathIf:
		path = p.Branch.If
	case name == pathElse:
		path = p.Branch.Else
	case p.Result != nil:
		path.Result = *p.Result
	}

	return path.mapped(func(e Expr) Expr { return e })
}

// with returns the program with another end.
func (p Program) with(name string, path Path) Program {
	if name == pathMain {
		p.Main, p.Result = path.Stmts, &path.Result
		return p
	}

	b := *p.Branch
	if name == pathIf {
		b.If = path
	} else {
		b.Else = path
	}

	p.Branch = &b
	return p
}

// dropCall leaves out the last call that nothing reads.
func dropCall(p *Path) bool {
	for i, s := range slices.Backward(p.Stmts) {
		if s.Each != nil || s.Call != nil && s.Call.Assign == "" {
			p.Stmts = slices.Delete(p.Stmts, i, i+1)
			return true
		}
	}

	return false
}

// changeField makes the last edit change a member that did not exist.
func changeField(p *Path) bool {
	for _, s := range slices.Backward(p.Stmts) {
		if s.Edit != nil && len(s.Edit.Path) > 0 {
			last := len(s.Edit.Path) - 1
			s.Edit.Path = append(s.Edit.Path[:last:last], s.Edit.Path[last]+"_other")
			return true
		}
	}
	return false
}

// lastCall changes the last call that change accepts.
func (p *Path) lastCall(change func(*Call) bool) bool {
	for _, s := range slices.Backward(p.Stmts) {
		c := s.Call
		if s.Each != nil {
			c = &s.Each.Do
		}

		if c != nil && change(c) {
			return true
		}
	}
	return false
}

// changeText changes the last argument that is a literal text, of a side effect or of a call that
// the result needs.
func changeText(p *Path) bool {
	answered := p.Result.Variables()
	return p.lastCall(func(c *Call) bool {
		if c.Assign != "" && !slices.Contains(answered, c.Assign) {
			return false
		}

		for i, a := range slices.Backward(c.Args) {
			if a.Expr.Value == nil {
				continue
			}

			if text, ok := a.Expr.Value.Any.(string); ok {
				c.Args[i].Expr = Literal(text + "_other")
				return true
			}
		}
		return false
	})
}
