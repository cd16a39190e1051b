package synth

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strconv"
	"strings"
)

// An expr yields nil for what is missing, a float64, a string, a bool, a *list or a *record.
type expr func(w *world) any

// names gives every name of a description its place among the variables of a world.
type names map[string]int

func (n names) slot(name string) int {
	if _, ok := n[name]; !ok {
		n[name] = len(n)
	}
	return n[name]
}

// compile compiles an expression, which has the syntax of Go. Like all of this file, it panics on a
// mistake: the descriptions are part of the program.
func (n names) compile(text string) expr {
	parsed, err := parser.ParseExpr(text)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", text, err))
	}
	return n.expr(parsed)
}

// template compiles a text with expressions in braces.
func (n names) template(text string) expr {
	var parts []expr

	for {
		before, rest, found := strings.Cut(text, "{")
		if before != "" {
			parts = append(parts, constant(before))
		}

		if !found {
			break
		}

		inner, after, _ := strings.Cut(rest, "}")
		parts, text = append(parts, n.compile(inner)), after
	}
	return func(w *world) any {
		var b strings.Builder
		for _, p := range parts {
			b.WriteString(textOf(p(w)))
		}
		return b.String()
	}
}

func constant(v any) expr { return func(*world) any { return v } }

func (n names) expr(x ast.Expr) expr {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return n.expr(x.X)
	case *ast.BasicLit:
		return n.literal(x)
	case *ast.Ident:
		return n.name(x.Name)
	case *ast.UnaryExpr:
		operand := n.expr(x.X)
		if x.Op == token.NOT {
			return func(w *world) any { return !truth(operand(w)) }
		}
		return func(w *world) any { return -number(operand(w)) }
	case *ast.BinaryExpr:
		return operation(x.Op, n.expr(x.X), n.expr(x.Y))
	case *ast.SelectorExpr:
		owner, name := n.expr(x.X), x.Sel.Name
		return func(w *world) any { return w.field(owner(w), name) }
	case *ast.IndexExpr:
		owner, key := n.expr(x.X), n.expr(x.Index)
		return func(w *world) any { return w.field(owner(w), textOf(key(w))) }
	case *ast.CallExpr:
		return n.call(x)
	}

	panic(fmt.Sprintf("%T is not an expression here", x))
}

func (n names) literal(x *ast.BasicLit) expr {
	if x.Kind == token.STRING {
		text, err := strconv.Unquote(x.Value)
		if err != nil {
			panic(err)
		}

		if !strings.Contains(text, "{") {
			return constant(text)
		}
		return n.template(text)
	}

	f, err := strconv.ParseFloat(x.Value, 64)
	if err != nil {
		panic(err)
	}
	return constant(f)
}

func (n names) name(name string) expr {
	switch name {
	case "true", "false":
		return constant(name == "true")
	case "missing":
		return constant(nil)
	}

	slot := n.slot(name)
	return func(w *world) any { return w.force(w.vars[slot]) }
}

func (n names) call(x *ast.CallExpr) expr {
	name := x.Fun.(*ast.Ident).Name
	var args []expr

	for _, a := range x.Args {
		args = append(args, n.expr(a))
	}

	if f, ok := numeric[name]; ok && len(args) == 1 {
		return func(w *world) any { return f(number(args[0](w))) }
	}

	f, ok := functions[name]
	if !ok {
		panic(name + " is no function")
	}
	return func(w *world) any { return f(w, args) }
}

// operation compiles an operator. Arithmetic on something missing yields nothing.
func operation(op token.Token, x, y expr) expr {
	// These do not pass on what is missing, and && and || may leave y alone.
	switch op {
	case token.LAND:
		return func(w *world) any { return truth(x(w)) && truth(y(w)) }
	case token.LOR:
		return func(w *world) any { return truth(x(w)) || truth(y(w)) }
	case token.EQL:
		return func(w *world) any { return x(w) == y(w) }
	case token.NEQ:
		return func(w *world) any { return x(w) != y(w) }
	}

	f, ok := arithmetic[op]
	if !ok {
		panic(op.String() + " is no operator here")
	}
	return func(w *world) any {
		a, b := x(w), y(w)
		if a == nil || b == nil {
			return nil
		}

		if s, ok := a.(string); ok && op == token.ADD {
			return s + textOf(b)
		}
		return f(number(a), number(b))
	}
}

var arithmetic = map[token.Token]func(a, b float64) any{
	token.ADD: func(a, b float64) any { return a + b },
	token.SUB: func(a, b float64) any { return a - b },
	token.MUL: func(a, b float64) any { return a * b },
	token.QUO: func(a, b float64) any { return a / b },
	token.REM: func(a, b float64) any { return a - b*math.Floor(a/b) }, // never below zero
	token.LSS: func(a, b float64) any { return a < b },
	token.LEQ: func(a, b float64) any { return a <= b },
	token.GTR: func(a, b float64) any { return a > b },
	token.GEQ: func(a, b float64) any { return a >= b },
}

func truth(v any) bool { b, _ := v.(bool); return b }

// number is a value as a number; a truth value is 1 or 0.
func number(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case string:
		f, _ := strconv.ParseFloat(v, 64) // no number is 0
		return f
	case bool:
		if v {
			return 1
		}
	}

	return 0
}

func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}

	return ""
}
