// Package yamltext parses the YAML that people write. The parser takes minutes and gigabytes for
// some texts of a few hundred kilobytes and cannot be interrupted, so a text is measured token by
// token before it is parsed, and refused at the line where it becomes too much. Files that are part
// of the program (word lists, wordings, tables) are decoded without that.
package yamltext

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Why a text is refused before it is decoded.
var (
	ErrTooMuch   = errors.New("too much for one file")
	ErrDocuments = errors.New("more than one document: keep the one that is meant")
	ErrEmpty     = errors.New("the file is empty")
)

// The limits of a text. The largest that anybody needs is a version of all 16,000 APIs of
// ToolBench: 10 MiB and a million signs, for which the parser copies 100 MiB.
const (
	maxBytes   = 16 << 20
	maxSigns   = 2 << 20
	maxNesting = 100
	maxWork    = 512 << 20 // bytes that the parser copies
	maxValues  = 2 << 20   // with each alias replaced by what it stands for
)

// signs are the characters that begin or end a token.
const signs = "\n-?:,[]{}&*!#"

// The text around the place of an error is shown if neither its lines nor the text are longer than
// this.
const (
	shownLine = 1000
	shownText = 2000
)

// Decode reads the one document of a text as [yaml.Decoder] does. The error of a text without one
// is ErrEmpty.
func Decode(text []byte, into any, options ...yaml.DecodeOption) error {
	return decode(text, into, func(body ast.Node) ast.Node { return body }, options)
}

// DecodeJSON reads a text as Decode does, and [Numbers] as JSON has them, into values of any type.
func DecodeJSON(text []byte, into *any, options ...yaml.DecodeOption) error {
	return decode(text, into, Numbers, options)
}

func decode(
	text []byte, into any, change func(ast.Node) ast.Node, options []yaml.DecodeOption,
) error {
	body, err := Parse(text)
	if err != nil {
		return err
	}

	if body == nil {
		return ErrEmpty
	}
	return shortened(yaml.NodeToValue(change(body), into, options...), text)
}

// Parse returns the one document of a text, or nil if it is empty.
func Parse(text []byte) (ast.Node, error) {
	if err := checkSize(text); err != nil {
		return nil, err
	}

	tokens := lexer.Tokenize(string(text))

	var m measure
	for _, t := range tokens {
		if err := m.add(t); err != nil {
			return nil, err
		}
	}

	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, shortened(err, text)
	}

	for _, doc := range file.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.DirectiveType {
			return doc.Body, checkAliases(doc.Body)
		}
	}

	return nil, nil
}

// checkSize refuses a text that is too large to be split into tokens, which take a hundred bytes
// for a character.
func checkSize(text []byte) error {
	if len(text) > maxBytes {
		return fmt.Errorf("%w: more than %d MiB", ErrTooMuch, maxBytes>>20)
	}

	found, line := 0, 1

	for _, c := range text {
		if strings.IndexByte(signs, c) < 0 {
			continue
		}

		if found++; found > maxSigns {
			return fmt.Errorf("[%d:1] %w: more than %d values and signs", line, ErrTooMuch, maxSigns)
		}

		if c == '\n' {
			line++
		}
	}
	return nil
}

// checkAliases refuses a document whose aliases stand for more than a text may have.
func checkAliases(body ast.Node) error {
	if n, where := (expansion{}).count(body); n > maxValues {
		return errorAt(where.GetToken(), "%w: with every *alias replaced by what it stands for there are more "+
			"than %d values", ErrTooMuch, maxValues)
	}
	return nil
}

// valueSize is how long a text may be to count as one value.
const valueSize = 64

// expansion is how many values each anchor stands for, by name.
type expansion map[string]int

// count returns how many values a node stands for, and where that becomes too many: the part at
// which the sum passes maxValues, or else the node.
func (e expansion) count(node ast.Node) (n int, where ast.Node) {
	var parts []ast.Node

	switch node := node.(type) {
	case *ast.AliasNode:
		// An alias inside its own anchor has no count yet, and is taken for one value.
		return max(e[node.Value.GetToken().Value], 1), node
	case *ast.AnchorNode:
		n, where = e.count(node.Value)
		e[node.Name.GetToken().Value] = n
		return n, where
	case *ast.TagNode:
		parts = []ast.Node{node.Value}
	case *ast.SequenceNode:
		parts = node.Values
	case *ast.MappingNode:
		// Keys are not counted: the parser refuses lists and mappings there.
		for _, item := range node.Values {
			parts = append(parts, item.Value)
		}
	case *ast.MappingValueNode:
		parts = []ast.Node{node.Value}
	}

	n, where = 1+len(node.GetToken().Value)/valueSize, node

	for _, part := range parts {
		inside, _ := e.count(part)
		if n += inside; n > maxValues {
			// Counting stops here, because nested aliases would overflow the sum.
			return maxValues + 1, part
		}
	}

	return n, where
}

// errorAt returns an error with a place in the text, like those of the parser.
func errorAt(t *token.Token, format string, values ...any) error {
	place := fmt.Sprintf("[%d:%d] ", t.Position.Line, t.Position.Column)
	return fmt.Errorf(place+format, values...)
}

// shortened returns an error of the parser without the text around the place, if that is long.
func shortened(err error, text []byte) error {
	longest := 0
	for line := range bytes.Lines(text) {
		longest = max(longest, len(line))
	}

	// The parser takes minutes to show a line of many tokens.
	if err == nil || longest <= shownLine && len(err.Error()) <= shownText {
		return err
	}

	message := yaml.FormatError(err, false, false)
	return errors.New(strings.ToValidUTF8(message[:min(len(message), shownText)], ""))
}
