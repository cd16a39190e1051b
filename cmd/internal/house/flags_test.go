package house

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// errorMakers are the functions that make errors.
var errorMakers = map[string]bool{
	"fmt.Errorf": true, "errors.New": true, "console.Usage": true, "console.Bad": true, "console.Option": true,
	"console.Interrupted": true,
}

// flagName is a flag in a text, but for those of commands that a text quotes.
var flagName = regexp.MustCompile("^[^`]*--[a-z]")

// othersFlags are errors that name a flag of another program, by file.
var othersFlags = map[string]string{
	"mcts/policy/openai/adapt.go": "vLLM's --enable-lora",
}

// Below cmd, and in its jobs, nobody knows how a user gives an option: errors name ‹options›.
func TestOnlyCommandsKnowFlags(t *testing.T) {
	fset, files := source(t)
	for _, f := range files {
		if f.test || strings.HasPrefix(f.pkg, "cmd/") && f.pkg != "cmd/internal/app" {
			continue
		}

		for _, path := range f.imports() {
			if strings.HasPrefix(path, "github.com/spf13/") {
				t.Errorf("%s imports %s: only cmd may", f.path, path)
			}
		}

		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !errorMakers[qualified(call.Fun)] || othersFlags[f.path] != "" {
				return true
			}

			for _, arg := range call.Args {
				ast.Inspect(arg, func(n ast.Node) bool {
					if text, ok := n.(*ast.BasicLit); ok && flagName.MatchString(text.Value) {
						t.Errorf("%s: an error names a flag: %s", position(fset, text), text.Value)
					}
					return true
				})
			}
			return true
		})
	}
}
