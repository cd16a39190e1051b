package house

import (
	"bytes"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	_, files := source(t)
	said := map[string]bool{}

	for _, f := range files {
		if !f.test {
			said[f.pkg] = said[f.pkg] || f.ast.Doc != nil && len(f.ast.Doc.Text()) > 60
		}
	}

	for pkg, ok := range said {
		if !ok {
			t.Errorf("package %s has no package comment worth the name", pkg)
		}
	}
}

func TestExportedNamesAreDocumented(t *testing.T) {
	fset, files := source(t)
	for _, f := range files {
		if f.test || f.ast.Name.Name == "main" {
			continue
		}

		for _, decl := range f.ast.Decls {
			for _, name := range undocumented(decl) {
				t.Errorf("%s: %s is exported and not documented", fset.Position(name.Pos()), name.Name)
			}
		}
	}
}

// undocumented returns the exported names of a declaration that no comment explains.
func undocumented(decl ast.Decl) []*ast.Ident {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		var names []*ast.Ident

		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
					names = append(names, s.Name)
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
						names = append(names, n)
					}
				}
			}
		}

		return names
	}
	return nil
}

// exportedReceiver reports whether a function is one, or a method of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}

	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

// mostLines is how many lines a function of a command may have, blank ones not counted.
const mostLines = 40

// Commands wire packages together: what takes more lines is logic, and belongs into one of them.
func TestFunctionsOfCommandsAreShort(t *testing.T) {
	fset, files := source(t)
	for _, f := range files {
		if f.test || !strings.HasPrefix(f.pkg, "cmd/") {
			continue
		}

		for _, decl := range f.ast.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}

			n := 0

			for line := range bytes.Lines(f.text[fset.Position(d.Pos()).Offset:fset.Position(d.End()).Offset]) {
				if len(bytes.TrimSpace(line)) > 0 {
					n++
				}
			}

			if n > mostLines {
				t.Errorf("%s: %s has %d lines, want at most %d", position(fset, d), d.Name.Name, n, mostLines)
			}
		}
	}
}

// A sleep makes a test slow or wrong, mostly both; math/rand and the functions of math/rand/v2 that
// use its global source make a run that cannot be repeated. crypto/rand is for what nobody may
// guess.
func TestNothingSleepsOrDrawsFromNowhere(t *testing.T) {
	fset, files := source(t)
	for _, f := range files {
		for _, path := range f.imports() {
			if path == "math/rand" {
				t.Errorf("%s imports math/rand: take a *rand.Rand of math/rand/v2", f.path)
			}
		}

		secret := slices.Contains(f.imports(), "crypto/rand")
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}

			if name := qualified(call.Fun); name == "time.Sleep" || !secret && strings.HasPrefix(name, "rand.") &&
				!strings.HasPrefix(name, "rand.New") {
				t.Errorf("%s: %s", position(fset, call), name)
			}
			return true
		})
	}
}

// A file that is renamed into place is gone after a power cut unless its folder is synced:
// envs/disk does both.
func TestRenamesAreDurable(t *testing.T) {
	const counts = "finetune/rundir/note.go" // written every second, worth no sync

	fset, files := source(t)
	for _, f := range files {
		if f.test || f.pkg == "envs/disk" || f.path == counts {
			continue
		}

		ast.Inspect(f.ast, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && qualified(call.Fun) == "os.Rename" {
				t.Errorf("%s: os.Rename: use disk.Rename", position(fset, call))
			}
			return true
		})
	}
}

func position(fset *token.FileSet, n ast.Node) string { return fset.Position(n.Pos()).String() }

// qualified is "pkg.Name" of a selector on an identifier.
func qualified(e ast.Expr) string {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}

	x, ok := s.X.(*ast.Ident)
	if !ok {
		return ""
	}
	return x.Name + "." + s.Sel.Name
}
