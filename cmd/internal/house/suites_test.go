package house

import (
	"go/ast"
	"regexp"
	"testing"
)

// benchmarkWords are the names of ToolQA and its datasets, as parts of an identifier or words of a text.
var benchmarkWords = regexp.MustCompile(`(?i)toolqa|scirex|airbnb|yelp|dblp|\b(coffee|agenda|flights)\b`)

// mayNameIt are the files outside toolqa that may name the benchmark: the line that registers it, and the generator of
// the trajectories that tests compare with those of earlier versions.
var mayNameIt = map[string]bool{"cmd/toolevo/suites.go": true, "trajectories/internal/synth/synth.go": true}

// Only toolqa knows ToolQA: everything else serves other benchmarks, too. Tests and data may name it.
func TestOnlyToolQAKnowsToolQA(t *testing.T) {
	fset, files := source(t)
	for _, f := range files {
		if f.test || matches("toolqa/...", f.pkg) || mayNameIt[f.path] {
			continue
		}

		ast.Inspect(f.ast, func(n ast.Node) bool {
			var text string

			switch n := n.(type) {
			case *ast.Ident:
				text = n.Name
			case *ast.BasicLit:
				text = n.Value
			}

			if found := benchmarkWords.FindString(text); found != "" {
				position := fset.Position(n.Pos())
				t.Errorf("%s:%d: %q names a benchmark: only toolqa may", f.path, position.Line, found)
			}

			return true
		})
	}
}
