package house

import (
	"go/ast"
	"go/token"
	"slices"
	"testing"
)

// kinds are the names of kinds of model servers, as they stand in code.
var kinds = []string{`"openai"`, `"ollama"`, `"vllm"`}

// Nobody branches on the name of a kind of model servers: what sets a kind apart stands in its [server.Kind].
func TestNobodyBranchesOnAKindOfServers(t *testing.T) {
	fset, files := source(t)
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
