package house

import (
	"bytes"
	"go/scanner"
	"go/token"
	"strings"
	"testing"
	"unicode/utf8"
)

// mostColumns is how wide a line may be, a tab counted as four columns.
const mostColumns = 120

// Lines are narrow enough to stand beside each other. What a raw string holds is data, and as wide as it is.
func TestLinesFit(t *testing.T) {
	_, files := source(t)
	for _, f := range files {
		for i, line := range bytes.Split(withoutRawStrings(f.text), []byte("\n")) {
			if n := columns(line); n > mostColumns {
				t.Errorf("%s:%d: %d columns, want at most %d", f.path, i+1, n, mostColumns)
			}
		}
	}
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
