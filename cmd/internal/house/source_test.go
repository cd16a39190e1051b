package house

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "toolevo"

// file is one Go file of the repository.
type file struct {
	path string // from the root, with slashes
	pkg  string // import path without the module, e.g. "mcts/store"
	test bool
	text []byte
	ast  *ast.File
}

// code is every Go file of the repository.
type code struct {
	fset  *token.FileSet
	files []file
}

// source returns every Go file of the repository, parsed once for all tests.
func source(t *testing.T) (*token.FileSet, []file) {
	t.Helper()

	c, err := parsed()
	if err != nil {
		t.Fatal(err)
	}

	if len(c.files) < 50 {
		t.Fatalf("found %d Go files: that cannot be all", len(c.files))
	}
	return c.fset, c.files
}

var parsed = sync.OnceValues(parseAll)

func parseAll() (code, error) {
	root, err := repository()
	if err != nil {
		return code{}, err
	}

	fset := token.NewFileSet()

	var files []file

	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}

		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != root) {
			return filepath.SkipDir
		}

		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}

		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}

		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}

		tree, err := parser.ParseFile(fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}

		rel = filepath.ToSlash(rel)
		files = append(files, file{
			path: rel,
			pkg:  filepath.ToSlash(filepath.Dir(rel)),
			test: strings.HasSuffix(rel, "_test.go"),
			text: text,
			ast:  tree,
		})

		return nil
	})
	return code{fset, files}, err
}

// repository returns the folder with go.mod.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}

	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}

		if dir == filepath.Dir(dir) {
			return "", errors.New("no go.mod above the test")
		}

		dir = filepath.Dir(dir)
	}
}

// imports lists the import paths of a file.
func (f file) imports() []string {
	var paths []string

	for _, spec := range f.ast.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			paths = append(paths, path)
		}
	}

	return paths
}
