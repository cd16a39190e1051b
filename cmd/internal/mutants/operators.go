package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// findAll finds the sites of a whole file.
func (p *planter) findAll() {
	for _, d := range p.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body == nil {
				continue
			}

			p.fn, p.out = d.Name.Name, d.Type
			if d.Recv != nil {
				p.fn = receiver(d.Recv.List[0].Type) + "." + p.fn
			}

			p.find(d.Body)
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				p.fn, p.out = "", nil
				p.find(d)
			}
		}
	}
}

// receiver returns the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}

	return "?"
}

// find finds the sites of a node and of what is in it.
func (p *planter) find(n ast.Node) {
	ast.Inspect(n, func(m ast.Node) bool {
		// What a constant or a type is made of cannot be changed at run time.
		if e, ok := m.(ast.Expr); ok && !p.expression(e) {
			return false
		}

		switch m := m.(type) {
		case *ast.FuncLit:
			p.findInLiteral(m)
			return false
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			// The call for this node has done that: only those within are still to do.
			if m == n {
				break
			}

			p.condition(m)
			// What a break or continue may become depends on what it is in.
			p.loops = append(p.loops, m)
			p.find(m)
			p.loops = p.loops[:len(p.loops)-1]

			return false
		case *ast.IfStmt:
			p.condition(m)
		case *ast.BlockStmt:
			p.statements(m.List)
		case *ast.CaseClause:
			p.statements(m.Body)
		case *ast.CommClause:
			p.statements(m.Body)
		}

		return true
	})
}

// findInLiteral finds the sites of a function without a name, whose results and loops are its own.
func (p *planter) findInLiteral(f *ast.FuncLit) {
	out, loops := p.out, p.loops
	p.out, p.loops = f.Type, nil
	p.find(f.Body)
	p.out, p.loops = out, loops
}

// condition turns round a condition that is neither a comparison nor composed: those have mutants
// of their own.
func (p *planter) condition(n ast.Node) {
	var cond ast.Expr
	switch n := n.(type) {
	case *ast.IfStmt:
		cond = n.Cond
	case *ast.ForStmt:
		cond = n.Cond
	}

	if cond == nil {
		return
	}

	if _, ok := ast.Unparen(cond).(*ast.BinaryExpr); ok {
		return
	}

	p.site(cond, "((", ") != mutant(%d))", p.oneLine(cond)+" -> its opposite")
}

// expression adds the mutants of an expression, and returns whether those within it have some of
// their own.
func (p *planter) expression(e ast.Expr) bool {
	value := p.info.Types[e]
	switch e := e.(type) {
	case *ast.BasicLit:
		if (e.Kind == token.INT || e.Kind == token.FLOAT) && !p.beside[e] {
			p.site(e, "mutantMore["+p.typeName(value.Type)+"](%d, ", ")",
				e.Value+" -> "+e.Value+"+1")
		}
	case *ast.Ident:
		if (e.Name == "true" || e.Name == "false") && !p.beside[e] {
			p.site(e, "(", " != mutant(%d))", e.Name+" -> its opposite")
		}
	case *ast.CallExpr:
		if f, ok := e.Fun.(*ast.Ident); ok && f.Name == "make" && len(e.Args) == 3 {
			p.beside[e.Args[2]] = true // a capacity
		}
	case *ast.ArrayType, *ast.StructType, *ast.InterfaceType, *ast.FuncType, *ast.MapType:
		return false
	case *ast.BinaryExpr:
		if value.Value != nil {
			return false
		}

		p.binary(e)
	}
	return value.Value == nil
}

// ordered are the comparisons of order: the helper, and what the two mutants compare by.
var ordered = map[token.Token][3]string{
	token.LSS: {"mutantLess", "<=", ">="},
	token.LEQ: {"mutantAtMost", "<", ">"},
	token.GTR: {"mutantGreater", ">=", "<="},
	token.GEQ: {"mutantAtLeast", ">", "<"},
}

// arithmetic are the operators of numbers: the helper, and the operator in its place.
var arithmetic = map[token.Token][2]string{
	token.ADD: {"mutantPlus", "-"},
	token.SUB: {"mutantMinus", "+"},
	token.MUL: {"mutantTimes", "/"},
	token.QUO: {"mutantOver", "*"},
	token.REM: {"mutantRest", "*"},
}

func (p *planter) binary(e *ast.BinaryExpr) {
	if h, ok := ordered[e.Op]; ok {
		to := p.oneLine(e) + " -> " + h[1]
		p.call(e, h[0], to, p.oneLine(e)+" -> "+h[2])
	} else if h, ok := arithmetic[e.Op]; ok && p.number(e) {
		p.call(e, h[0], p.oneLine(e)+" -> "+h[1])
	}

	switch e.Op {
	case token.EQL:
		p.site(e, "((", ") != mutant(%d))", p.oneLine(e)+" -> !=")
	case token.NEQ:
		p.site(e, "((", ") != mutant(%d))", p.oneLine(e)+" -> ==")
	case token.LAND:
		p.operand(e, e.X, "(", " || mutant(%d))", "true")
		p.operand(e, e.Y, "(", " || mutant(%d))", "true")
	case token.LOR:
		p.operand(e, e.X, "(", " && !mutant(%d))", "false")
		p.operand(e, e.Y, "(", " && !mutant(%d))", "false")
	}
}

