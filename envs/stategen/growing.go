package stategen

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"toolevo/envs"
)

// Growing is what the schemas of all domains have in common: a growing program. They embed it.
type Growing struct {
	// State is the service after the statements, and Values are the variables. [Growing.Run]
	// updates both.
	State  State
	Values map[string]any

	program Program
	results int // variables that calls were assigned to
}

// NewGrowing returns a program without statements. server is what its service has at the start.
func NewGrowing(domain string, server any) Growing {
	return Growing{program: Program{Domain: domain, Server: Value{server}}, Values: map[string]any{}}
}

// Program implements [Schema].
func (g *Growing) Program() Program {
	p := g.program
	p.Init, p.Main = slices.Clone(p.Init), slices.Clone(p.Main)
	return p
}

// Clone returns a copy that shares no mutable state.
func (g *Growing) Clone() Growing {
	next := *g
	next.program, next.Values = g.Program(), maps.Clone(g.Values)
	return next
}

// NextVariable returns the name of the next variable to be declared, or of one some places later.
func (g *Growing) NextVariable(kind string, later int) string {
	return kind + "_" + strconv.Itoa(len(g.program.Init)+later)
}

// Declare adds variables.
func (g *Growing) Declare(all ...Variable) {
	g.program.Init = append(g.program.Init, all...)

	for _, v := range all {
		g.Values[v.Name] = v.Value.Any
	}
}

// NextResult returns the name of the variable for the result of the next call.
func (g *Growing) NextResult() string { return "r_" + strconv.Itoa(g.results+1) }

// Add adds a statement.
func (g *Growing) Add(s Stmt) {
	g.program.Main = append(g.program.Main, s)

	if s.Call != nil && s.Call.Assign != "" {
		g.results++
	}
}

// Run adds a statement, runs it, and returns the result of its call. It panics if that fails, which
// is a mistake of the domain.
func (g *Growing) Run(on Service, s Stmt) (result any) {
	g.Add(s)

	err := Do(g.Values, func(tool string, args envs.Args) (any, error) {
		var err error
		g.State, result, err = on.Call(g.State, tool, args)
		return result, err
	}, s)
	if err != nil {
		panic(fmt.Sprintf("stategen: a candidate of %s cannot be done: %v", g.program.Domain, err))
	}

	return result
}

// answer returns the content of an expression, or nil if the statements were not run.
func (g *Growing) answer(on Service, e Expr) any {
	v, err := Eval(g.Values, e)
	if err != nil || g.State == nil {
		return nil
	}
	return on.Content(g.State, v)
}

// Pairs returns the distinct pairs of a transition with those that touched what it consumes; ""
// means [None].
func Pairs(consumer string, producers ...string) (all []Pair) {
	for _, p := range producers {
		if p == "" {
			p = None
		}

		if pair := (Pair{p, consumer}); !slices.Contains(all, pair) {
			all = append(all, pair)
		}
	}
	return all
}

// OneOrAll returns the only expression, or a list of them; ok is false if there is none.
func OneOrAll(all []Expr) (e Expr, ok bool) {
	if len(all) == 1 {
		return all[0], true
	}
	return Expr{List: all}, len(all) > 0
}

// Compared returns the test of a branch, and the constant with which a value, or a part of an
// element of a list, is compared. words describe the constant.
func Compared(words string, left Expr, any ...string) (Test, Variable, bool) {
	constant := Variable{Name: "user_constant_0", Role: Constant, Type: words}
	return Test{Left: left, Any: any, Right: Var(constant.Name)}, constant, true
}
