package house

import (
	"go/ast"
	"slices"
	"testing"
)

// sections are those of the configuration that are handed on whole, so that a new setting is a
// field of the section and its use, and nothing on the way between them.
var sections = []string{"Environment", "Python", "Search", "Training"}

func TestSectionsAreHandedOnWhole(t *testing.T) {
	fset, files := source(t)
	for _, f := range files {
		if f.test {
			continue
		}

		ast.Inspect(f.ast, func(n ast.Node) bool {
			if pair, ok := n.(*ast.KeyValueExpr); ok && copiesSetting(pair) {
				t.Errorf("%s: copies a setting into a field of its name: hand on the section", position(fset, pair))
			}
			return true
		})
	}
}

// copiesSetting reports whether a field gets the setting of its own name, as in MaxLoads:
// c.Environment.MaxLoads.
func copiesSetting(pair *ast.KeyValueExpr) bool {
	field, _ := pair.Key.(*ast.Ident)
	setting, _ := pair.Value.(*ast.SelectorExpr)

	if field == nil || setting == nil || field.Name != setting.Sel.Name {
		return false
	}

	section, _ := setting.X.(*ast.SelectorExpr)
	return section != nil && slices.Contains(sections, section.Sel.Name)
}
