package house

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"os/exec"
	"slices"
	"testing"
)

// longLines is from how many lines on a function has to say why at its turns.
const longLines = 30

// A long function says why at its turns. Whether it does is for people to judge, so the test prints
// twenty that the last commit draws (go test -run Why -v). That one says nothing at all it finds
// itself.
func TestLongFunctionsSayWhy(t *testing.T) {
	fset, files := source(t)
	var long, silent []string

	for _, f := range files {
		if f.test {
			continue
		}

		for _, decl := range f.ast.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok || d.Body == nil {
				continue
			}

			if n := fset.Position(d.End()).Line - fset.Position(d.Pos()).Line + 1; n < longLines {
				continue
			}

			name := fmt.Sprintf("%s %s", position(fset, d), d.Name.Name)
			long = append(long, name)

			if !slices.ContainsFunc(f.ast.Comments, func(c *ast.CommentGroup) bool {
				return c.Pos() > d.Body.Pos() && c.End() < d.Body.End()
			}) {
				silent = append(silent, name)
			}
		}
	}

	for _, name := range silent {
		t.Errorf("%s has %d lines and more, and no comment inside: say at its turns why", name, longLines)
	}

	commit, err := exec.CommandContext(t.Context(), "git", "rev-parse", "HEAD").Output()
	if err != nil {
		t.Logf("there is no commit to draw by: %v", err)
	}

	draw := func(name string) []byte {
		sum := sha256.Sum256(append(bytes.TrimSpace(commit), name...))
		return sum[:]
	}
	slices.SortFunc(long, func(a, b string) int { return bytes.Compare(draw(a), draw(b)) })

	t.Logf("twenty of %d functions of %d lines and more to judge:", len(long), longLines)

	for _, name := range long[:min(20, len(long))] {
		t.Log(name)
	}
}
