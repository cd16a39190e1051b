package house

import (
	"bytes"
	"go/ast"
	"go/scanner"
	"go/token"
	"strings"
	"testing"
	"unicode/utf8"
)

// mostColumns is how wide a line may be, and mostOfProse how wide one of a comment. A tab counts as
// four columns.
const (
	mostColumns = 120
	mostOfProse = 100
)

// Lines are narrow enough to stand beside each other. What a raw string holds is data, and as wide
// as it is; so is what stands in a comment as it was written, after a tab.
func TestLinesFit(t *testing.T) {
	_, files := source(t)
	for _, f := range files {
		for i, line := range bytes.Split(withoutRawStrings(f.text), []byte("\n")) {
			most := mostColumns
			if bytes.HasPrefix(bytes.TrimLeft(line, "\t"), []byte("// ")) {
				most = mostOfProse
			}
			if n := columns(line); n > most {
				t.Errorf("%s:%d: %d columns, want at most %d", f.path, i+1, n, most)
			}
		}
	}
}

// mostApart is the share of returns that may stand after a blank line, of those that end a block of
// several statements: a paragraph is a step, and what a short step comes to belongs to it.
const mostApart = 0.25

func TestReturnsEndTheirParagraph(t *testing.T) {
	fset, files := source(t)
	var all, apart int

	for _, f := range files {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			block, ok := n.(*ast.BlockStmt)
			if !ok || f.test || len(block.List) < 2 {
				return true
			}
			last, before := block.List[len(block.List)-1], block.List[len(block.List)-2]
			if _, ok := last.(*ast.ReturnStmt); ok {
				all++
				if lineOf(fset, last.Pos())-lineOf(fset, before.End()) > 1 {
					apart++
				}
			}
			return true
		})
	}

	if share := float64(apart) / float64(all); share > mostApart {
		t.Errorf("%.1f %% of %d returns stand after a blank line, want at most %.0f %%", 100*share, all, 100*mostApart)
	}
}

func lineOf(fset *token.FileSet, at token.Pos) int {
	return fset.Position(at).Line
}

func columns(line []byte) int {
	return utf8.RuneCount(line) + 3*bytes.Count(line, []byte("\t"))
}

// withoutRawStrings returns source code whose raw strings are empty, but for their line breaks.
func withoutRawStrings(text []byte) []byte {
	var (
		fset = token.NewFileSet()
		file = fset.AddFile("", -1, len(text))
		code scanner.Scanner
		out  bytes.Buffer
		end  int
	)

	code.Init(file, text, nil, 0)

	for {
		pos, kind, literal := code.Scan()
		if kind == token.EOF {
			out.Write(text[end:])
			return out.Bytes()
		}

		if kind == token.STRING && literal[0] == '`' {
			at := file.Offset(pos)
			out.Write(text[end:at])
			out.WriteString("``" + strings.Repeat("\n", strings.Count(literal, "\n")))
			end = at + len(literal)
		}
	}
}

func TestWithoutRawStrings(t *testing.T) {
	got := string(withoutRawStrings([]byte("a(`x\ny`, \"`\") // `z`\nb")))
	if want := "a(``\n, \"`\") // `z`\nb"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
