package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed switch.go.txt
var switches string // the file that every package with mutants gets

// listed is what `go list` says of a package.
type listed struct {
	Dir, ImportPath, Name, Export      string
	GoFiles, TestGoFiles, XTestGoFiles []string
	TestImports, XTestImports          []string
	Module                             *struct{ Dir string }
	Standard, DepOnly                  bool
}

// target is a package with its mutants.
type target struct {
	listed
	mutants []*mutant
	planted map[string][]byte // the text of each file that is compiled in place of another, by path
}

// load parses a package and plants all mutants that compile.
func load(name string) (*target, error) {
	var errs bytes.Buffer

	// The export data of dependencies has the types without which no mutant could be checked.
	list := exec.Command("go", "list", "-export", "-deps",
		"-json=Dir,ImportPath,Name,Export,GoFiles,TestGoFiles,XTestGoFiles,TestImports,XTestImports,"+
			"Module,Standard,DepOnly", name)

	// The planted file imports these, whether or not the package does.
	list.Args = append(list.Args, "cmp", "encoding/binary", "os", "strconv", "sync")
	list.Stderr = &errs

	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, errs.Bytes())
	}

	t := &target{planted: map[string][]byte{}}
	exports := map[string]string{}

	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read what go list says: %w", err)
		}

		exports[l.ImportPath] = l.Export

		// The dependencies are in the list, too: the package itself is the one that was named.
		if !l.Standard && !l.DepOnly {
			t.listed = l
		}
	}

	return t, t.plant(func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
}

// plant finds the sites in all files, and keeps those that compile.
func (t *target) plant(exports importer.Lookup) error {
	fset := token.NewFileSet()
	conf := &types.Config{Importer: importer.ForCompiler(fset, "gc", exports)}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{},
		Uses: map[*ast.Ident]types.Object{}}

	var planters []*planter
	var files []*ast.File

	// Numbers begin at 1: to the planted switches 0 means that no mutant is on.
	next := 1

	for _, name := range t.GoFiles {
		s, err := t.parse(fset, name)
		if err != nil {
			return err
		}

		s.info = info
		files = append(files, s.file)
		planters = append(planters, &planter{source: s, next: &next, beside: map[ast.Expr]bool{}})
	}

	pkg, err := conf.Check(t.ImportPath, fset, files, info)
	if err != nil {
		return err
	}

	// Sites need the types of the whole package, so they are found only now.
	for _, p := range planters {
		p.pkg = pkg
		p.findAll()
	}

	return t.dropBroken(conf, planters)
}

// parse reads a file of the package.
func (t *target) parse(fset *token.FileSet, name string) (source, error) {
	path := filepath.Join(t.Dir, name)

	text, err := os.ReadFile(path)
	if err != nil {
		return source{}, err
	}

	f, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
	if err != nil {
		return source{}, err
	}

	inModule, err := filepath.Rel(t.Module.Dir, path)
	return source{path: path, name: filepath.ToSlash(inModule), text: text, file: f,
		fset: fset}, err
}

// dropBroken type-checks the planted files, and drops the sites that do not compile, until all do.
func (t *target) dropBroken(conf *types.Config, planters []*planter) error {
	file := strings.Replace(switches, "PACKAGE", t.Name, 1)
	t.planted[filepath.Join(t.Dir, "toolevo_mutants.go")] = []byte(file)

	// A compiler that stops early hides what comes after, so it is asked until nothing is left.
	for {
		for _, p := range planters {
			t.planted[p.path] = p.planted(p.sites)
		}

		wrong, err := t.faults(conf)
		if err != nil {
			return err
		}

		if len(wrong) == 0 {
			break
		}

		for _, at := range wrong {
			if !drop(planters, at) {
				return fmt.Errorf("%s:%d: does not compile, and no mutant is there", at.Filename,
					at.Line)
			}
		}
	}

	for _, p := range planters {
		for _, s := range p.sites {
			t.mutants = append(t.mutants, s.mutants...)
		}
	}

	return nil
}

// faults returns where the planted files do not compile.
func (t *target) faults(conf *types.Config) ([]token.Position, error) {
	fset := token.NewFileSet()
	var files []*ast.File

	for path, text := range t.planted {
		f, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("with mutants: %w", err)
		}

		files = append(files, f)
	}

	var wrong []token.Position
	checked := &types.Config{Importer: conf.Importer, Error: func(err error) {
		if e, ok := errors.AsType[types.Error](err); ok {
			wrong = append(wrong, e.Fset.Position(e.Pos))
		}
	}}
	_, _ = checked.Check(t.ImportPath, fset, files, nil) // the errors came one by one

	return wrong, nil
}

// drop removes the innermost site around a position of the planted text. If there is none, a break
// was planted in an endless loop that ends a function, which then lacks a return, and the last
// break before the position goes.
func drop(planters []*planter, at token.Position) bool {
	for _, p := range planters {
		if p.path != at.Filename {
			continue
		}

		inner, size, last := -1, 0, -1
		for i, s := range p.sites {
			if s.breaks && s.to <= at.Offset && (last < 0 || s.to > p.sites[last].to) {
				last = i
			}

			if s.from <= at.Offset && at.Offset <= s.to && (inner < 0 || s.to-s.from < size) {
				inner, size = i, s.to-s.from
			}
		}

		if inner < 0 {
			inner = last
		}

		if inner >= 0 {
			p.sites = slices.Delete(p.sites, inner, inner+1)
			return true
		}
	}
	return false
}
