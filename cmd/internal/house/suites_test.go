package house

import (
	"go/ast"
	"regexp"
	"slices"
	"testing"
)

// heldApart is a suite that only some packages know.
type heldApart struct {
	words *regexp.Regexp // its names, as parts of an identifier or words of a text
	known []string       // the packages that are wholly about it
	files []string       // outside of them, that may name it
}

// registration is the file that registers the suites.
const registration = "cmd/toolevo/suites.go"

var suitesHeldApart = []heldApart{
	{
		words: regexp.MustCompile(`(?i)toolqa|scirex|airbnb|yelp|dblp|\b(coffee|agenda|flights)\b`),
		known: []string{"toolqa/..."},
		files: []string{
			registration,
			"envs/score/quantity.go",               // whose units are also what its questions count
			"trajectories/internal/synth/synth.go", // whose trajectories are compared with those of earlier versions
		},
	},
	{
		words: regexp.MustCompile(`(?i)toolbench`),
		known: []string{
			"envs/toolbench/...", "trajectories/mirror", "finetune/judge/...", "finetune/fidelity",
			"cmd/internal/suites/toolbench",
		},
		files: []string{registration},
	},
	{
		words: regexp.MustCompile(`envs/remote`), // its name is a word of many others
		known: []string{"envs/remote/...", "cmd/internal/suites/remote"},
		files: []string{registration},
	},
	{
		words: regexp.MustCompile(`(?i)stategen`),
		known: []string{"envs/stategen/...", "finetune/programs", "cmd/internal/suites/stategen"},
		files: []string{
			registration,
			"cmd/toolevo/demo.go", // one of the two demonstrations is about generated tasks
		},
	},
}

// A suite is known only by packages that are wholly about it: everything else serves others, too.
// Tests, comments and data may name it.
func TestSuitesAreHeldApart(t *testing.T) {
	fset, files := source(t)
	for _, s := range suitesHeldApart {
		for _, f := range files {
			knows := slices.ContainsFunc(s.known, func(p string) bool { return matches(p, f.pkg) })
			if f.test || knows || slices.Contains(s.files, f.path) {
				continue
			}

			for n, text := range words(f.ast) {
				if found := s.words.FindString(text); found != "" {
					t.Errorf("%s: %q names a suite: only its own packages may", position(fset, n), found)
				}
			}
		}
	}
}

// What needs the rows or episodes of a suite is imported by its registration alone.
func TestOnlyRegistrationsImportWhatIsAboutASuite(t *testing.T) {
	_, files := source(t)
	for _, s := range suitesHeldApart {
		for _, f := range files {
			inside := slices.ContainsFunc(s.known, func(p string) bool { return matches(p, f.pkg) })
			if f.test || inside || slices.Contains(s.files, f.path) {
				continue
			}

			for _, path := range f.imports() {
				if slices.ContainsFunc(s.known, func(p string) bool { return matches(module+"/"+p, path) }) {
					t.Errorf("%s imports %s, which is about a suite", f.path, path)
				}
			}
		}
	}
}

// words visits every identifier and literal of a file with its text.
func words(file *ast.File) func(yield func(ast.Node, string) bool) {
	return func(yield func(ast.Node, string) bool) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				return yield(n, n.Name)
			case *ast.BasicLit:
				return yield(n, n.Value)
			}

			return true
		})
	}
}
