package measure

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/stategen"
)

// step returns a call whose arguments are variables.
func step(assign, tool string, uses ...string) stategen.Stmt {
	c := stategen.Call{Assign: assign, Tool: tool}
	for _, name := range uses {
		c.Args = append(c.Args, stategen.Named{Name: name, Expr: stategen.Var(name)})
	}
	return stategen.Stmt{Call: &c}
}

func TestComplexity(t *testing.T) {
	member := func(name string) stategen.Expr {
		return stategen.Expr{Object: []stategen.Named{{Name: "data", Expr: stategen.Expr{
			List: []stategen.Expr{stategen.Literal("a text"), stategen.Var(name, "0", "data")},
		}}}}
	}

	for _, c := range []struct {
		name string
		p    stategen.Program
		want Complexity
	}{
		{"no calls", stategen.Program{}, Complexity{}},
		{
			"a chain and a shortcut",
			stategen.Program{Main: []stategen.Stmt{
				step("r1", "f", "x"), step("r2", "g", "r1"), step("r3", "h", "r1", "r2"),
			}},
			Complexity{Calls: 3, Depth: 2, Bindings: 3},
		},
		{
			"independent calls",
			stategen.Program{Main: []stategen.Stmt{step("r1", "f", "x"), step("r2", "g", "x"), step("r3", "h", "y")}},
			Complexity{Calls: 3},
		},
		{
			"a consumer that assigns nothing",
			stategen.Program{Main: []stategen.Stmt{step("r1", "f", "x"), step("", "g", "r1")}},
			Complexity{Calls: 2},
		},
		{
			"an argument given twice",
			stategen.Program{Main: []stategen.Stmt{step("r1", "f", "x"), step("r2", "g", "r1", "r1")}},
			Complexity{Calls: 2, Depth: 1, Bindings: 1},
		},
		{
			"edits carry origins, and keep those there were",
			stategen.Program{Main: []stategen.Stmt{
				step("r1", "f"),
				step("r2", "g"),
				{Edit: &stategen.Edit{Var: "x", Path: []string{"data"}, To: stategen.Var("r1")}},
				{Edit: &stategen.Edit{Var: "x", Path: []string{"title"}, To: member("r2")}},
				step("r3", "h", "x"),
			}},
			Complexity{Calls: 3, Depth: 1, Bindings: 2},
		},
		{
			"elements of a list carry origins",
			stategen.Program{Main: []stategen.Stmt{
				step("r1", "f"),
				step("r2", "f", "r1"),
				{Each: &stategen.Each{
					Item: "item", In: stategen.Var("r2"), Do: *step("r3", "g", "item").Call,
				}},
			}},
			Complexity{Calls: 3, Depth: 2, Bindings: 2},
		},
		{
			"a variable assigned again is what it is now",
			stategen.Program{Main: []stategen.Stmt{
				step("r1", "f"), step("r1", "g", "r1"), step("r2", "h", "r1"),
				step("r1", "f", "x"), step("r3", "h", "r1"),
			}},
			Complexity{Calls: 5, Depth: 2, Bindings: 3},
		},
		{
			"branches do not see each other",
			stategen.Program{
				Main: []stategen.Stmt{step("r1", "f")},
				Branch: &stategen.Branch{
					If:   stategen.Path{Stmts: []stategen.Stmt{step("r2", "g", "r1"), step("r3", "g", "r2")}},
					Else: stategen.Path{Stmts: []stategen.Stmt{step("r4", "g", "r2", "r3")}},
				},
			},
			Complexity{Calls: 4, Depth: 2, Bindings: 2},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, Of(&c.p).Complexity()); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// What comes behind a branch may use what any path left.
func TestComplexityBehindBranches(t *testing.T) {
	f := Flow{
		{Tool: "f", Assign: "a"},
		{Branches: []Flow{{{Tool: "g", Assign: "a", Uses: []string{"a"}}}, {{Assign: "b", Uses: []string{"a"}}}}},
		{Tool: "h", Assign: "c", Uses: []string{"a", "b"}},
	}

	if d := cmp.Diff(Complexity{Calls: 3, Depth: 2, Bindings: 2}, f.Complexity()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestCoverage(t *testing.T) {
	branched := stategen.Program{
		Main: []stategen.Stmt{step("r1", "f"), step("r2", "f")},
		Branch: &stategen.Branch{
			If:   stategen.Path{Stmts: []stategen.Stmt{step("", "g"), step("", "other"), step("", "h")}},
			Else: stategen.Path{Stmts: []stategen.Stmt{step("", "h")}},
		},
	}
	straight := stategen.Program{Main: []stategen.Stmt{step("", "h"), step("", "f"), step("", "f")}}

	c := NewCoverage([]string{"f", "g", "h"})

	// f f, f g, g h and f h: neither h h nor h f, which would cross from a branch to the other or
	// to the next program.
	if got := c.Add(Of(&branched)); got != 4.0/9 {
		t.Errorf("the branched program covers %.3f, want 4/9", got)
	}

	// h f is new, f f is not.
	if got := c.Add(Of(&straight)); got != 5.0/9 {
		t.Errorf("with the straight one they cover %.3f, want 5/9", got)
	}

	if !Of(&branched).Branches() || Of(&straight).Branches() {
		t.Error("one has a branch and the other none")
	}
}
