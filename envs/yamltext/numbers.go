package yamltext

import (
	"regexp"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// undotted fits the numbers of JSON that have no dot.
var undotted = regexp.MustCompile(`^(-?(?:0|[1-9][0-9]*))([eE][-+]?[0-9]+)?$`)

// Number returns a number of JSON as a file has to have it. The parser takes one without a dot for
// an integer of 64 bits, or else for a text, such as 1e-06: then it gets a dot.
func Number(text string) string {
	if token.ToNumber(text) != nil || !undotted.MatchString(text) {
		return text
	}

	// One that is too large for a float is a text either way.
	if dotted := undotted.ReplaceAllString(text, "$1.0$2"); token.ToNumber(dotted) != nil {
		return dotted
	}
	return text
}

// Numbers makes numbers of the values in a node that are numbers in JSON, without quotes, but texts
// to the parser, and returns the node. It is for values of any type only: a field that is a text
// would get another spelling.
func Numbers(node ast.Node) ast.Node {
	switch n := node.(type) {
	case *ast.StringNode:
		dotted := Number(n.Value)
		if n.Token.Type == token.StringType && dotted != n.Value {
			number := n.Token.Clone()
			number.Value = dotted
			return ast.Float(number)
		}
	case *ast.AnchorNode:
		n.Value = Numbers(n.Value)
	case *ast.SequenceNode:
		for i, item := range n.Values {
			n.Values[i] = Numbers(item)
		}
	case *ast.MappingNode:
		for _, item := range n.Values {
			item.Value = Numbers(item.Value)
		}
	case *ast.MappingValueNode:
		n.Value = Numbers(n.Value)
	}

	return node
}
