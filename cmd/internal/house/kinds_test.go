package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// kindsIn are the names of the kinds of model servers that packages declare, and of the servers
// that speak like one, as they stand in code.
func kindsIn(files []file) (names []string) {
	for _, f := range files {
		if f.test || !strings.HasPrefix(f.pkg, "mcts/policy/") {
			continue
		}

		ast.Inspect(f.ast, func(n ast.Node) bool {
			declared, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}

			if of, ok := declared.Type.(*ast.SelectorExpr); !ok || of.Sel.Name != "Kind" {
				return true
			}

			for _, field := range declared.Elts {
				if kv, ok := field.(*ast.KeyValueExpr); ok && slices.Contains([]string{"Name", "Speak"},
					fmt.Sprint(kv.Key)) {
					ast.Inspect(kv.Value, func(n ast.Node) bool {
						if lit, ok := n.(*ast.BasicLit); ok {
							names = append(names, lit.Value)
						}
						return true
					})
				}
			}
			return true
		})
	}
	return names
}

// Nobody branches on the name of a kind of model servers: what sets a kind apart stands in its
// [server.Kind].
func TestNobodyBranchesOnAKindOfServers(t *testing.T) {
	fset, files := source(t)

	kinds := kindsIn(files)
	if len(kinds) < 3 {
		t.Fatalf("found are only the kinds %v", kinds)
	}

	for _, f := range files {
		if f.test {
			continue
		}

		ast.Inspect(f.ast, func(n ast.Node) bool {
			var compared []ast.Expr

			switch n := n.(type) {
			case *ast.CaseClause:
				compared = n.List
			case *ast.BinaryExpr:
				if n.Op == token.EQL || n.Op == token.NEQ {
					compared = []ast.Expr{n.X, n.Y}
				}
			}

			for _, e := range compared {
				if lit, ok := e.(*ast.BasicLit); ok && slices.Contains(kinds, lit.Value) {
					t.Errorf("%s:%d: it branches on %s: ask the kind", f.path, fset.Position(n.Pos()).Line, lit.Value)
				}
			}

			return true
		})
	}
}