// operand takes one side of a composed condition out of it.
func (p *planter) operand(whole *ast.BinaryExpr, side ast.Expr, before, after, constant string) {
	if inner, ok := ast.Unparen(side).(*ast.BinaryExpr); ok && inner.Op == whole.Op {
		return // its operands are taken out one by one
	}

	p.site(side, "("+before, ")"+after, p.oneLine(whole)+": "+p.oneLine(side)+" -> "+constant)
}

// call has a function do what an operator does.
func (p *planter) call(e *ast.BinaryExpr, name string, changes ...string) {
	s := p.site(e, name+"(%d, ", ")", changes...)
	comma := edit{at: p.offset(e.OpPos), cut: len(e.Op.String()), text: ",", site: s}
	s.edits = []edit{s.edits[0], comma, s.edits[1]}
}

func (p *planter) number(e ast.Expr) bool {
	t := p.info.Types[e].Type
	if t == nil {
		return false
	}

	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsFloat) != 0
}

// typeName returns the name of a type as the file writes it. If the file cannot, the name does not
// compile, and the site is left out.
func (p *planter) typeName(t types.Type) string {
	if t == nil {
		return "int"
	}
	return types.TypeString(types.Default(t), func(other *types.Package) string {
		if other == p.pkg {
			return ""
		}

		for _, spec := range p.file.Imports {
			if strings.Trim(spec.Path.Value, `"`) == other.Path() && spec.Name != nil {
				return spec.Name.Name
			}
		}

		return other.Name()
	})
}

// statements adds the mutants of the statements of a block.
func (p *planter) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if p.matters(s.X) {
				p.leaveOut(s)
			}
		case *ast.IncDecStmt:
			p.leaveOut(s)
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE && p.oneLine(s.Lhs[0]) != "_" {
				p.leaveOut(s)
			}
		case *ast.BranchStmt:
			p.branch(s)
		case *ast.ReturnStmt:
			p.returns(s)
		}
	}
}

func (p *planter) leaveOut(s ast.Stmt) {
	p.site(s, "if !mutant(%d) { ", " }", p.oneLine(s)+" -> nothing")
}

var errorType = types.Universe.Lookup("error").Type()

// unnoticed are methods whose absence only a race, a leak or a reader of logs would notice.
var unnoticed = map[string]bool{
	"Lock": true, "Unlock": true, "RLock": true, "RUnlock": true, "Close": true, "Stop": true,
}

// matters reports whether a test could notice that a call is left out.
func (p *planter) matters(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}

	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name != "panic"
	case *ast.SelectorExpr:
		used := p.info.Uses[f.Sel]
		return !unnoticed[f.Sel.Name] && (used == nil || used.Pkg() == nil || used.Pkg().Path() != "log/slog")
	}
	return true
}

// branch leaves out a break or continue of a loop, and breaks where the loop would continue.
func (p *planter) branch(s *ast.BranchStmt) {
	if s.Tok != token.BREAK && s.Tok != token.CONTINUE || len(p.loops) == 0 {
		return
	}

	switch p.loops[len(p.loops)-1].(type) {
	case *ast.ForStmt, *ast.RangeStmt:
	default:
		if s.Label == nil && s.Tok == token.BREAK {
			return // it ends a case
		}
	}

	p.leaveOut(s)

	if s.Tok == token.CONTINUE {
		other := strings.Replace(p.oneLine(s), "continue", "break", 1)
		p.site(s, "if mutant(%d) { "+other+" }; ", "", p.oneLine(s)+" -> "+other).breaks = true
	}
}

// returns has a function return zero values.
func (p *planter) returns(s *ast.ReturnStmt) {
	if last := len(s.Results) - 1; last > 0 && p.info.Types[s.Results[last]].Type == errorType {
		for _, e := range s.Results[:last] {
			p.beside[e] = true
		}
	}

	if p.out == nil || p.out.Results == nil || p.zero(s.Results) {
		return
	}

	var zeros []string
	for _, f := range p.out.Results.List {
		for range max(len(f.Names), 1) {
			zeros = append(zeros, "*new("+p.code(f.Type)+")")
		}
	}

	zero := "return " + strings.Join(zeros, ", ")
	p.site(s, "if mutant(%d) { "+zero+" }; ", "", p.oneLine(s)+" -> zero values")
}

// zero reports whether all results are written as zero values, or are truth values, which have a
// mutant of their own.
func (p *planter) zero(results []ast.Expr) bool {
	for _, e := range results {
		switch e := e.(type) {
		case *ast.Ident:
			if e.Name == "nil" || e.Name == "false" || e.Name == "true" {
				continue
			}
		case *ast.BasicLit:
			if e.Value == "0" || e.Value == `""` {
				continue
			}
		case *ast.CompositeLit:
			if len(e.Elts) == 0 {
				continue
			}
		}

		return false
	}
	return true
}
