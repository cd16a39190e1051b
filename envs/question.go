package envs

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// QuestionKey returns a key that equal questions share. Questions are equal if they are the same
// after NFKC, case folding and collapsing white space: a model that knows one knows the other.
func QuestionKey(text string) string {
	folded := cases.Fold().String(norm.NFKC.String(text))
	return strings.Join(strings.Fields(norm.NFKC.String(folded)), " ")
}
